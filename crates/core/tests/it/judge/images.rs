//! Images as files that are built and uploaded.

use ioalign_core::judge::lint::{Lint, UPLOADS, Upload, upload};
use ioalign_core::judge::{JudgeOptions, judge};
use ioalign_core::layer::detail::{Detail, ImageDetail, ImageHeader, VhdDetail};
use ioalign_core::{
    Bytes, Finding, ImageFormat, ImageVariant, Kind, Layer, LayerId, Remark, Role, Severity, Stack,
    rules,
};

use super::{MIB, bottom, shift};

const GIB: u64 = 1 << 30;

fn detail(format: ImageFormat, variant: ImageVariant) -> ImageDetail {
    ImageDetail {
        variant,
        ..ImageDetail::of_format(format)
    }
}

/// The disk of an image whose file is `footer` bytes longer.
fn image(detail: ImageDetail, size: u64, footer: u64) -> Stack {
    let mut stack = Stack::new();
    let file = bottom(&mut stack, Kind::Image, "a.img", &[]);
    stack.layer_mut(file).size = Some(Bytes::new(size + footer));
    let disk = Layer::new(Kind::Disk, "a.img")
        .sized(Bytes::new(size))
        .on(file, shift(0))
        .detailed(Detail::Image(detail));
    stack.push(disk);
    stack
}

fn raw(size: u64) -> Stack {
    image(detail(ImageFormat::Raw, ImageVariant::Plain), size, 0)
}

fn linted(stack: &Stack, lint: Lint) -> Vec<Finding> {
    let options = JudgeOptions {
        lint,
        ..JudgeOptions::default()
    };
    let of_images = [
        rules::IMAGE_SIZE_NOT_MULTIPLE,
        rules::UPLOAD_SIZE_NOT_MULTIPLE,
        rules::UPLOAD_FORMAT,
        rules::UPLOAD_FILE_LENGTH,
        rules::ESP_MISSING,
        rules::ESP_NOT_FAT,
    ];
    let mut findings = judge(stack, &options).findings;
    findings.retain(|finding| of_images.contains(&finding.rule));
    findings
}

fn uploaded(stack: &Stack, name: &str) -> Vec<Finding> {
    let lint = Lint {
        upload: upload(name),
        ..Lint::default()
    };
    linted(stack, lint)
}

fn of_service(upload: &Upload) -> ImageDetail {
    detail(upload.format, upload.variant.clone())
}

#[test]
fn services_are_found_by_name() {
    for known in UPLOADS {
        assert_eq!(upload(known.name), Some(known));
    }
    assert_eq!(upload("none"), None);
    let sizes = UPLOADS.iter().map(|one| (one.name, one.unit.get()));
    assert!(sizes.eq([("azure", MIB), ("gce", GIB)]));
}

#[test]
fn an_odd_size_is_a_note_until_somebody_asks() {
    assert!(linted(&raw(64 * MIB), Lint::default()).is_empty());
    let stack = raw(64 * MIB + 512);
    let found = linted(&stack, Lint::default());
    assert_eq!(found.len(), 1);
    let finding = &found[0];
    assert_eq!(
        (finding.rule, finding.severity),
        (rules::IMAGE_SIZE_NOT_MULTIPLE, Severity::Note)
    );
    assert_eq!(finding.unit, Some(Bytes::new(4096)));
    assert_eq!(finding.offset, Some(Bytes::new(512)));
    assert_eq!(finding.suggest.size, Some(Bytes::new(64 * MIB + 4096)));
    assert_eq!(finding.fixable_in_place, Some(true));
    assert!(
        finding.why.starts_with(
            "Disk a.img has 67109376 bytes, 512 B more than a multiple of 4 KiB: on a host with 4 KiB sectors QEMU"
        ),
        "{}",
        finding.why
    );
    assert!(finding.steps[0].contains("resize -f raw IMAGE 67112960)"));
    let other = image(
        detail(ImageFormat::Qcow2, ImageVariant::Version(3)),
        64 * MIB + 512,
        0,
    );
    let found = linted(&other, Lint::default());
    assert!(
        found[0].why.contains(": as a raw copy on a host"),
        "{}",
        found[0].why
    );
    let asked = Lint {
        size_multiple: Some(Bytes::MIB),
        ..Lint::default()
    };
    let found = linted(&stack, asked);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Broken);
    assert_eq!(found[0].suggest.size, Some(Bytes::new(65 * MIB)));
    assert!(
        found[0]
            .why
            .ends_with("a multiple of 1 MiB, which is asked for")
    );
    assert!(linted(&raw(64 * MIB), asked).is_empty());
}

#[test]
fn a_disk_that_is_no_image_has_no_length_to_judge() {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    stack.layer_mut(disk).size = Some(Bytes::new(64 * MIB + 512));
    let lint = Lint {
        size_multiple: Some(Bytes::MIB),
        upload: upload("azure"),
        uefi: false,
    };
    assert!(linted(&stack, lint).is_empty());
    // The file under an image is no disk either.
    let mut stack = raw(64 * MIB + 512);
    let detail = stack.layer(LayerId(1)).detail.clone();
    stack.layer_mut(LayerId(0)).detail = detail;
    assert_eq!(linted(&stack, Lint::default()).len(), 1);
}

#[test]
fn a_vhd_is_taken_for_an_upload() {
    let azure = upload("azure").unwrap();
    let stack = image(of_service(azure), 64 * MIB + 512, 512);
    let found = linted(&stack, Lint::default());
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].rule, found[0].severity),
        (rules::UPLOAD_SIZE_NOT_MULTIPLE, Severity::Note)
    );
    assert_eq!(found[0].suggest.size, Some(Bytes::new(65 * MIB)));
    assert!(
        found[0].why.ends_with(
            "a multiple of 1 MiB: Azure refuses it (the footer of 512 B is not counted)"
        ),
        "{}",
        found[0].why
    );
    assert_eq!(found[0].steps[1], azure.convert);
    let found = uploaded(&stack, "azure");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].rule, found[0].severity),
        (rules::UPLOAD_SIZE_NOT_MULTIPLE, Severity::Broken)
    );
    assert!(uploaded(&image(of_service(azure), 64 * MIB, 512), "azure").is_empty());
}

#[test]
fn other_services_want_other_multiples() {
    let gce = upload("gce").unwrap();
    assert!(uploaded(&image(of_service(gce), 2 * GIB, 0), "gce").is_empty());
    let found = uploaded(&image(of_service(gce), GIB + MIB, 0), "gce");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].suggest.size, Some(Bytes::new(2 * GIB)));
    assert!(found[0].why.ends_with("Google Compute Engine refuses it"));
}

#[test]
fn both_questions_are_answered() {
    let azure = upload("azure").unwrap();
    let lint = Lint {
        size_multiple: Some(Bytes::new(4096)),
        upload: Some(azure),
        uefi: false,
    };
    let found = linted(&image(of_service(azure), 64 * MIB + 512, 512), lint);
    let rules: Vec<_> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(
        rules,
        [
            rules::IMAGE_SIZE_NOT_MULTIPLE,
            rules::UPLOAD_SIZE_NOT_MULTIPLE
        ]
    );
}

#[test]
fn what_a_service_does_not_take_is_named() {
    for (detail, words) in [
        (
            detail(ImageFormat::Vhd, ImageVariant::Dynamic),
            "is dynamic vhd, and",
        ),
        (
            detail(ImageFormat::Vhdx, ImageVariant::Fixed),
            "is vhdx, and",
        ),
        (detail(ImageFormat::Raw, ImageVariant::Plain), "is raw, and"),
    ] {
        let found = uploaded(&image(detail, 64 * MIB, 0), "azure");
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].rule, found[0].severity),
            (rules::UPLOAD_FORMAT, Severity::Broken)
        );
        let why = format!("Disk a.img {words} Azure takes a fixed VHD only");
        assert_eq!(found[0].why, why);
        assert_eq!(found[0].steps, [upload("azure").unwrap().convert]);
    }
}

#[test]
fn the_file_is_the_disk_and_its_footer() {
    let azure = upload("azure").unwrap();
    for footer in [0, 511, 1024] {
        let found = uploaded(&image(of_service(azure), 64 * MIB, footer), "azure");
        assert_eq!(found.len(), 1, "{footer}");
        assert_eq!(
            (found[0].rule, found[0].severity),
            (rules::UPLOAD_FILE_LENGTH, Severity::Broken)
        );
        assert_eq!(found[0].suggest.size, Some(Bytes::new(64 * MIB + 512)));
        let why = format!(
            "The file of a.img has {} bytes; Azure wants",
            64 * MIB + footer
        );
        assert!(found[0].why.starts_with(&why), "{}", found[0].why);
    }
    // The file of a raw image is the disk, however long it is.
    let gce = upload("gce").unwrap();
    assert!(uploaded(&image(of_service(gce), GIB, 512), "gce").is_empty());
}

#[test]
fn the_current_size_counts_and_not_the_geometry() {
    let mut detail = detail(ImageFormat::Vhd, ImageVariant::Fixed);
    detail.header = ImageHeader::Vhd(VhdDetail {
        creator: "vpc".into(),
        id: String::new(),
        sized_by_geometry: true,
        current_size: Bytes::new(64 * MIB),
        file_length: 64 * MIB + 512,
        blocks: None,
    });
    let mut stack = image(detail, 64 * MIB, 512);
    stack.layer_mut(LayerId(1)).size = Some(Bytes::new(63 * MIB + 512));
    assert!(uploaded(&stack, "azure").is_empty());
}

#[test]
fn a_virtual_disk_is_named_with_its_article() {
    let mut stack = raw(64 * MIB + 512);
    stack.layer_mut(LayerId(1)).name = "virtual disk".into();
    let found = linted(&stack, Lint::default());
    assert!(
        found[0].why.starts_with("The virtual disk has"),
        "{}",
        found[0].why
    );
}

#[test]
fn uefi_starts_from_fat_on_an_esp_and_from_nothing_else() {
    let uefi = Lint {
        uefi: true,
        ..Lint::default()
    };
    let with = |kind, role| {
        let mut stack = raw(64 * MIB);
        let mut layer = Layer::new(kind, "p1").sized(Bytes::MIB);
        layer.role = role;
        stack.push(layer.on(LayerId(1), shift(2048)));
        stack
    };
    assert!(linted(&with(Kind::Partition, Role::Esp), uefi).is_empty());
    for (kind, role) in [(Kind::Partition, Role::Data), (Kind::Filesystem, Role::Esp)] {
        let found = linted(&with(kind, role), uefi);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].rule, found[0].severity, found[0].layer),
            (rules::ESP_MISSING, Severity::Broken, Some(LayerId(1)))
        );
        assert!(
            found[0]
                .why
                .starts_with("Disk a.img has no EFI system partition")
        );
        assert!(linted(&with(kind, role), Lint::default()).is_empty());
    }
    // A reader's note that it holds no FAT becomes a failure, and no other note does.
    let mut stack = with(Kind::Partition, Role::Esp);
    let esp = stack.layer_mut(LayerId(2));
    esp.remarks.push(Remark::note(rules::ESP_NOT_FAT, "so"));
    esp.remarks.push(Remark::note(rules::ESP_MISSING, "so"));
    let severities = |lint| {
        let found = linted(&stack, lint);
        let of = |rule| {
            found
                .iter()
                .find(|one| one.rule == rule)
                .map(|one| one.severity)
        };
        [of(rules::ESP_NOT_FAT), of(rules::ESP_MISSING)]
    };
    assert_eq!(
        severities(uefi),
        [Some(Severity::Broken), Some(Severity::Note)]
    );
    assert_eq!(severities(Lint::default()), [Some(Severity::Note); 2]);
}
