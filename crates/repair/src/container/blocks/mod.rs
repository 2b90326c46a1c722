//! Disks in blocks that get their place when they are first written.
//!
//! # What is promised
//!
//! Until `flush` returns, writes may be lost, but nothing else. A new block is at a place that no table
//! points to, so its data may be written at any time. Tables change in memory only. A flush makes data
//! durable first, then the record that their place is taken, then the entries that point to them
//! (`Layout::commit`): a crash between the steps leaves unused space, and never a table that points to
//! unwritten data. A sector of 512 bytes of a table is assumed to be written completely or not at all.

mod bat;
mod disk;
mod run;
mod table;

use std::io;
use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::images::guest::{GuestPiece, GuestSpan};

pub use bat::{Bat, BatEntries, BlockDiskSizes, BlockPlace, mounted};
pub use table::{BlockTable, entry_at};

use super::reading::failed;
use super::store::{Store, damaged, end_of, is_zero, length};

/// Where a block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The first byte of its data in the file.
    pub at: u64,
    /// Whether its bytes are zeros that were never written.
    pub fresh: bool,
}

/// How a format finds and places its blocks. What is not yet committed counts.
pub trait BlockLayout {
    /// Bytes of the disk.
    fn size_bytes(&self) -> u64;

    /// Its logical block.
    fn logical_bytes(&self) -> u64 {
        512
    }

    /// Bytes a block.
    fn block_bytes(&self) -> u64;

    /// The bytes at an address of the disk.
    fn find(&mut self, store: &mut dyn Store, address: u64) -> io::Result<GuestSpan>;

    /// The place of the data of a block, if all of it is stored there and it alone uses them: it can
    /// be written over.
    fn whole(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<u64>>;

    /// A place for a block that has none of its own, or has one that is not all stored.
    fn claim(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Claim>;

    /// From now on all of the block is stored at its claim.
    fn settle(&mut self, store: &mut dyn Store, index: u64, at: u64) -> io::Result<()>;

    /// A compressed block.
    fn unpack(&mut self, _store: &mut dyn Store, _key: u64) -> io::Result<Vec<u8>> {
        Err(damaged("a compressed block"))
    }

    /// Whether enough waits for [`commit`](Self::commit) to call it.
    fn is_full(&self) -> bool {
        false
    }

    /// Makes all that was written durable, data before what leads to them.
    fn commit(&mut self, store: &mut dyn Store) -> io::Result<()>;
}

/// A disk of blocks in a store.
pub struct BlockDisk<L> {
    layout: L,
    store: Box<dyn Store>,
    /// The disk that this one rests on.
    below: Option<Arc<dyn Source>>,
}

impl<L: BlockLayout> BlockDisk<L> {
    /// A disk that is laid out so.
    pub fn new(layout: L, store: Box<dyn Store>, below: Option<Arc<dyn Source>>) -> Self {
        Self {
            layout,
            store,
            below,
        }
    }

    fn check(&self, at: u64, bytes: usize) -> io::Result<()> {
        if end_of(at, bytes as u64)? > self.layout.size_bytes() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    fn span(&mut self, at: u64, most: usize) -> io::Result<(GuestPiece, usize)> {
        let span = self.layout.find(self.store.as_mut(), at)?;
        let part = usize::try_from(span.room).map_or(most, |room| room.min(most));
        if part == 0 {
            return Err(damaged("a block without bytes"));
        }
        Ok((span.piece, part))
    }

    /// Reads what is not simply stored.
    fn fill(&mut self, piece: GuestPiece, at: u64, out: &mut [u8]) -> io::Result<()> {
        match (piece, &self.below) {
            (GuestPiece::Stored { at, .. }, _) => self.store.get(at, out),
            (GuestPiece::Zero, _) | (GuestPiece::Below, None) => {
                out.fill(0);
                Ok(())
            }
            (GuestPiece::Below, Some(below)) => {
                let there = below.len().saturating_sub(at);
                let there = usize::try_from(there).map_or(out.len(), |n| n.min(out.len()));
                let (now, behind) = out.split_at_mut(there);
                behind.fill(0);
                match now.is_empty() {
                    true => Ok(()),
                    false => below.read_at(at, now).map_err(failed),
                }
            }
            (GuestPiece::Packed { key, within }, _) => {
                let block = self.layout.unpack(self.store.as_mut(), key)?;
                let from = length(within)?;
                let part = from
                    .checked_add(out.len())
                    .and_then(|end| block.get(from..end));
                out.copy_from_slice(part.ok_or_else(|| damaged("a short compressed block"))?);
                Ok(())
            }
        }
    }

    /// Whether a stretch reads as zeros without a look at data.
    fn reads_as_zeros(&mut self, at: u64, bytes: u64) -> io::Result<bool> {
        let end = end_of(at, bytes)?;
        let mut at = at;
        while at < end {
            let (piece, part) = self.span(at, length(end - at)?)?;
            let part = part as u64;
            let zeros = match (piece, &self.below) {
                (GuestPiece::Zero, _) | (GuestPiece::Below, None) => part,
                (GuestPiece::Below, Some(below)) if at >= below.len() => part,
                (GuestPiece::Below, Some(below)) => below.zeros_at(at),
                _ => 0,
            };
            if zeros < part {
                return Ok(false);
            }
            at += part;
        }
        Ok(true)
    }

    /// Gives a block a place with all of its bytes but those that are about to be written.
    fn prepare(&mut self, index: u64, within: u64, bytes: u64) -> io::Result<u64> {
        let claim = self.layout.claim(self.store.as_mut(), index)?;
        let start = index * self.layout.block_bytes();
        let end = end_of(start, self.layout.block_bytes())?.min(self.layout.size_bytes());
        self.carry(claim, start, start..start + within)?;
        self.carry(claim, start, start + within + bytes..end)?;
        self.layout.settle(self.store.as_mut(), index, claim.at)?;
        Ok(claim.at)
    }

    /// Whether a piece is zeros by the tables alone.
    const fn is_blank(&self, piece: GuestPiece) -> bool {
        match piece {
            GuestPiece::Zero => true,
            GuestPiece::Below => self.below.is_none(),
            GuestPiece::Stored { .. } | GuestPiece::Packed { .. } => false,
        }
    }

    /// Copies what a stretch of a block holds to the block's new place.
    fn carry(&mut self, claim: Claim, start: u64, part: std::ops::Range<u64>) -> io::Result<()> {
        let mut at = part.start;
        let mut buffer = Vec::new();
        while at < part.end {
            let most = length((part.end - at).min(1 << 20))?;
            let (piece, bytes) = self.span(at, most)?;
            let to = end_of(claim.at, at - start)?;
            let blank = claim.fresh && self.is_blank(piece);
            if !blank && piece != (GuestPiece::Stored { file: 0, at: to }) {
                buffer.resize(bytes, 0);
                self.fill(piece, at, &mut buffer)?;
                if !(claim.fresh && is_zero(&buffer)) {
                    self.store.put(to, &buffer)?;
                }
            }
            at += bytes as u64;
        }
        Ok(())
    }

    /// Where the bytes of one block go; `None` where nothing needs to be written.
    fn place(&mut self, at: u64, bytes: &[u8]) -> io::Result<Option<u64>> {
        let block = self.layout.block_bytes();
        let (index, within) = (at / block, at % block);
        if let Some(place) = self.layout.whole(self.store.as_mut(), index)? {
            return Ok(Some(end_of(place, within)?));
        }
        let length = bytes.len() as u64;
        if is_zero(bytes) && self.reads_as_zeros(at, length)? {
            return Ok(None);
        }
        let place = self.prepare(index, within, length)?;
        Ok(Some(end_of(place, within)?))
    }
}
