//! Images as files that are built, copied and uploaded: their size, their form, how they boot.
//!
//! A size that is odd is a note: most images never meet what trips over it. It is `broken` as soon as
//! the operator names a purpose for which it is.

use super::lint::{Lint, UPLOADS, Upload};
use super::{JudgeOptions, StackCase};
use crate::finding::Finding;
use crate::layer::detail::{ImageDetail, ImageFormat, ImageVariant};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

/// Direct I/O on a host with 4 KiB sectors, `losetup --sector-size 4096` and LUKS2 with 4 KiB sectors.
const COMMON_UNIT: Bytes = Bytes::new(4096);

pub(super) fn judge(case: &StackCase<'_>, options: &JudgeOptions, findings: &mut Vec<Finding>) {
    let lint = &options.lint;
    for (id, layer) in case.stack.layers() {
        if layer.kind == Kind::Disk && layer.image().is_some() {
            sizes(case, id, layer, lint, findings);
            if let Some(upload) = lint.upload {
                findings.extend(form(case, id, layer, upload));
                findings.extend(length(case, id, layer, upload));
            }
        }
    }
    if lint.uefi {
        boots(case, findings);
    }
}

/// The sizes that are asked for; without such a question what trips many.
fn sizes(
    case: &StackCase<'_>,
    id: LayerId,
    layer: &Layer,
    lint: &Lint,
    findings: &mut Vec<Finding>,
) {
    let found = findings.len();
    if let Some(unit) = lint.size_multiple {
        findings.extend(size(case, id, layer, unit).map(Odd::asked));
    }
    let upload = lint.upload.or_else(|| likely_upload(layer));
    if let Some(upload) = upload {
        let named = lint.upload.is_some();
        let odd = size(case, id, layer, upload.unit);
        findings.extend(odd.map(|odd| odd.refused(upload, named)));
    }
    if findings.len() == found {
        let odd = size(case, id, layer, COMMON_UNIT);
        findings.extend(odd.map(|odd| odd.common(layer)));
    }
}

/// A VHD is made for Hyper-V or Azure.
fn likely_upload(layer: &Layer) -> Option<&'static Upload> {
    let vhd = layer.image()?.format == ImageFormat::Vhd;
    let mut services = UPLOADS.iter().filter(|_| vhd);
    services.find(|upload| upload.format == ImageFormat::Vhd)
}

/// `Disk x.img`, `The virtual disk`.
fn subject(case: &StackCase<'_>, id: LayerId) -> String {
    match case.name(id).as_str() {
        name @ "virtual disk" => format!("The {name}"),
        _ => case.subject(id),
    }
}

/// A size that is no multiple of a unit.
struct Odd {
    id: LayerId,
    name: String,
    size: Bytes,
    unit: Bytes,
    over: u64,
}

fn size(case: &StackCase<'_>, id: LayerId, layer: &Layer, unit: Bytes) -> Option<Odd> {
    let size = believed_size(layer)?;
    let over = size.get().checked_rem(unit.get())?;
    (over != 0).then(|| Odd {
        id,
        name: subject(case, id),
        size,
        unit,
        over,
    })
}

/// The size that counts for a service: the current size of a VHD, not its geometry.
fn believed_size(layer: &Layer) -> Option<Bytes> {
    let current = layer.image().and_then(ImageDetail::current_size);
    current.or(layer.size)
}

impl Odd {
    /// `Disk x.img has N bytes, M B more than a multiple of 1 MiB`
    fn sentence(&self) -> String {
        format!(
            "{} has {} bytes, {} B more than a multiple of {}",
            self.name,
            self.size.get(),
            self.over,
            self.unit
        )
    }

    /// The next size that fits.
    fn next(&self) -> Option<Bytes> {
        let missing = self.unit.checked_sub(Bytes::new(self.over))?;
        self.size.checked_add(missing)
    }

    fn filled(&self, mut finding: Finding) -> Finding {
        finding.unit = Some(self.unit);
        finding.offset = Some(Bytes::new(self.over));
        finding.suggest.size = self.next();
        finding.fixable_in_place = Some(true);
        let step = self.next().map(|next| {
            format!(
                "resize the raw image (qemu-img resize -f raw IMAGE {}), then move its backup GPT to the new end (sgdisk -e IMAGE)",
                next.get()
            )
        });
        finding.steps.extend(step);
        finding.at(self.id)
    }

    fn asked(self) -> Finding {
        let why = format!("{}, which is asked for", self.sentence());
        self.filled(Finding::new(
            rules::IMAGE_SIZE_NOT_MULTIPLE,
            Severity::Broken,
            why,
        ))
    }

    fn common(self, layer: &Layer) -> Finding {
        let raw = |image: &ImageDetail| image.format == ImageFormat::Raw;
        let effect = if layer.image().is_some_and(raw) {
            "on a host with 4 KiB sectors QEMU with cache=none refuses it"
        } else {
            "as a raw copy on a host with 4 KiB sectors QEMU with cache=none refuses it"
        };
        let why = format!(
            "{}: {effect} (\"Image size is not a multiple of request alignment\"), and \
             loop devices and encryption with 4 KiB sectors leave out the tail",
            self.sentence()
        );
        self.filled(Finding::new(
            rules::IMAGE_SIZE_NOT_MULTIPLE,
            Severity::Note,
            why,
        ))
    }

    fn refused(self, upload: &Upload, named: bool) -> Finding {
        let severity = if named {
            Severity::Broken
        } else {
            Severity::Note
        };
        let footer = if upload.footer.is_zero() {
            String::new()
        } else {
            format!(" (the footer of {} is not counted)", upload.footer)
        };
        let why = format!("{}: {} refuses it{footer}", self.sentence(), upload.service);
        let finding = Finding::new(rules::UPLOAD_SIZE_NOT_MULTIPLE, severity, why);
        self.filled(finding).step(upload.convert)
    }
}

/// Whether it is what the service takes.
fn form(case: &StackCase<'_>, id: LayerId, layer: &Layer, upload: &Upload) -> Option<Finding> {
    let ImageDetail {
        format, variant, ..
    } = layer.image()?;
    let right = *format == upload.format;
    if right && *variant == upload.variant {
        return None;
    }
    let is = if right {
        format!("{variant} {format}")
    } else {
        format.to_string()
    };
    let why = format!(
        "{} is {is}, and {} takes {} only",
        subject(case, id),
        upload.service,
        upload.form
    );
    let finding = Finding::new(rules::UPLOAD_FORMAT, Severity::Broken, why).at(id);
    Some(finding.step(upload.convert))
}

/// The file of a fixed VHD is the disk and its footer, nothing between them.
fn length(case: &StackCase<'_>, id: LayerId, layer: &Layer, upload: &Upload) -> Option<Finding> {
    let image = layer.image()?;
    // Raw has no variant, and its file is the disk.
    let raw = image.variant == ImageVariant::Plain;
    if raw || image.format != upload.format || image.variant != upload.variant {
        return None;
    }
    let file = case.stack.layer(layer.below.first()?.below).size?;
    let size = believed_size(layer)?;
    let wanted = size.checked_add(upload.footer)?;
    (file != wanted).then(|| {
        let why = format!(
            "The file of {} has {} bytes; {} wants the {} of the disk and {} of the footer",
            case.name(id),
            file.get(),
            upload.service,
            size.get(),
            upload.footer
        );
        let mut finding = Finding::new(rules::UPLOAD_FILE_LENGTH, Severity::Broken, why).at(id);
        finding.suggest.size = Some(wanted);
        finding.step(upload.convert)
    })
}

/// UEFI firmware starts from FAT on an EFI system partition and from nothing else.
fn boots(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for finding in findings.iter_mut() {
        if finding.rule == rules::ESP_NOT_FAT {
            finding.severity = Severity::Broken;
        }
    }
    let is_esp =
        |(_, layer): &(LayerId, &Layer)| layer.kind == Kind::Partition && layer.role == Role::Esp;
    if case.stack.layers().any(|layer| is_esp(&layer)) {
        return;
    }
    let disk = case
        .stack
        .layers()
        .find(|(_, layer)| layer.kind == Kind::Disk);
    findings.extend(disk.map(|(id, _)| {
        let why = format!(
            "{} has no EFI system partition: UEFI firmware finds nothing to start",
            subject(case, id)
        );
        let finding = Finding::new(rules::ESP_MISSING, Severity::Broken, why).at(id);
        finding
            .step("make a FAT partition of type EF00 (sgdisk -t) and install the boot loader in it")
    }));
}
