//! The GPT entry array: read in pieces, checked, and turned into partitions (UEFI 5.3.3).

use ioalign_core::{Bytes, Remark, SectorSize, Severity};
use ioalign_core::{
    on_disk::{GPT_ENTRY_BYTES, GptEntry},
    rules,
};

use super::header::LocatedHeader;
use super::types;
use crate::error::Result;
use crate::tables::Partition;
use crate::view::View;

/// Bytes of the array in memory at a time.
const PIECE: u64 = 64 << 10;

/// A used entry.
pub struct NumberedEntry {
    /// Counts from 1, as `sda1` does; Solaris slice 8 is entry 9.
    pub number: u32,
    at: u64,
    /// The same in the file.
    offset: u64,
    fields: GptEntry,
}

/// The array.
pub struct GptEntries {
    /// CRC-32 of all of it.
    pub crc: u32,
    /// Entries whose type is not zero.
    pub used: Vec<NumberedEntry>,
}

impl GptEntries {
    /// Reads the array of `header`, whose bounds must be possible.
    pub fn read(view: &View, header: &LocatedHeader) -> Result<Self> {
        let size = u64::from(header.fields.entry_bytes).max(GPT_ENTRY_BYTES as u64);
        let step = PIECE / size * size;
        let mut crc = crc32fast::Hasher::new();
        let mut used = Vec::new();
        let (mut at, end) = (header.array, header.array + header.array_len());
        let mut number = 1;
        while at < end {
            let len = usize::try_from(step.min(end - at)).unwrap_or(0);
            let piece = view.read(at, len)?;
            crc.update(&piece);
            for raw in piece.chunks_exact(usize::try_from(size).unwrap_or(GPT_ENTRY_BYTES)) {
                used.extend(GptEntry::read(raw).map(|fields| NumberedEntry {
                    number,
                    at,
                    offset: view.start().saturating_add(at),
                    fields,
                }));
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

impl NumberedEntry {
    /// The partition; an end before the start gives an empty one that says so.
    pub fn partition(&self, sector: SectorSize) -> Partition {
        let GptEntry { first, last, .. } = self.fields;
        let type_id = guid(&self.fields.kind);
        let (type_name, role) = types::known(&type_id);
        let span = span(first, last, sector);
        let (start, size) = span.unwrap_or_default();
        let mut found = Partition {
            number: self.number,
            type_id,
            type_name,
            label: self.fields.label(),
            role,
            start,
            size,
            uuid: guid(&self.fields.id),
            active: self.fields.attributes & 4 != 0,
            entry_at: Bytes::new(self.at),
            ..Partition::default()
        };
        if span.is_none() {
            let why = format!("Partition {} runs from LBA {first} to {last}.", self.number);
            let remark =
                Remark::new(rules::GPT_ENTRY_IMPOSSIBLE, Severity::Broken, why).malformed();
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
