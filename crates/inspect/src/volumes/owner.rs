//! Whose superblock is it that lies near the end: the disk's, or its last partition's?
//!
//! md 0.90 and DRBD do not store where they lie. Seen from the disk, the metadata of a last
//! partition may stand where the disk's own would. A partition that covers it owns it.

use ioalign_core::on_disk::{
    DosEntry, GPT_ENTRY_BYTES, GPT_HEADER_BYTES, GptEntry, GptHeader, PROTECTIVE, is_boot_record,
};

use crate::error::Result;
use crate::view::View;

/// Entries of a GPT that are looked at: the 128 of the specification, twice.
const MOST_ENTRIES: u32 = 256;
/// Largest entry that is read; 128 is what everyone writes.
const MOST_ENTRY: u32 = 4096;

/// Whether a partition table at the front of `view` has a partition over byte `at`.
pub(super) fn in_partition(view: &View, at: u64) -> Result<bool> {
    let Some(sector) = view.try_record(0, 512)? else {
        return Ok(false);
    };
    if !is_boot_record(sector.bytes()) {
        return Ok(false);
    }
    if let Some(covered) = in_gpt(view, at, 512)? {
        return Ok(covered);
    }
    if let Some(covered) = in_gpt(view, at, 4096)? {
        return Ok(covered);
    }
    let entries = DosEntry::all(sector.bytes());
    Ok(entries.iter().any(|entry| mbr_covers(entry, at)))
}

/// One entry of an MBR; the protective type covers everything and owns nothing.
fn mbr_covers(entry: &DosEntry, at: u64) -> bool {
    let is_entry = matches!(entry.flags, 0 | 0x80) && !matches!(entry.kind, 0 | PROTECTIVE);
    let start = u64::from(entry.start) * 512;
    is_entry && start > 0 && (start..entry.end() * 512).contains(&at)
}

/// `None` when there is no GPT for sectors of this size.
fn in_gpt(view: &View, at: u64, sector: u64) -> Result<Option<bool>> {
    let Some(record) = view.try_record(sector, GPT_HEADER_BYTES)? else {
        return Ok(None);
    };
    let Some(header) = GptHeader::read(record.bytes()) else {
        return Ok(None);
    };
    let size = header.entry_bytes;
    if !(128..=MOST_ENTRY).contains(&size) {
        return Ok(Some(false));
    }
    let table = header.array.saturating_mul(sector);
    for index in 0..header.count.min(MOST_ENTRIES) {
        let entry = table.saturating_add(u64::from(index) * u64::from(size));
        if gpt_covers(view, entry, at, sector)? {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

fn gpt_covers(view: &View, entry: u64, at: u64, sector: u64) -> Result<bool> {
    let record = view.try_record(entry, GPT_ENTRY_BYTES)?;
    let entry = record.and_then(|record| GptEntry::read(record.bytes()));
    Ok(entry.is_some_and(|entry| {
        let start = entry.first.saturating_mul(sector);
        let end = entry.last.saturating_add(1).saturating_mul(sector);
        (start..end).contains(&at)
    }))
}
