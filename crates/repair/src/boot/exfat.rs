//! exFAT: `PartitionOffset`, 64 bits at 0x40, in both boot regions of twelve sectors, each sealed by a checksum
//! that fills its last sector (exFAT specification 3.1.3 and 3.4). 0 means that it is not to be used.

use ioalign_core::on_disk::bytes::{has, le32, le64, put, u8_at};

use super::hidden::{HiddenVerdict, Starts, stated};
use super::survey::BootSurvey;
use super::{Consequence, Moved};

const OFFSET: usize = 0x40;
/// Sectors a region, the last of which is the checksum.
const SECTORS: usize = 12;
/// Volume flags and the percentage in use change while it is mounted: they do not count.
const NOT_SUMMED: [usize; 3] = [106, 107, 112];

/// Reads a partition that moves; whether it is exFAT.
pub fn read(survey: &mut BootSurvey<'_>, moved: &Moved, boot: &[u8]) -> bool {
    let shift = u8_at(boot, 108);
    if !has(boot, 3, b"EXFAT   ") || !(9..=12).contains(&shift) {
        return false;
    }
    let sector = 1usize << shift;
    for (region, name) in [(0, "exFAT"), (SECTORS, "exFAT, backup boot region")] {
        one(survey, moved, sector, region * sector, name);
    }
    true
}

fn one(survey: &mut BootSurvey<'_>, moved: &Moved, sector: usize, skip: usize, name: &str) {
    let at = moved.from.saturating_add(skip as u64);
    let end = (skip + sector * SECTORS) as u64;
    let read = survey.read(at, sector * SECTORS);
    let Some(mut bytes) = read.filter(|_| end <= moved.bytes) else {
        return;
    };
    let is_whole = has(&bytes, 3, b"EXFAT   ") && sealed(&bytes, sector);
    if !is_whole {
        let what = format!("{name}: its checksum is wrong, it is left as it is");
        survey
            .add(Consequence::warned(Some(moved.number), what).advised("run fsck.exfat, then fix"));
        return;
    }
    let value = le64(&bytes, OFFSET);
    let verdict = Starts::of(survey, moved, sector as u64).judge(value, 64);
    if skip == 0 {
        survey.add_some(stated(name, moved, value, verdict));
    }
    if let HiddenVerdict::Becomes(new) = verdict {
        put(&mut bytes, OFFSET, &new.to_le_bytes());
        survey
            .edits
            .set(at.saturating_add(OFFSET as u64), &new.to_le_bytes());
        let last = at.saturating_add((sector * (SECTORS - 1)) as u64);
        let sum = sum(&bytes, sector).to_le_bytes();
        survey.edits.set(last, &sum.repeat(sector / 4));
    }
}

/// Whether the last sector holds the checksum of the others.
fn sealed(bytes: &[u8], sector: usize) -> bool {
    let last = bytes.get(sector * (SECTORS - 1)..).unwrap_or_default();
    last.len() == sector && le32(last, 0) == sum(bytes, sector)
}

fn sum(bytes: &[u8], sector: usize) -> u32 {
    let summed = bytes.iter().take(sector * (SECTORS - 1)).enumerate();
    summed
        .filter(|(index, _)| !NOT_SUMMED.contains(index))
        .fold(0u32, |sum, (_, byte)| {
            sum.rotate_right(1).wrapping_add(u32::from(*byte))
        })
}
