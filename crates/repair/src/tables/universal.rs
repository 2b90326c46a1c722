//! Two GPTs on one disk: one that counts in blocks of 512 bytes, one in blocks of 4096.
//!
//! A system reads the header in its own second block, so both have a place of their own: byte 512 and byte 4096. The
//! entries of the smaller, which usually lie over byte 4096, go behind those of the larger. At the end each header
//! is in the last block of its size (UEFI 5.3.1). On a disk of whole large blocks the smaller header is the end of
//! the larger one's block, behind the bytes that the header's checksum covers:
//!
//! ```text
//! 0    512      4096     8 KiB         24 KiB     40 KiB               -36 KiB    -20 KiB        -4 KiB  -512
//! MBR  header   header   entries       entries    partitions …         entries    entries        header  header
//!      of 512   of 4096  of 4096       of 512                          of 512     of 4096        of 4096 of 512
//! ```

use std::ops::Range;

use ioalign_core::on_disk::bytes::put;
use ioalign_core::on_disk::{BOOT_RECORD_BYTES, GptHeader};

use super::gpt::GptCopy;
use super::remake::{Ground, RemadeTable};
use super::{Gpt, PartitionSlot, TableSectors, refused};
use crate::Result;

/// The two blocks.
pub const SMALL: u64 = 512;
/// The larger one.
pub const LARGE: u64 = 4096;

/// The room that UEFI 5.3.1 asks for the entries at least.
const LEAST_ARRAY: u64 = 16384;

/// What the protective entry covers where one number has to be right in both blocks: as far as it counts.
const ALL: u32 = u32::MAX;

/// Where both tables lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TwinPlaces {
    /// Bytes of the disk.
    size: u64,
    /// Room for the entries of one copy.
    array: u64,
}

impl TwinPlaces {
    /// On a disk of this size; refused where nothing would be left between the copies.
    fn on(size: u64, header: &GptHeader) -> Result<Self> {
        let array = header.array_bytes().max(LEAST_ARRAY);
        let array = array.next_multiple_of(LARGE);
        let places = Self { size, array };
        let least = places.first() + 2 * array + 2 * LARGE;
        if size < least {
            return Err(refused(format!(
                "a disk of {size} bytes has no room for two GPTs: they take {least}"
            )));
        }
        Ok(places)
    }

    /// The first byte behind both primaries.
    const fn first(self) -> u64 {
        2 * LARGE + 2 * self.array
    }

    /// The first byte of both backups.
    const fn end(self) -> u64 {
        self.last(LARGE) - 2 * self.array
    }

    /// The last block of a size.
    const fn last(self, unit: u64) -> u64 {
        self.size / unit * unit - unit
    }

    /// Where the entries of both copies are.
    const fn arrays(self, unit: u64) -> (u64, u64) {
        match unit {
            LARGE => (2 * LARGE, self.last(LARGE) - self.array),
            _ => (2 * LARGE + self.array, self.end()),
        }
    }

    /// All of both primaries, and all of both backups.
    fn areas(self) -> [Range<u64>; 2] {
        let end = self.last(LARGE) + LARGE;
        let end = end.max(self.last(SMALL) + SMALL);
        [0..self.first(), self.end()..end]
    }
}

impl Gpt {
    /// What may be used beside both tables.
    pub(super) fn usable_by_both(&self, size: u64) -> Result<(u64, u64)> {
        let header = &self.primary.header;
        let places = TwinPlaces::on(size, header)?;
        let old = header.first_usable.saturating_mul(self.unit);
        let first = old.next_multiple_of(LARGE).max(places.first());
        if first >= places.end() {
            return Err(refused(format!(
                "a disk of {size} bytes has no room behind byte {first}, where its GPT lets partitions begin"
            )));
        }
        Ok((first, places.end()))
    }

    /// Both tables, the backups first: while they are written the primary is whole, and the other way about.
    pub(super) fn for_both(&self, ground: Ground, slots: &[PartitionSlot]) -> Result<RemadeTable> {
        let places = TwinPlaces::on(ground.size, &self.primary.header)?;
        let usable = self.usable_by_both(ground.size)?;
        let [front, back] = places.areas();
        let length = |area: &Range<u64>| usize::try_from(area.end - area.start).unwrap_or(0);
        let mut primary = vec![0; length(&front)];
        let mut backup = vec![0; length(&back)];
        put(&mut primary, 0, &self.boot_sector(ground, Some(ALL)));
        // The larger first: the smaller backup header lies in its block.
        for unit in [LARGE, SMALL] {
            let [first, second] = self.copies_for(unit, places, usable, slots)?;
            lay(&mut primary, front.start, &first);
            lay(&mut backup, back.start, &second);
        }
        let group = |at: u64, bytes: Vec<u8>| vec![TableSectors { at, bytes }];
        Ok(RemadeTable {
            groups: vec![group(back.start, backup), group(front.start, primary)],
            stale: self.places(),
        })
    }

    /// Primary and backup in one of the two blocks.
    fn copies_for(
        &self,
        unit: u64,
        places: TwinPlaces,
        (first, end): (u64, u64),
        slots: &[PartitionSlot],
    ) -> Result<[Vec<TableSectors>; 2]> {
        let (array, backup_array) = places.arrays(unit);
        let header = GptHeader {
            own: 1,
            alternate: places.last(unit) / unit,
            first_usable: first / unit,
            last_usable: end / unit - 1,
            array: array / unit,
            ..self.primary.header
        };
        let mirrored = GptHeader {
            own: header.alternate,
            alternate: 1,
            array: backup_array / unit,
            ..header
        };
        let mut entries = self.primary.entries.clone();
        for slot in slots {
            self.place_in(unit, &mut entries, slot)?;
        }
        entries.truncate(usize::try_from(header.array_bytes()).unwrap_or(0));
        let copy = self.bare_copy()?;
        Ok([header, mirrored].map(|header| copy.written(header, &entries, unit)))
    }

    /// The header in the smaller block, and nothing behind it.
    fn bare_copy(&self) -> Result<GptCopy> {
        let mut copy = self.primary.clone();
        if u64::from(copy.header.length) > SMALL {
            return Err(refused(format!(
                "the GPT header has {} bytes, and a block of {SMALL} holds no more than that",
                copy.header.length
            )));
        }
        copy.block.truncate(BOOT_RECORD_BYTES);
        Ok(copy)
    }
}

/// Writes sectors into an area that begins at `start`.
fn lay(area: &mut [u8], start: u64, sectors: &[TableSectors]) {
    for one in sectors {
        let at = usize::try_from(one.at.saturating_sub(start)).unwrap_or(usize::MAX);
        put(area, at, &one.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every part has a place of its own but the smaller backup header, whose place is the rest of the larger's block.
    #[test]
    fn nothing_lies_over_another() {
        let header = GptHeader::read(b"EFI PART").map(|header| GptHeader {
            count: 128,
            entry_bytes: 128,
            ..header
        });
        for more in (0..=4096).step_by(512) {
            let places = TwinPlaces::on((1 << 20) + more, &header.unwrap()).unwrap();
            let mut parts = vec![
                0..512,
                512..604,
                LARGE..LARGE + 92,
                places.first()..places.end(),
            ];
            for unit in [SMALL, LARGE] {
                let (first, second) = places.arrays(unit);
                parts.extend([first, second].map(|at| at..at + places.array));
                parts.push(places.last(unit)..places.last(unit) + 92);
                assert!(first % LARGE == 0 && second % LARGE == 0);
                assert!(places.last(unit) + 2 * unit > places.size);
            }
            parts.sort_by_key(|part| part.start);
            assert!(parts.is_sorted_by(|a, b| a.end <= b.start), "{parts:?}");
            assert!(parts.last().is_some_and(|part| part.end <= places.size));
        }
        assert!(TwinPlaces::on(80 << 10, &header.unwrap()).is_ok());
        assert!(TwinPlaces::on((80 << 10) - 512, &header.unwrap()).is_err());
    }
}
