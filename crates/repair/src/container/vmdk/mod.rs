//! VMware's monolithicSparse VMDK: grains of 64 KiB, two copies of their tables.

mod create;

use std::io;

use ioalign_core::layer::detail::ImageHeader;
use ioalign_inspect::images::Image;

use super::blocks::{Bat, BatEntries, BlockDiskSizes, BlockPlace, BlockTable, entry_at, mounted};
use super::fields::{HeaderFields, narrow, random};
use super::refusal::refused;
use super::store::{Store, damaged, end_of, length};
use crate::{Disk, Result};

pub use create::create;

const SECTOR: u64 = 512;
/// Entries and bytes of a grain table.
const PER_TABLE: u64 = 512;
const TABLE_BYTES: u64 = PER_TABLE * 4;
/// What of a descriptor is searched.
const MOST_DESCRIPTOR: u64 = 64 << 10;

struct Vmdk {
    /// The place of each grain table, in the order in which copies are written: the redundant ones
    /// first.
    copies: Vec<Vec<u64>>,
    descriptor: (u64, u64),
}

impl BatEntries for Vmdk {
    fn place(&self, table: &BlockTable, index: u64) -> io::Result<BlockPlace> {
        Ok(match u32::from_le_bytes(table.get(entry_at(index, 4))?) {
            // 1 is a grain of zeros.
            0 | 1 => BlockPlace::None,
            sector => BlockPlace::At(u64::from(sector) * SECTOR),
        })
    }

    fn point(
        &mut self,
        _: &mut dyn Store,
        table: &mut BlockTable,
        index: u64,
        at: u64,
    ) -> io::Result<()> {
        let sector = narrow(at / SECTOR, "a sparse VMDK ends at 2 TiB")?;
        table.set(entry_at(index, 4), sector.to_le_bytes())
    }

    fn next(&self, end: u64, block: u64) -> io::Result<(u64, u64)> {
        let at = end_of(end, block - 1)? / block * block;
        Ok((at, end_of(at, block)?))
    }

    /// A new content id, so that a child of this disk is found to rest on another one.
    fn begin(&mut self, store: &mut dyn Store) -> io::Result<()> {
        let (at, bytes) = self.descriptor;
        let text = HeaderFields::read(store, at, length(bytes.min(MOST_DESCRIPTOR))?)?.0;
        let Some(place) = content_id(&text) else {
            return Ok(());
        };
        let id = u32::try_from(random() >> 33).unwrap_or(1);
        store.put(at + place as u64, format!("{id:08x}").as_bytes())
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
        for copy in &self.copies {
            for (sector, bytes) in table.changed() {
                let at = (sector as u64) * SECTOR;
                let base = usize::try_from(at / TABLE_BYTES)
                    .ok()
                    .and_then(|of| copy.get(of));
                let base = base.ok_or_else(|| damaged("a grain table that is not there"))?;
                store.put(end_of(*base, at % TABLE_BYTES)?, bytes)?;
            }
            store.flush()?;
        }
        table.settled();
        Ok(())
    }
}

/// Where the eight digits of the content id stand in a descriptor.
fn content_id(text: &[u8]) -> Option<usize> {
    let key = b"\nCID=";
    let at = text.windows(key.len()).position(|part| part == key)? + key.len();
    let digits = text.get(at..at + 8)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(at)
}

/// Opens one for writing.
pub fn open(store: Box<dyn Store>, image: &Image) -> Result<Box<dyn Disk>> {
    let ImageHeader::Vmdk(header) = &image.detail.header else {
        return Err(refused("it is no VMDK"));
    };
    if image.backing_path.is_some() || header.parent_content_id.is_some() {
        return Err(refused("a VMDK with a parent is not written in place"));
    }
    mount(store, image.virtual_size.get())
}

/// A sound one as a disk.
pub fn mount(store: Box<dyn Store>, size: u64) -> Result<Box<dyn Disk>> {
    mounted(store, |store| build(store, size))
}

fn build(store: &mut dyn Store, size: u64) -> io::Result<Result<Bat<Vmdk>>> {
    let header = HeaderFields::read(store, 0, 512)?;
    let sectors = |at| {
        header
            .le64(at)
            .checked_mul(SECTOR)
            .ok_or_else(|| damaged("its header"))
    };
    let (grain, capacity) = (sectors(20)?, sectors(12)?);
    if u64::from(header.le32(44)) != PER_TABLE || capacity != size || grain == 0 {
        return Ok(Err(refused(
            "only the whole disk in one extent, with tables of 512 grains, is written",
        )));
    }
    let tables = size.div_ceil(grain).div_ceil(PER_TABLE);
    let mut copies = Vec::new();
    if header.le32(8) & 2 != 0 {
        copies.push(directory(store, sectors(48)?, tables)?);
    }
    copies.push(directory(store, sectors(56)?, tables)?);
    let clean = store.size_bytes();
    let mut places: Vec<u64> = copies.iter().flatten().copied().collect();
    places.sort_unstable();
    let apart = |pair: (&u64, &u64)| *pair.1 - *pair.0 >= TABLE_BYTES;
    let least = sectors(64)?;
    let inside = |at: &u64| *at > 0 && at + TABLE_BYTES <= least;
    if least > clean
        || !places.iter().all(inside)
        || !places.iter().zip(places.iter().skip(1)).all(apart)
    {
        return Ok(Err(refused(
            "its grain tables are not all there before the data",
        )));
    }
    let table = gather(store, copies.last().map_or(&[], Vec::as_slice))?;
    let vmdk = Vmdk {
        copies,
        descriptor: (sectors(28)?, sectors(36)?),
    };
    let first = (0..size.div_ceil(grain)).filter_map(|index| match vmdk.place(&table, index) {
        Ok(BlockPlace::At(at)) => Some(at),
        _ => None,
    });
    if first.min().is_some_and(|first| first < least) {
        return Ok(Err(refused("a grain lies over the tables")));
    }
    let sizes = BlockDiskSizes {
        disk: size,
        block: grain,
        logical: SECTOR,
    };
    let end = clean.max(least).next_multiple_of(grain);
    Ok(Bat::new(vmdk, table, sizes, end, clean))
}

/// The places of grain tables.
fn directory(store: &mut dyn Store, at: u64, tables: u64) -> io::Result<Vec<u64>> {
    let held = BlockTable::read(store, at, tables * 4, 512)?;
    let entries = held.bytes().as_chunks().0.iter();
    Ok(entries
        .map(|entry| u64::from(u32::from_le_bytes(*entry)) * SECTOR)
        .collect())
}

/// All grain tables as one.
fn gather(store: &mut dyn Store, places: &[u64]) -> io::Result<BlockTable> {
    let mut all = BlockTable::new(places.len() as u64 * TABLE_BYTES, 512)?;
    for (index, at) in places.iter().enumerate() {
        let one = BlockTable::read(store, *at, TABLE_BYTES, 512)?;
        for (entry, bytes) in one.bytes().as_chunks::<4>().0.iter().enumerate() {
            all.set(
                entry_at((index as u64) * PER_TABLE + entry as u64, 4),
                *bytes,
            )?;
        }
    }
    all.settled();
    Ok(all)
}
