//! The block allocation table of a VHDX. \[MS-VHDX\] 2.5.
//!
//! Payload entries stand in chunks; after each chunk stands the entry of the bitmap that says,
//! for a differencing disk, which sectors of that chunk are in this file.

use super::header::{MIB, Regions};
use super::metadata::VhdxMetadata;
use crate::error::{Error, Result};
use crate::images::bitmap::{BitOrder, equal_sectors};
use crate::images::entries::{entry, for_each_used};
use crate::images::guest::{BlockMap, GuestPiece, GuestSpan};
use crate::images::mapped::{Damage, GuestMapBuilder};
use crate::view::View;

/// Sectors that one bitmap block of 1 MiB covers.
const CHUNK_SECTORS: u64 = 1 << 23;
const ENTRY_BYTES: u64 = 8;
/// Entries between two looks at how much was read.
const PIECE_ENTRIES: u64 = 1 << 13;
/// Entry states.
const FULLY_PRESENT: u64 = 6;
const PARTIALLY_PRESENT: u64 = 7;

/// The table. All numbers are bytes unless they say otherwise.
#[derive(Clone)]
pub(super) struct VhdxBlockTable {
    view: View,
    table: u64,
    size: u64,
    block: u64,
    sector: u64,
    /// Payload blocks a chunk.
    ratio: u64,
    has_parent: bool,
}

/// The contents of an entry.
enum VhdxBlockState {
    Below,
    Zero,
    At(u64),
    /// Data at the byte, and a bitmap that says which sectors count.
    Partly(u64),
}

impl VhdxBlockTable {
    /// Checks that the table is as long as the disk needs.
    pub(super) fn new(view: &View, regions: &Regions, metadata: &VhdxMetadata) -> Result<Self> {
        let ratio = CHUNK_SECTORS * metadata.logical_sector / metadata.block;
        let out = Self {
            view: view.clone(),
            table: regions.bat.at,
            size: metadata.size,
            block: metadata.block,
            sector: metadata.logical_sector,
            ratio: ratio.max(1),
            has_parent: metadata.has_parent,
        };
        let needed = out.entries() * ENTRY_BYTES;
        if needed > regions.bat.len {
            let what = format!(
                "The block allocation table has {} bytes, the disk needs {needed}",
                regions.bat.len
            );
            return Err(view.malformed(regions.bat.at, what).field("BAT region"));
        }
        Ok(out)
    }

    /// Entries of the table, bitmaps' among them.
    pub(super) const fn entries(&self) -> u64 {
        let blocks = self.size.div_ceil(self.block);
        if self.has_parent {
            return blocks.div_ceil(self.ratio) * (self.ratio + 1);
        }
        blocks + blocks.saturating_sub(1) / self.ratio
    }

    /// Adds all payload blocks to `map`; partly present ones whole, as where the child's data
    /// will go. False when not one entry is usable.
    pub(super) fn walk(&self, map: &mut GuestMapBuilder, damage: &mut Damage) -> Result<bool> {
        let (mut usable, mut done) = (false, 0);
        let count = self.entries();
        while done < count && map.may_read(PIECE_ENTRIES * ENTRY_BYTES) {
            let part = PIECE_ENTRIES.min(count - done);
            let at = self.table + done * ENTRY_BYTES;
            for_each_used(&self.view, at, part, |index, raw| {
                match self.add(done + index, u64::from_le_bytes(raw), map) {
                    Ok(found) => usable |= found,
                    Err(error) => damage.add(|| error),
                }
                Ok(())
            })?;
            done += part;
        }
        Ok(usable || done < count)
    }

    /// Adds the block of one entry; whether it says anything.
    fn add(&self, slot: u64, raw: u64, map: &mut GuestMapBuilder) -> Result<bool> {
        let (chunk, past) = (slot / (self.ratio + 1), slot % (self.ratio + 1));
        let start = (chunk * self.ratio + past).saturating_mul(self.block);
        if past == self.ratio || start >= self.size {
            return Ok(false);
        }
        match self.state(slot, raw)? {
            VhdxBlockState::Below => return Ok(false),
            VhdxBlockState::Zero => {}
            VhdxBlockState::At(at) | VhdxBlockState::Partly(at) => {
                map.push(start, at, self.block.min(self.size - start));
            }
        }
        Ok(true)
    }

    /// The state of a payload block.
    fn state(&self, slot: u64, raw: u64) -> Result<VhdxBlockState> {
        let at = (raw >> 20).saturating_mul(MIB);
        match raw & 7 {
            0 => Ok(VhdxBlockState::Below),
            // Undefined, zero, unmapped (3; 5 in drafts of the format): no data of the parent.
            1 | 2 | 3 | 5 => Ok(VhdxBlockState::Zero),
            FULLY_PRESENT if self.inside(at, self.block) => Ok(VhdxBlockState::At(at)),
            PARTIALLY_PRESENT if self.has_parent && self.inside(at, self.block) => {
                Ok(VhdxBlockState::Partly(at))
            }
            _ => Err(self.bad_entry(slot, raw)),
        }
    }

    fn inside(&self, at: u64, len: u64) -> bool {
        at >= MIB
            && at
                .checked_add(len)
                .is_some_and(|end| end <= self.view.len())
    }

    #[cold]
    fn bad_entry(&self, slot: u64, raw: u64) -> Error {
        let what = format!(
            "Entry {slot} of the block allocation table is {raw:#x}: state {} at MiB {} is not \
             possible in this file of {} bytes",
            raw & 7,
            raw >> 20,
            self.view.len()
        );
        let at = self.table.saturating_add(slot * ENTRY_BYTES);
        self.view.malformed(at, what).field("BAT entry")
    }

    /// The place of the bitmap of the chunk.
    fn bitmap(&self, chunk: u64) -> Result<u64> {
        let slot = (chunk + 1) * self.ratio + chunk;
        let raw = u64::from_le_bytes(entry(&self.view, self.table, slot)?);
        let at = (raw >> 20).saturating_mul(MIB);
        if raw & 7 == FULLY_PRESENT && self.inside(at, MIB) {
            return Ok(at);
        }
        Err(self.bad_entry(slot, raw))
    }

    /// A stretch of a partly present block whose sectors are all here or all in the parent.
    fn part(&self, at: u64, block: u64, within: u64) -> Result<GuestSpan> {
        let chunk = block / self.ratio;
        let bitmap = self.bitmap(chunk)?;
        let first = block % self.ratio * (self.block / self.sector);
        let (sector, past) = (within / self.sector, within % self.sector);
        let most = (self.block - within).div_ceil(self.sector);
        let (mine, sectors) =
            equal_sectors(&self.view, bitmap, first + sector, most, BitOrder::Lowest)?;
        let stored = GuestPiece::Stored {
            file: 0,
            at: at + within,
        };
        Ok(GuestSpan {
            piece: if mine { stored } else { GuestPiece::Below },
            room: (sectors * self.sector - past).min(self.block - within),
        })
    }
}

impl BlockMap for VhdxBlockTable {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        let (block, within) = (address / self.block, address % self.block);
        let slot = block + block / self.ratio;
        let raw = u64::from_le_bytes(entry(&self.view, self.table, slot)?);
        let piece = match self.state(slot, raw)? {
            VhdxBlockState::Below => GuestPiece::Below,
            VhdxBlockState::Zero => GuestPiece::Zero,
            VhdxBlockState::At(at) => GuestPiece::Stored {
                file: 0,
                at: at + within,
            },
            VhdxBlockState::Partly(at) => return self.part(at, block, within),
        };
        let room = self.block - within;
        Ok(GuestSpan { piece, room })
    }
}
