//! Hyper-V's VHDX: blocks of whole MiB, two headers, and a log through which the block table is written.
//!
//! A commit makes data durable, then an entry of the log, then a header that names the log, then the table,
//! then a header without it. A crash after the second header is what the log is for; it is replayed when the
//! image is opened for writing, and other programs replay it as well.

mod create;
mod header;
mod log;

use std::io;

use ioalign_core::ImageVariant;
use ioalign_inspect::images::Image;

use super::blocks::{Bat, BatEntries, BlockDiskSizes, BlockPlace, BlockTable, entry_at, mounted};
use super::fields::{HeaderFields, guid};
use super::refusal::refused;
use super::store::{Store, damaged, end_of};
use crate::{Disk, Result};
use header::{WritableVhdxHeader, bat_at};

pub use create::create;

const MIB: u64 = 1 << 20;
/// What a log entry restores at once.
const PAGE: usize = 4096;
/// Sectors that one bitmap block covers; a chunk of the table is as many.
const CHUNK_SECTORS: u64 = 1 << 23;
/// The block is there as a whole.
const PRESENT: u64 = 6;
/// An entry's place: all but the lowest 20 bits.
const PLACE: u64 = !(MIB - 1);

struct Vhdx {
    header: WritableVhdxHeader,
    table_at: u64,
    /// Blocks between two entries of bitmaps.
    ratio: u64,
}

impl Vhdx {
    fn slot(&self, index: u64) -> usize {
        let entry = index.saturating_add(index / self.ratio);
        entry_at(entry, 8)
    }
}

impl BatEntries for Vhdx {
    fn place(&self, table: &BlockTable, index: u64) -> io::Result<BlockPlace> {
        let entry = u64::from_le_bytes(table.get(self.slot(index))?);
        match entry & 7 {
            0..=3 | 5 => Ok(BlockPlace::None),
            PRESENT => Ok(BlockPlace::At(entry & PLACE)),
            state => Err(damaged(format!("block {index} is in state {state}"))),
        }
    }

    fn point(
        &mut self,
        _: &mut dyn Store,
        table: &mut BlockTable,
        index: u64,
        at: u64,
    ) -> io::Result<()> {
        table.set(self.slot(index), (at | PRESENT).to_le_bytes())
    }

    fn next(&self, end: u64, block: u64) -> io::Result<(u64, u64)> {
        let at = end_of(end, MIB - 1)? & PLACE;
        Ok((at, end_of(at, block)?))
    }

    /// The file is another one from now on, and so are its data: a child finds that its parent changed.
    fn begin(&mut self, store: &mut dyn Store) -> io::Result<()> {
        self.header.file_write = guid();
        self.header.data_write = guid();
        self.header.write(store)
    }

    fn commit(
        &mut self,
        store: &mut dyn Store,
        table: &mut BlockTable,
        end: u64,
    ) -> io::Result<()> {
        if store.size_bytes() < end {
            store.set_len(end)?;
        }
        store.flush()?;
        if !table.is_dirty() {
            return Ok(());
        }
        let at = self.table_at;
        let pages = table.changed().map(|(page, bytes)| log::VhdxLogPage {
            at: at + (page * PAGE) as u64,
            bytes: bytes.to_vec(),
        });
        let pages: Vec<log::VhdxLogPage> = pages.collect();
        for some in pages.chunks(log::most_pages(self.header.log_bytes)) {
            log::write_through(store, &mut self.header, some)?;
        }
        table.settled();
        Ok(())
    }
}

/// Opens one for writing.
pub fn open(store: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    if image.detail.variant == ImageVariant::Differencing {
        return Err(refused("a VHDX with a parent is not written in place"));
    }
    let sector = image.logical_sector.map_or(512, |sector| sector.get());
    let sizes = BlockDiskSizes {
        disk: image.virtual_size.get(),
        block: image.detail.cluster.map_or(0, |block| block.get()),
        logical: sector,
    };
    mount(store, sizes)
}

/// A sound one as a disk.
pub fn mount(store: Box<dyn Store>, sizes: BlockDiskSizes) -> Result<Box<dyn Disk>> {
    mounted(store, |store| build(store, sizes))
}

fn build(store: &mut dyn Store, sizes: BlockDiskSizes) -> io::Result<Result<Bat<Vhdx>>> {
    let mut header = WritableVhdxHeader::read(store)?;
    if header.log != [0; 16] && !log::replay(store, &mut header)? {
        return Ok(Err(refused(
            "its log has to be replayed first, by Hyper-V or `qemu-img check -r all`",
        )));
    }
    if sizes.block == 0 {
        return Err(damaged("blocks of no bytes"));
    }
    let vhdx = Vhdx {
        header,
        table_at: bat_at(store)?,
        ratio: (CHUNK_SECTORS * sizes.logical / sizes.block).max(1),
    };
    let blocks = sizes.disk.div_ceil(sizes.block);
    let entries = blocks + blocks.saturating_sub(1) / vhdx.ratio;
    let bytes = (entries * 8).next_multiple_of(PAGE as u64);
    let table = BlockTable::read(store, vhdx.table_at, bytes, PAGE)?;
    let length = store.size_bytes();
    let end = length.next_multiple_of(MIB);
    let layout = Bat::new(vhdx, table, sizes, end, length);
    Ok(layout)
}

/// A record without its checksum, and then with it: CRC-32C at byte 4.
fn sign(record: &mut HeaderFields) {
    record.put(4, &[0; 4]);
    let sum = crc(&record.0);
    record.put(4, &sum.to_le_bytes());
}

/// The CRC-32C of a record whose checksum counts as zeros.
fn crc(record: &[u8]) -> u32 {
    let parts = [
        record.get(..4).unwrap_or_default(),
        &[0; 4],
        record.get(8..).unwrap_or_default(),
    ];
    ioalign_inspect::images::vhdx::crc32c::crc32c(&parts)
}
