//! Contents with absolute sectors that cannot be updated: LILO, hybrid CD images, BSD labels.

use ioalign_core::on_disk::bytes::{has, le16, le32};

use super::survey::BootSurvey;
use super::{Consequence, Moved};

/// At 64 in the MBR code of `isohybrid`.
const ISOHYBRID: u32 = 0x7078_c0fb;
/// The label of BSD systems.
const LABEL: u32 = 0x8256_4557;
/// Entries in a label at most; OpenBSD has 16.
const MOST_ENTRIES: usize = 22;

/// Looks at the whole disk.
pub fn disk(survey: &mut BootSurvey<'_>) {
    for home in survey.homes() {
        let sector = survey.sector(home.at).unwrap_or_default();
        if has(&sector, 6, b"LILO") {
            let what = format!(
                "LILO is in {}: it reads the kernel by absolute sectors, and would read others after the move",
                home.name()
            );
            let advice = "have a rescue system at hand that runs `lilo` after the move, or change to GRUB before";
            survey.add(Consequence::refused(home.partition, what).advised(advice));
        }
    }
    let boot = survey.sector(0).unwrap_or_default();
    let volume = survey.read(32768, 6).unwrap_or_default();
    if le32(&boot, 64) == ISOHYBRID || has(&volume, 1, b"CD001") {
        let what = "the disk is a CD image as well: its boot code and its file system count from the \
                    beginning of the disk, over all partitions";
        survey.add(Consequence::refused(None, what).advised("write the image again instead"));
    }
}

/// Looks at a partition that moves.
pub fn partition(survey: &mut BootSurvey<'_>, moved: &Moved) {
    let Some(label) = survey.sector(moved.from.saturating_add(512)) else {
        return;
    };
    if le32(&label, 0) != LABEL || le32(&label, 132) != LABEL {
        return;
    }
    let start = moved.from / 512;
    let what = if counts_from_disk(&label, start) {
        let what = "BSD label: its partitions count from the beginning of the disk";
        Consequence::refused(Some(moved.number), what)
            .advised("move it, then write the label again from its own system (disklabel -e)")
    } else {
        let what = "BSD label: its partitions count from the start of the slice";
        Consequence::stated(Some(moved.number), what)
    };
    survey.add(what);
}

/// Whether all partitions in use begin behind the start of the slice. The entries for the whole disk or
/// slice have no type.
fn counts_from_disk(label: &[u8], start: u64) -> bool {
    let count = usize::from(le16(label, 138));
    let entries = label.get(148..).unwrap_or_default().chunks_exact(16);
    let used = entries
        .take(count.min(MOST_ENTRIES))
        .filter(|entry| le32(entry, 0) != 0 && entry.get(12) != Some(&0));
    let starts: Vec<_> = used.map(|entry| u64::from(le32(entry, 4))).collect();
    !starts.is_empty() && starts.iter().all(|first| *first >= start)
}
