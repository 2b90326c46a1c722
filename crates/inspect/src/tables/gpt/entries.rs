//! The GPT entry array: read in pieces, checked, and turned into partitions (UEFI 5.3.3).

use ioalign_core::{Bytes, Remark, SectorSize, Severity};

use super::header::Header;
use super::types;
use crate::error::Result;
use crate::tables::Partition;
use crate::view::View;

/// Bytes of the array in memory at a time.
const PIECE: u64 = 64 << 10;
/// Bytes of an entry that are defined.
const DEFINED: usize = 128;

/// A used entry, undecoded.
pub struct Entry {
    /// Counts from 1, as `sda1` does; Solaris slice 8 is entry 9.
    pub number: u32,
    at: u64,
    /// The same in the file.
    offset: u64,
    raw: [u8; DEFINED],
}

/// The array.
pub struct Entries {
    /// CRC-32 of all of it.
    pub crc: u32,
    /// Entries whose type is not zero.
    pub used: Vec<Entry>,
}

impl Entries {
    /// Reads the array of `header`, whose bounds must be possible.
    pub fn read(view: &View, header: &Header) -> Result<Self> {
        let size = u64::from(header.entry_size).max(128);
        let step = PIECE / size * size;
        let mut crc = crc32fast::Hasher::new();
        let mut used = Vec::new();
        let (mut at, end) = (header.array, header.array + header.array_len());
        let mut number = 1;
        while at < end {
            let len = usize::try_from(step.min(end - at)).unwrap_or(0);
            let piece = view.read(at, len)?;
            crc.update(&piece);
            for raw in piece.chunks_exact(usize::try_from(size).unwrap_or(DEFINED)) {
                used.extend(entry(raw, number, at, view.start()));
                number += 1;
                at += size;
            }
        }
        Ok(Self {
            crc: crc.finalize(),
            used,
        })
    }
}

fn entry(raw: &[u8], number: u32, at: u64, start: u64) -> Option<Entry> {
    let (raw, _) = raw.split_first_chunk::<DEFINED>()?;
    let used = raw.first_chunk::<16>() != Some(&[0; 16]);
    used.then_some(Entry {
        number,
        at,
        offset: start.saturating_add(at),
        raw: *raw,
    })
}

impl Entry {
    fn le64(&self, at: usize) -> u64 {
        let field = self.raw.get(at..).and_then(<[u8]>::first_chunk);
        field.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn guid(&self, at: usize) -> String {
        let field = self.raw.get(at..).and_then(<[u8]>::first_chunk);
        field.map_or_else(String::new, guid)
    }

    /// The name: UTF-16LE, up to 36 units, ended by a zero.
    fn label(&self) -> String {
        let units = self.raw.get(56..).unwrap_or_default().chunks_exact(2);
        let units = units
            .filter_map(|unit| unit.first_chunk().map(|b| u16::from_le_bytes(*b)))
            .take_while(|unit| *unit != 0);
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// The partition; an end before the start gives an empty one that says so.
    pub fn partition(&self, sector: SectorSize) -> Partition {
        let (first, last) = (self.le64(32), self.le64(40));
        let type_id = self.guid(0);
        let (type_name, role) = types::known(&type_id);
        let span = span(first, last, sector);
        let (start, size) = span.unwrap_or_default();
        let mut found = Partition {
            number: self.number,
            type_id,
            type_name,
            label: self.label(),
            role,
            start,
            size,
            uuid: self.guid(16),
            active: self.le64(48) & 4 != 0,
            entry_at: Bytes::new(self.at),
            ..Partition::default()
        };
        if span.is_none() {
            let why = format!("Partition {} runs from LBA {first} to {last}.", self.number);
            let remark = Remark::new("gpt-entry-impossible", Severity::Broken, why);
            let at = self.offset.saturating_add(40);
            found.remarks.push(remark.at(at, "ending_lba"));
        }
        found
    }
}

/// Start and size; `None` where the end precedes the start or 64 bits do not hold it.
fn span(first: u64, last: u64, sector: SectorSize) -> Option<(Bytes, Bytes)> {
    let start = sector.checked_bytes(first)?;
    let end = sector.checked_bytes(last.checked_add(1)?)?;
    let size = end.checked_sub(start)?;
    (!size.is_zero()).then_some((start, size))
}

/// A GUID in Microsoft's mixed byte order, in upper case.
pub fn guid(raw: &[u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *raw;
    let (head, mid, low) = (
        u32::from_le_bytes([a, b, c, d]),
        u16::from_le_bytes([e, f]),
        u16::from_le_bytes([g, h]),
    );
    let clock = u16::from_be_bytes([i, j]);
    let node = u64::from_be_bytes([0, 0, k, l, m, n, o, p]);
    format!("{head:08X}-{mid:04X}-{low:04X}-{clock:04X}-{node:012X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_checked() {
        let s = SectorSize::S512;
        let bytes = |a, b| Some((Bytes::new(a), Bytes::new(b)));
        assert_eq!(span(34, 34, s), bytes(17408, 512));
        assert_eq!(span(35, 34, s), None);
        assert_eq!(span(0, u64::MAX, s), None);
        assert_eq!(span(u64::MAX, u64::MAX - 1, s), None);
    }
}
