//! What VHD, VHDX, VDI and sparse VMDK have in common: one table with an entry a block.

use std::io;

use ioalign_inspect::images::guest::{GuestPiece, GuestSpan};

use super::super::store::{Store, damaged, end_of};
use super::{BlockDisk, BlockLayout, BlockTable, Claim};
use crate::{Disk, Error, Result};

/// The facts of an entry about its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPlace {
    /// Nothing: it reads as zeros.
    None,
    /// Its data begin at this byte of the file.
    At(u64),
}

/// How one of these formats writes its entries.
pub trait BatEntries {
    /// The place that the entry of a block holds.
    fn place(&self, table: &BlockTable, index: u64) -> io::Result<BlockPlace>;

    /// Makes the entry say so. What stands beside the block is written: nothing leads there yet.
    fn point(
        &mut self,
        store: &mut dyn Store,
        table: &mut BlockTable,
        index: u64,
        at: u64,
    ) -> io::Result<()>;

    /// Where the data of the next new block go when the file is used up to `end`, and where the file is
    /// used up to then.
    fn next(&self, end: u64, block: u64) -> io::Result<(u64, u64)>;

    /// Whether writing over a stored block needs more than its data: then it is announced by
    /// [`rewrite`](Self::rewrite).
    fn is_plain(&self, _index: u64) -> bool {
        true
    }

    /// A stored block is written over for the first time.
    fn rewrite(&mut self, _store: &mut dyn Store, _index: u64, _at: u64) -> io::Result<()> {
        Ok(())
    }

    /// Before the first write since the image was opened.
    fn begin(&mut self, _store: &mut dyn Store) -> io::Result<()> {
        Ok(())
    }

    /// Makes durable what was written: first data and the space up to `end`, then the table.
    fn commit(&mut self, store: &mut dyn Store, table: &mut BlockTable, end: u64)
    -> io::Result<()>;
}

/// The disk in a store whose layout `build` reads.
pub fn mounted<E: BatEntries + 'static>(
    mut store: Box<dyn Store>,
    build: impl FnOnce(&mut dyn Store) -> io::Result<Result<Bat<E>>>,
) -> Result<Box<dyn Disk>> {
    let layout = build(store.as_mut()).map_err(|error| Error::io("cannot be read", error))??;
    Ok(Box::new(BlockDisk::new(layout, store, None)))
}

/// The layout of such a format.
pub struct Bat<E> {
    entries: E,
    table: BlockTable,
    size: u64,
    block: u64,
    logical: u64,
    /// The end of all that is in use.
    end: u64,
    /// From here on the file was empty when it was opened.
    clean: u64,
    begun: bool,
}

/// The sizes of a disk.
#[derive(Clone, Copy, Debug)]
pub struct BlockDiskSizes {
    /// The disk.
    pub disk: u64,
    /// A block.
    pub block: u64,
    /// A logical block.
    pub logical: u64,
}

impl<E: BatEntries> Bat<E> {
    /// A disk by its table; `end` is the first byte behind what is in use, and from `clean` on are zeros.
    /// Refused where two blocks share bytes or one lies behind the end: writing one would change the
    /// other.
    pub fn new(
        entries: E,
        table: BlockTable,
        sizes: BlockDiskSizes,
        end: u64,
        clean: u64,
    ) -> Result<Self> {
        let layout = Self {
            entries,
            table,
            size: sizes.disk,
            block: sizes.block,
            logical: sizes.logical,
            end,
            clean,
            begun: false,
        };
        let apart = layout
            .check()
            .map_err(|error| super::super::refusal::refused(error.to_string()));
        apart.map(|()| layout)
    }

    fn check(&self) -> io::Result<()> {
        let mut places = Vec::new();
        for index in 0..self.size.div_ceil(self.block) {
            let BlockPlace::At(at) = self.entries.place(&self.table, index)? else {
                continue;
            };
            if end_of(at, self.block)? > self.end {
                return Err(damaged(format!("block {index} lies behind the data")));
            }
            places.push(at);
        }
        places.sort_unstable();
        let mut pairs = places.iter().zip(places.iter().skip(1));
        match pairs.find(|(a, b)| **b - **a < self.block) {
            Some((at, _)) => Err(damaged(format!("two blocks share bytes behind byte {at}"))),
            None => Ok(()),
        }
    }

    fn begin(&mut self, store: &mut dyn Store) -> io::Result<()> {
        if !self.begun {
            self.entries.begin(store)?;
            self.begun = true;
        }
        Ok(())
    }
}

impl<E: BatEntries> BlockLayout for Bat<E> {
    fn size_bytes(&self) -> u64 {
        self.size
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn block_bytes(&self) -> u64 {
        self.block
    }

    fn find(&mut self, _: &mut dyn Store, address: u64) -> io::Result<GuestSpan> {
        let (index, within) = (address / self.block, address % self.block);
        let piece = match self.entries.place(&self.table, index)? {
            BlockPlace::None => GuestPiece::Zero,
            BlockPlace::At(at) => GuestPiece::Stored {
                file: 0,
                at: end_of(at, within)?,
            },
        };
        let room = self.block - within;
        Ok(GuestSpan { piece, room })
    }

    fn whole(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<u64>> {
        let BlockPlace::At(at) = self.entries.place(&self.table, index)? else {
            return Ok(None);
        };
        self.begin(store)?;
        if !self.entries.is_plain(index) {
            self.entries.rewrite(store, index, at)?;
        }
        Ok(Some(at))
    }

    fn claim(&mut self, store: &mut dyn Store, _: u64) -> io::Result<Claim> {
        self.begin(store)?;
        let (at, end) = self.entries.next(self.end, self.block)?;
        self.end = end;
        let fresh = at >= self.clean;
        Ok(Claim { at, fresh })
    }

    fn settle(&mut self, store: &mut dyn Store, index: u64, at: u64) -> io::Result<()> {
        self.entries.point(store, &mut self.table, index, at)
    }

    fn commit(&mut self, store: &mut dyn Store) -> io::Result<()> {
        self.entries.commit(store, &mut self.table, self.end)
    }
}
