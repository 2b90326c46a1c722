//! The header and block table of dynamic and differencing VHDs.
//!
//! A table entry is the sector of a block's *bitmap*; the data follow it. With blocks of 2 MiB
//! behind bitmaps of 512 bytes each block lies 512 bytes further off 4 KiB than the one before.

use std::sync::Arc;

use super::footer::{SECTOR, VhdKind, checksum};
use crate::error::{Error, Result};
use crate::images::bitmap::{BitOrder, equal_sectors};
use crate::images::entries::{entry, for_each};
use crate::images::guest::{BlockMap, GuestPiece, GuestSpan};
use crate::images::mapped::{Damage, GuestMapBuilder};
use crate::images::windows;
use crate::source::Source;
use crate::view::{Record, View};

const HEADER_BYTES: usize = 1024;
/// An entry of the table without a block.
const UNUSED: u32 = u32::MAX;
/// Entries between two looks at how much was read.
const PIECE_ENTRIES: u64 = 1 << 14;
/// Bytes of a parent locator that are read: a path.
const MOST_NAME_BYTES: usize = 4096;

/// The table of a dynamic disk. All numbers are bytes unless they say otherwise.
#[derive(Clone)]
pub(super) struct VhdBlockTable {
    view: View,
    /// Whether bitmaps decide between this file and the parent.
    differencing: bool,
    /// Guest bytes.
    size: u64,
    /// The place of the table.
    table: u64,
    /// Bytes a block.
    pub(super) block: u64,
    /// Bytes of bitmap before each block.
    pub(super) bitmap: u64,
    /// First byte past footer copy, header and table where they lie at the start as usual.
    metadata_end: u64,
}

/// Further fields of the dynamic header.
pub(super) struct VhdHeader {
    /// The table.
    pub(super) blocks: VhdBlockTable,
    /// Id of the parent.
    pub(super) parent_id: String,
    /// Names of the parent, the most telling first.
    pub(super) names: Vec<String>,
    /// Whether its checksum holds.
    pub(super) sound: bool,
}

impl VhdHeader {
    /// Reads the header at byte `at`.
    pub(super) fn read(
        source: &Arc<dyn Source>,
        at: u64,
        kind: VhdKind,
        size: u64,
    ) -> Result<Self> {
        let view = View::new(Arc::clone(source));
        let record = view
            .record(at, HEADER_BYTES)
            .map_err(|error| error.field("data offset"))?;
        if !record.has(0, b"cxsparse") {
            return Err(record.bad(
                0,
                "cookie",
                "The dynamic header does not begin with cxsparse",
            ));
        }
        let differencing = kind == VhdKind::Differencing;
        let blocks = VhdBlockTable::new(&view, &record, differencing, size)?;
        let names = if differencing {
            names(&view, &record)
        } else {
            Vec::new()
        };
        Ok(Self {
            blocks,
            parent_id: record.uuid(40),
            names,
            sound: checksum(record.bytes(), 36) == record.be32(36),
        })
    }
}

impl VhdBlockTable {
    fn new(view: &View, record: &Record, differencing: bool, size: u64) -> Result<Self> {
        let block = u64::from(record.be32(32));
        if !block.is_power_of_two() || block < SECTOR {
            let what = format!("Blocks of {block} bytes; a power of two from 512 on is needed");
            return Err(record.bad(32, "block size", what));
        }
        let entries = u64::from(record.be32(28));
        let needed = size.div_ceil(block);
        if entries < needed {
            let what = format!("{entries} table entries for a disk of {needed} blocks");
            return Err(record.bad(28, "max table entries", what));
        }
        let table = record.be64(16);
        let end = table.checked_add(needed * 4);
        if end.is_none_or(|end| end > view.len()) {
            let what = format!(
                "A table of {needed} entries at byte {table} ends past the file's {} bytes",
                view.len()
            );
            return Err(record.bad(16, "table offset", what));
        }
        Ok(Self {
            view: view.clone(),
            differencing,
            size,
            table,
            block,
            bitmap: (block / SECTOR).div_ceil(8).next_multiple_of(SECTOR),
            metadata_end: end.unwrap_or(0),
        })
    }

    /// Adds all blocks to `map`, whole: what a bitmap leaves to the parent is where the child's
    /// data will go when they are written. False when not one entry is usable.
    pub(super) fn walk(&self, map: &mut GuestMapBuilder, damage: &mut Damage) -> Result<bool> {
        let (mut usable, mut done) = (false, 0);
        while done < self.count() && map.may_read(PIECE_ENTRIES * 4) {
            let part = PIECE_ENTRIES.min(self.count() - done);
            for_each(&self.view, self.table + done * 4, part, |index, raw| {
                let index = done + index;
                match self.place(index, u32::from_be_bytes(raw)) {
                    Ok(None) => {}
                    Ok(Some(at)) => {
                        let start = index * self.block;
                        map.push(start, at + self.bitmap, self.block.min(self.size - start));
                        usable = true;
                    }
                    Err(error) => damage.add(|| error),
                }
                Ok(())
            })?;
            done += part;
        }
        Ok(usable || done < self.count())
    }

    /// Blocks of the disk.
    pub(super) const fn count(&self) -> u64 {
        self.size.div_ceil(self.block)
    }

    /// The place of the bitmap of block `index`; the block after it must lie in the file.
    fn place(&self, index: u64, raw: u32) -> Result<Option<u64>> {
        if raw == UNUSED {
            return Ok(None);
        }
        let at = u64::from(raw) * SECTOR;
        let start = index * self.block;
        let len = self.bitmap + self.block.min(self.size.saturating_sub(start));
        let in_metadata = at < self.metadata_end && at + len > self.table;
        if at == 0 || in_metadata || at + len > self.view.len() {
            return Err(self.bad_entry(index, raw, len));
        }
        Ok(Some(at))
    }

    #[cold]
    fn bad_entry(&self, index: u64, raw: u32, len: u64) -> Error {
        let what = format!(
            "Block {index} should be {len} bytes at sector {raw}: not within the data area of the \
             file of {} bytes",
            self.view.len()
        );
        let at = self.table.saturating_add(index * 4);
        self.view.malformed(at, what).field("block table entry")
    }
}

impl BlockMap for VhdBlockTable {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        let (index, within) = (address / self.block, address % self.block);
        let room = self.block - within;
        let raw = u32::from_be_bytes(entry(&self.view, self.table, index)?);
        let Some(at) = self.place(index, raw)? else {
            let piece = GuestPiece::Below;
            return Ok(GuestSpan { piece, room });
        };
        let stored = GuestPiece::Stored {
            file: 0,
            at: at + self.bitmap + within,
        };
        if !self.differencing {
            // As QEMU: a dynamic disk's bitmap is not asked, unwritten sectors are zeros anyway.
            return Ok(GuestSpan {
                piece: stored,
                room,
            });
        }
        let (sector, past) = (within / SECTOR, within % SECTOR);
        let most = room.div_ceil(SECTOR).max(1);
        let (mine, sectors) = equal_sectors(&self.view, at, sector, most, BitOrder::Highest)?;
        Ok(GuestSpan {
            piece: if mine { stored } else { GuestPiece::Below },
            room: room.min(sectors * SECTOR - past),
        })
    }
}

/// The parent's names: relative for Windows, absolute for Windows, a URL for Macintosh, and the
/// plain name of the header.
fn names(view: &View, record: &Record) -> Vec<String> {
    let mut out = Vec::new();
    for code in [b"W2ru", b"W2ku", b"MacX"] {
        for i in 0..8 {
            let at = 576 + i * 24;
            if record.has(at, code) {
                out.extend(locator(view, record, at, code));
            }
        }
    }
    out.push(windows::utf16(record.slice(64, 512), u16::from_be_bytes));
    out.retain(|name| !name.is_empty());
    out
}

fn locator(view: &View, record: &Record, at: usize, code: &[u8]) -> Option<String> {
    let len = usize::try_from(record.be32(at + 8)).ok()?;
    let bytes = view
        .read(record.be64(at + 16), len.min(MOST_NAME_BYTES))
        .ok()?;
    Some(if code == b"MacX" {
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end)?).into_owned()
    } else {
        windows::utf16(&bytes, u16::from_le_bytes)
    })
}
