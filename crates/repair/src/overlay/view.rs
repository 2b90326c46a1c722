//! The disk that will be, to be read.

use std::io;
use std::ops::Range;

use super::{Layer, Piece, Source};
use crate::{Disk, Move};

/// The disk as it will be. It cannot be written.
pub struct View<'a> {
    disk: &'a mut dyn Disk,
    size: u64,
    logical: u64,
    moves: &'a [Move],
    layers: &'a [Layer],
}

impl<'a> View<'a> {
    /// `disk` after these moves with these layers over it, the last one on top. Where `size` is more than
    /// the disk has, there are zeros.
    pub fn new(
        disk: &'a mut dyn Disk,
        (size, logical): (u64, u64),
        moves: &'a [Move],
        layers: &'a [Layer],
    ) -> Self {
        Self {
            disk,
            size,
            logical,
            moves,
            layers,
        }
    }

    /// What is there when everything has moved and nothing is laid over it yet.
    pub(super) fn moved(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let range = range_of(at, bytes);
        self.old(at, bytes)?;
        for one in self.moves {
            let both = meet(&range, &one.destination());
            if let Some(both) = both {
                let from = one.from + (both.start - one.to);
                let mut part = vec![0; length(&both)];
                self.disk.read_at(from, &mut part)?;
                lay(bytes, at, both.start, &part);
            }
        }
        Ok(())
    }

    /// What is there now.
    fn old(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let there = self.disk.size_bytes().saturating_sub(at);
        let there = usize::try_from(there)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let (old, grown) = bytes.split_at_mut(there);
        grown.fill(0);
        if old.is_empty() {
            return Ok(());
        }
        self.disk.read_at(at, old)
    }

    fn piece(&mut self, piece: &Piece, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let Some(both) = meet(&range_of(at, bytes), &piece.place()) else {
            return Ok(());
        };
        let skipped = both.start - piece.at;
        let mut part = vec![0; length(&both)];
        match &piece.from {
            Source::Zeros(_) => {}
            Source::Old(old) => self.disk.read_at(old.start + skipped, &mut part)?,
            Source::Bytes(from) => {
                let start = usize::try_from(skipped).unwrap_or(usize::MAX);
                let from = from.get(start..).unwrap_or_default();
                part.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
        lay(bytes, at, both.start, &part);
        Ok(())
    }
}

impl Disk for View<'_> {
    fn size_bytes(&self) -> u64 {
        self.size
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.moved(at, bytes)?;
        let range = range_of(at, bytes);
        for layer in self.layers {
            for piece in layer.within(&range) {
                self.piece(piece, at, bytes)?;
            }
        }
        Ok(())
    }

    fn write_at(&mut self, _at: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn range_of(at: u64, bytes: &[u8]) -> Range<u64> {
    at..at.saturating_add(bytes.len() as u64)
}

fn meet(a: &Range<u64>, b: &Range<u64>) -> Option<Range<u64>> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (!both.is_empty()).then_some(both)
}

fn length(range: &Range<u64>) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(0)
}

/// Writes `part` of address `from` into `bytes` of address `at`.
fn lay(bytes: &mut [u8], at: u64, from: u64, part: &[u8]) {
    let start = usize::try_from(from - at).unwrap_or(usize::MAX);
    crate::bytes::put(bytes, start, part);
}
