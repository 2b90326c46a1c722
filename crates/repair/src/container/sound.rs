//! Whether what the reader found odd about an image is a reason not to use it.

use ioalign_core::{ImageFault, ImageVariant, Remark, Severity};
use ioalign_inspect::images::Image;

use super::refusal::refused;
use crate::{Error, ErrorKind, Result};

/// Whether all of the disk is read as a guest would read it.
pub fn to_read(image: &Image) -> Result<()> {
    match image.remarks.iter().find(|remark| hinders_reading(remark)) {
        Some(remark) => Err(Error::new(ErrorKind::Refused, remark.why.clone())),
        None => Ok(()),
    }
}

fn hinders_reading(remark: &Remark) -> bool {
    match remark.fault {
        // What is read may be old, or only a part.
        Some(ImageFault::DirtyLog | ImageFault::Journal | ImageFault::BareExtent) => true,
        // Damage that takes nothing away from the data.
        Some(
            ImageFault::FooterMissing | ImageFault::FooterChecksum | ImageFault::HeaderChecksum,
        ) => false,
        Some(ImageFault::Dirty | ImageFault::UncleanShutdown) | None => is_severe(remark),
    }
}

/// Whether it may be written.
pub fn to_write(image: &Image) -> Result<()> {
    let variant = &image.detail.variant;
    let mut remarks = image.remarks.iter();
    match remarks.find_map(|remark| reason_not_to_write(remark, variant)) {
        Some(why) => Err(refused(why)),
        None => Ok(()),
    }
}

fn reason_not_to_write(remark: &Remark, variant: &ImageVariant) -> Option<String> {
    let hinders = match remark.fault {
        Some(ImageFault::Dirty) => {
            let why = "the image is marked dirty: it is in use, or `qemu-img check -r all` has to repair it";
            return Some(why.to_owned());
        }
        Some(ImageFault::UncleanShutdown) => {
            let why = "the image is in use, or its last session ended in a crash";
            return Some(why.to_owned());
        }
        Some(ImageFault::Journal | ImageFault::BareExtent) => true,
        // A dynamic VHD with its footer at the start alone is what a loss of power leaves, and the next flush
        // puts it right.
        Some(ImageFault::FooterMissing) => *variant != ImageVariant::Dynamic,
        // A log is looked at by its format.
        Some(ImageFault::DirtyLog | ImageFault::FooterChecksum | ImageFault::HeaderChecksum)
        | None => is_severe(remark),
    };
    hinders.then(|| remark.why.clone())
}

const fn is_severe(remark: &Remark) -> bool {
    !matches!(remark.severity, Severity::Note | Severity::Ok)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ioalign_inspect::images::raw;
    use ioalign_inspect::source::{MemorySource, Source};

    use super::*;

    fn image(remark: Remark, variant: ImageVariant) -> Image {
        let source: Arc<dyn Source> = Arc::new(MemorySource::new(vec![0; 512]));
        let mut image = raw::image(&source);
        image.detail.variant = variant;
        image.remarks.push(remark);
        image
    }

    /// Names of rules and sentences are for people: other words for the same fault open nothing.
    #[test]
    fn a_renamed_rule_opens_no_image_for_writing() {
        use ImageFault::{BareExtent, Dirty, FooterMissing, Journal, UncleanShutdown};
        for fault in [Dirty, UncleanShutdown, Journal, BareExtent, FooterMissing] {
            let renamed = Remark::note("another-name", "another sentence").of_fault(fault);
            let image = image(renamed, ImageVariant::MonolithicSparse);
            assert!(to_write(&image).is_err(), "{fault:?}");
        }
        let renamed = || Remark::new("another-name", Severity::Broken, "another sentence");
        assert!(to_write(&image(renamed(), ImageVariant::Dynamic)).is_err());
        let harmless = renamed().of_fault(FooterMissing);
        assert!(to_write(&image(harmless, ImageVariant::Dynamic)).is_ok());
    }

    /// Nor does an image pass for a sound one because an unknown fault has the name of a harmless one.
    #[test]
    fn the_name_of_a_harmless_rule_excuses_nothing() {
        let remark = Remark::new(
            ioalign_core::rules::VHD_FOOTER_MISSING,
            Severity::Broken,
            "x",
        );
        let image = image(remark, ImageVariant::Dynamic);
        assert!(to_read(&image).is_err() && to_write(&image).is_err());
    }
}
