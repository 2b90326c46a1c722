//! Whether what the reader found odd about an image is a reason not to use it.

use ioalign_core::{Remark, Severity, rules};
use ioalign_inspect::images::Image;

use super::open::refused;
use crate::{Error, ErrorKind, Result};

/// Notes after which what is read may be old, or only a part.
const BLIND: [&str; 3] = [
    rules::VHDX_DIRTY_LOG,
    rules::VMDK_JOURNAL,
    rules::VMDK_BARE_EXTENT,
];
/// Damage that takes nothing away from the data.
const HARMLESS: [&str; 3] = [
    rules::VHD_FOOTER_MISSING,
    rules::VHD_FOOTER_CHECKSUM,
    rules::VHD_HEADER_CHECKSUM,
];

/// Whether all of the disk is read as a guest would read it.
pub fn to_read(image: &Image) -> Result<()> {
    let good = |remark: &Remark| HARMLESS.contains(&remark.rule);
    match reason(image, &BLIND, good) {
        Some(remark) => Err(Error::new(ErrorKind::Refused, remark.why.clone())),
        None => Ok(()),
    }
}

/// Whether it may be written. That a dynamic VHD has its footer at the start alone is what a loss of power
/// leaves, and is put right by the next flush; a log is looked at by its format.
pub fn to_write(image: &Image) -> Result<()> {
    let good =
        |remark: &Remark| remark.rule == rules::VHD_FOOTER_MISSING && image.variant == "dynamic";
    let [_, bad @ ..] = BLIND;
    match reason(image, &bad, good) {
        Some(remark) => Err(refused(remark.why.clone())),
        None => Ok(()),
    }
}

fn reason<'a>(
    image: &'a Image,
    bad: &[&str],
    good: impl Fn(&Remark) -> bool,
) -> Option<&'a Remark> {
    let mild = |remark: &Remark| matches!(remark.severity, Severity::Note | Severity::Ok);
    let stops = |remark: &&Remark| !mild(remark) && !good(remark) || bad.contains(&remark.rule);
    image.remarks.iter().find(stops)
}
