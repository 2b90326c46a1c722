//! VirtualBox's VDI: a header, one table of block numbers, blocks of 1 MiB.

use std::io;

use ioalign_core::layer::detail::ImageHeader;
use ioalign_inspect::images::Image;

use super::blocks::{Bat, BatEntries, BlockDiskSizes, BlockPlace, BlockTable, entry_at, mounted};
use super::fields::{HeaderFields, guid, narrow};
use super::refusal::refused;
use super::store::{Store, damaged, end_of};
use crate::{Disk, Result};

const HEADER_BYTES: usize = 512;
const BLOCK: u64 = 1 << 20;
/// The place of the count of allocated blocks.
const COUNT_AT: u64 = 0x184;
const FREE: u32 = u32::MAX;
const ZERO: u32 = u32::MAX - 1;

struct Vdi {
    table_at: u64,
    data_at: u64,
    block: u64,
    extra: u64,
    count: u64,
    /// Allocated blocks by the table, and as the header has it in the file.
    used: u32,
    stored: u32,
}

impl Vdi {
    const fn step(&self) -> u64 {
        self.block + self.extra
    }
}

impl BatEntries for Vdi {
    fn place(&self, table: &BlockTable, index: u64) -> io::Result<BlockPlace> {
        match u32::from_le_bytes(table.get(entry_at(index, 4))?) {
            FREE | ZERO => Ok(BlockPlace::None),
            entry if u64::from(entry) >= self.count => Err(damaged(format!("block {entry}"))),
            entry => {
                let blocks = u64::from(entry).checked_mul(self.step());
                let at = blocks.and_then(|at| at.checked_add(self.data_at + self.extra));
                at.map(BlockPlace::At)
                    .ok_or_else(|| damaged("a block past 64 bits"))
            }
        }
    }

    fn point(
        &mut self,
        _: &mut dyn Store,
        table: &mut BlockTable,
        index: u64,
        at: u64,
    ) -> io::Result<()> {
        let entry = (at - self.extra - self.data_at) / self.step();
        if entry >= self.count {
            return Err(damaged("the file is full of blocks that nothing leads to"));
        }
        self.used += 1;
        table.set(entry_at(index, 4), narrow(entry, "a block")?.to_le_bytes())
    }

    fn next(&self, end: u64, block: u64) -> io::Result<(u64, u64)> {
        let blocks = end.saturating_sub(self.data_at).div_ceil(self.step());
        let at = end_of(self.data_at + self.extra, blocks * self.step())?;
        Ok((at, end_of(at, block)?))
    }

    /// The count is written first: if it is too large, a crash has left unused space.
    fn commit(
        &mut self,
        store: &mut dyn Store,
        table: &mut BlockTable,
        end: u64,
    ) -> io::Result<()> {
        if store.size_bytes() < end {
            store.set_len(end)?;
        }
        if self.stored != self.used && table.is_dirty() {
            store.put(COUNT_AT, &self.used.to_le_bytes())?;
            self.stored = self.used;
        }
        store.flush()?;
        if table.is_dirty() {
            table.write(store, self.table_at)?;
            store.flush()?;
            table.settled();
        }
        Ok(())
    }
}

/// Opens one for writing.
pub fn open(store: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    let ImageHeader::Vdi(header) = &image.detail.header else {
        return Err(refused("it is no VDI"));
    };
    if image.backing_path.is_some() || header.parent.is_some() {
        return Err(refused("a VDI with a parent is not written in place"));
    }
    mount(store, image.virtual_size.get())
}

/// A sound one as a disk.
pub fn mount(store: Box<dyn Store>, size: u64) -> Result<Box<dyn Disk>> {
    mounted(store, |store| build(store, size))
}

fn build(store: &mut dyn Store, size: u64) -> io::Result<Result<Bat<Vdi>>> {
    let header = HeaderFields::read(store, 0, HEADER_BYTES)?;
    let mut vdi = Vdi {
        table_at: u64::from(header.le32(0x154)),
        data_at: u64::from(header.le32(0x158)),
        block: u64::from(header.le32(0x178)),
        extra: u64::from(header.le32(0x17C)),
        count: u64::from(header.le32(0x180)),
        used: 0,
        stored: header.le32(0x184),
    };
    let table = BlockTable::read(store, vdi.table_at, vdi.count * 4, 512)?;
    let table_end = vdi.table_at + vdi.count * 4;
    if vdi.block == 0 || table_end > vdi.data_at {
        return Err(damaged("its data lie over its table"));
    }
    let mut end = vdi.data_at;
    for entry in table.bytes().as_chunks().0 {
        let entry = u32::from_le_bytes(*entry);
        if entry < ZERO {
            vdi.used += 1;
            end = end.max(
                vdi.data_at
                    .saturating_add((u64::from(entry) + 1) * vdi.step()),
            );
        }
    }
    let sizes = BlockDiskSizes {
        disk: size,
        block: vdi.block,
        logical: 512,
    };
    let clean = store.size_bytes();
    Ok(Bat::new(vdi, table, sizes, end, clean))
}

/// Writes the header and table of a new one without blocks.
pub fn create(store: &mut dyn Store, bytes: u64) -> io::Result<()> {
    let count = bytes.div_ceil(BLOCK);
    let table_bytes = count * 4;
    let data_at = (512 + table_bytes).next_multiple_of(BLOCK);
    let mut header = HeaderFields::new(HEADER_BYTES);
    header
        .put(0, b"<<< Oracle VM VirtualBox Disk Image >>>\n")
        .put(0x40, &0xBEDA_107F_u32.to_le_bytes())
        .put(0x44, &0x0001_0001_u32.to_le_bytes())
        .put(0x48, &0x190_u32.to_le_bytes())
        .put(0x4C, &1_u32.to_le_bytes())
        .put(0x154, &512_u32.to_le_bytes())
        .put(0x158, &narrow(data_at, "the table")?.to_le_bytes())
        .put(0x168, &512_u32.to_le_bytes())
        .put(0x170, &bytes.to_le_bytes())
        .put(0x178, &(1_u32 << 20).to_le_bytes())
        .put(0x180, &narrow(count, "blocks")?.to_le_bytes())
        .put(0x188, &guid())
        .put(0x198, &guid());
    store.put(0, &header.0)?;
    let mut table = BlockTable::new(table_bytes, 512)?;
    for index in 0..count {
        table.set(entry_at(index, 4), FREE.to_le_bytes())?;
    }
    table.write(store, 512)?;
    store.set_len(data_at)
}
