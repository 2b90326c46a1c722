//! Microsoft's dynamic VHD: a table of sectors, before each block a bitmap of its sectors.
//!
//! The footer lies behind the last block and is overwritten by the next one; a new one is durable before the
//! table leads to that block. Should power go between, the copy at the start is what readers use: that is
//! what it is for.
//!
//! New blocks are placed so that their data, and not their bitmaps, lie on 4 KiB.

mod create;

use std::io;

use ioalign_inspect::images::Image;

use super::blocks::{Bat, BatEntries, BlockDiskSizes, BlockPlace, BlockTable, entry_at, mounted};
use super::fields::{HeaderFields, narrow};
use super::refusal::refused;
use super::store::{Store, damaged, end_of};
use crate::{Disk, Result};

pub use create::create;

const SECTOR: u64 = 512;
const FOOTER_BYTES: usize = 512;
const HEADER_BYTES: usize = 1024;
/// The grid for new data.
const GRID: u64 = 4096;
const FREE: u32 = u32::MAX;

struct Vhd {
    footer: Vec<u8>,
    table_at: u64,
    bitmap: u64,
    /// Blocks whose bitmap is known to be all ones.
    marked: Vec<bool>,
    /// Bitmaps that are to be: their places.
    marks: Vec<u64>,
    /// The place of the footer.
    footer_at: u64,
}

impl Vhd {
    fn ones(&self) -> Vec<u8> {
        vec![0xFF; usize::try_from(self.bitmap).unwrap_or(FOOTER_BYTES)]
    }

    fn mark(&mut self, index: u64) {
        let marked = usize::try_from(index).ok();
        if let Some(marked) = marked.and_then(|index| self.marked.get_mut(index)) {
            *marked = true;
        }
    }
}

impl BatEntries for Vhd {
    fn place(&self, table: &BlockTable, index: u64) -> io::Result<BlockPlace> {
        Ok(match u32::from_be_bytes(table.get(entry_at(index, 4))?) {
            FREE => BlockPlace::None,
            sector => BlockPlace::At(u64::from(sector) * SECTOR + self.bitmap),
        })
    }

    fn point(
        &mut self,
        store: &mut dyn Store,
        table: &mut BlockTable,
        index: u64,
        at: u64,
    ) -> io::Result<()> {
        let sector = (at - self.bitmap) / SECTOR;
        if sector >= u64::from(FREE) {
            return Err(damaged("a VHD ends at 2 TiB"));
        }
        store.put(at - self.bitmap, &self.ones())?;
        self.mark(index);
        table.set(entry_at(index, 4), narrow(sector, "a block")?.to_be_bytes())
    }

    fn next(&self, end: u64, block: u64) -> io::Result<(u64, u64)> {
        let at = end_of(end, self.bitmap)?.next_multiple_of(GRID);
        Ok((at, end_of(at, block)?))
    }

    fn is_plain(&self, index: u64) -> bool {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.marked.get(index).copied().unwrap_or(true)
    }

    /// Sectors without a bit are zeros to some readers.
    fn rewrite(&mut self, store: &mut dyn Store, index: u64, at: u64) -> io::Result<()> {
        let mut bitmap = self.ones();
        store.get(at - self.bitmap, &mut bitmap)?;
        if bitmap.iter().any(|byte| *byte != 0xFF) {
            self.marks.push(at - self.bitmap);
        }
        self.mark(index);
        Ok(())
    }

    fn commit(
        &mut self,
        store: &mut dyn Store,
        table: &mut BlockTable,
        end: u64,
    ) -> io::Result<()> {
        if end != self.footer_at {
            store.put(end, &self.footer)?;
            self.footer_at = end;
        }
        store.flush()?;
        if !table.is_dirty() && self.marks.is_empty() {
            return Ok(());
        }
        for at in &self.marks {
            store.put(*at, &self.ones())?;
        }
        table.write(store, self.table_at)?;
        store.flush()?;
        self.marks.clear();
        table.settled();
        Ok(())
    }
}

/// One's complement of the sum of all bytes but the checksum itself.
fn checksum(bytes: &[u8], at: usize) -> u32 {
    let sum = |part: &[u8]| {
        part.iter()
            .fold(0_u32, |sum, byte| sum.wrapping_add((*byte).into()))
    };
    let own = bytes.get(at..at + 4).unwrap_or_default();
    !sum(bytes).wrapping_sub(sum(own))
}

/// Opens one for writing.
pub fn open(store: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    mount(store, image.virtual_size.get())
}

/// A sound one as a disk.
pub fn mount(store: Box<dyn Store>, size: u64) -> Result<Box<dyn Disk>> {
    mounted(store, |store| build(store, size))
}

fn build(store: &mut dyn Store, size: u64) -> io::Result<Result<Bat<Vhd>>> {
    let footer = HeaderFields::read(store, 0, FOOTER_BYTES)?;
    if !footer.0.starts_with(b"conectix") || checksum(&footer.0, 64) != footer.be32(64) {
        return Ok(Err(refused(
            "the copy of the footer at the start is damaged",
        )));
    }
    let header = HeaderFields::read(store, footer.be64(16), HEADER_BYTES)?;
    let block = u64::from(header.be32(32)).max(SECTOR);
    let count = size.div_ceil(block);
    let length = store.size_bytes();
    let footer_at = length.saturating_sub(FOOTER_BYTES as u64);
    let last = HeaderFields::read(store, footer_at, FOOTER_BYTES)?;
    let whole = last.0.starts_with(b"conectix") && footer_at.is_multiple_of(SECTOR);
    let end = if whole {
        footer_at
    } else {
        length.next_multiple_of(SECTOR)
    };
    let vhd = Vhd {
        footer: footer.0,
        table_at: header.be64(16),
        bitmap: (block / SECTOR).div_ceil(8).next_multiple_of(SECTOR),
        marked: vec![false; super::store::length(count)?],
        marks: Vec::new(),
        footer_at: if whole { footer_at } else { 0 },
    };
    let table = BlockTable::read(store, vhd.table_at, count * 4, 512)?;
    let sizes = BlockDiskSizes {
        disk: size,
        block,
        logical: SECTOR,
    };
    Ok(Bat::new(vhd, table, sizes, end, length))
}
