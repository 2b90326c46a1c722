//! Whose superblock is it that lies near the end: the disk's, or its last partition's?
//!
//! md 0.90 and DRBD do not store where they lie. Seen from the disk, the metadata of a last
//! partition may stand where the disk's own would. A partition that covers it owns it.

use crate::error::Result;
use crate::view::{Record, View};

/// Entries of a GPT that are looked at: the 128 of the specification, twice.
const MOST_ENTRIES: u32 = 256;
/// Largest entry that is read; 128 is what everyone writes.
const MOST_ENTRY: u32 = 4096;

/// Whether a partition table at the front of `view` has a partition over byte `at`.
pub(super) fn in_partition(view: &View, at: u64) -> Result<bool> {
    let Some(sector) = view.try_record(0, 512)? else {
        return Ok(false);
    };
    if !sector.has(510, &[0x55, 0xaa]) {
        return Ok(false);
    }
    if let Some(covered) = in_gpt(view, at, 512)? {
        return Ok(covered);
    }
    if let Some(covered) = in_gpt(view, at, 4096)? {
        return Ok(covered);
    }
    Ok((0..4).any(|index| mbr_covers(&sector, 446 + 16 * index, at)))
}

/// One entry of an MBR; the protective type covers everything and owns nothing.
fn mbr_covers(sector: &Record, entry: usize, at: u64) -> bool {
    let boot = sector.u8(entry);
    if !matches!(boot, 0 | 0x80) || matches!(sector.u8(entry + 4), 0 | 0xee) {
        return false;
    }
    let start = u64::from(sector.le32(entry + 8)) * 512;
    let end = start + u64::from(sector.le32(entry + 12)) * 512;
    start > 0 && (start..end).contains(&at)
}

/// `None` when there is no GPT for sectors of this size.
fn in_gpt(view: &View, at: u64, sector: u64) -> Result<Option<bool>> {
    let Some(header) = view.try_record(sector, 92)? else {
        return Ok(None);
    };
    if !header.has(0, b"EFI PART") {
        return Ok(None);
    }
    let (count, size) = (header.le32(80).min(MOST_ENTRIES), header.le32(84));
    if !(128..=MOST_ENTRY).contains(&size) {
        return Ok(Some(false));
    }
    let table = header.le64(72).saturating_mul(sector);
    for index in 0..count {
        let entry = table.saturating_add(u64::from(index) * u64::from(size));
        if gpt_covers(view, entry, at, sector)? {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

fn gpt_covers(view: &View, entry: u64, at: u64, sector: u64) -> Result<bool> {
    let Some(entry) = view.try_record(entry, 48)? else {
        return Ok(false);
    };
    let used = entry.slice(0, 16).iter().any(|byte| *byte != 0);
    let start = entry.le64(32).saturating_mul(sector);
    let end = entry.le64(40).saturating_add(1).saturating_mul(sector);
    Ok(used && (start..end).contains(&at))
}
