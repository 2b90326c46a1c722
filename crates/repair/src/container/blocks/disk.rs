//! Blocks as a disk.

use std::io;

use ioalign_inspect::images::guest::{GuestPiece, GuestSpan};

use super::super::store::{Store, length};
use super::run::{FileRun, FileRuns};
use super::{BlockDisk, BlockLayout};
use crate::Disk;

impl<L: BlockLayout> Disk for BlockDisk<L> {
    fn size_bytes(&self) -> u64 {
        self.layout.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.layout.logical_bytes()
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.check(at, bytes.len())?;
        let mut runs = FileRuns::default();
        let mut from = 0;
        while from < bytes.len() {
            let (piece, part) = self.span(at + from as u64, bytes.len() - from)?;
            let ready = match piece {
                GuestPiece::Stored { at, .. } => runs.add(at, from, part),
                _ => {
                    let out = bytes.get_mut(from..from + part).unwrap_or_default();
                    self.fill(piece, at + from as u64, out)?;
                    None
                }
            };
            read_run(self.store.as_mut(), ready, bytes)?;
            from += part;
        }
        read_run(self.store.as_mut(), runs.take(), bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.check(at, bytes.len())?;
        let block = self.layout.block_bytes();
        let mut runs = FileRuns::default();
        let mut from = 0;
        while from < bytes.len() {
            let address = at + from as u64;
            let room = length(block - address % block)?;
            let part = room.min(bytes.len() - from);
            let now = bytes.get(from..from + part).unwrap_or_default();
            let ready = match self.place(address, now)? {
                Some(place) => runs.add(place, from, part),
                None => None,
            };
            write_run(self.store.as_mut(), ready, bytes)?;
            from += part;
        }
        write_run(self.store.as_mut(), runs.take(), bytes)?;
        if self.layout.is_full() {
            self.layout.commit(self.store.as_mut())?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.layout.commit(self.store.as_mut())
    }

    fn release(&mut self, at: u64, bytes: u64) {
        let end = at.saturating_add(bytes).min(self.size_bytes());
        let mut runs = FileRuns::default();
        let mut from = at;
        while from < end {
            let most = usize::try_from(end - from).unwrap_or(usize::MAX);
            let Ok((piece, part)) = self.span(from, most) else {
                return;
            };
            let place = usize::try_from(from - at).unwrap_or(0);
            if let GuestPiece::Stored { at, .. } = piece
                && let Some(ready) = runs.add(at, place, part)
            {
                self.store.release(ready.at, ready.bytes as u64);
            }
            from += part as u64;
        }
        if let Some(ready) = runs.take() {
            self.store.release(ready.at, ready.bytes as u64);
        }
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        let mut end = at;
        // As many pieces as a table of QEMU's has entries, so that the work is bounded.
        for _ in 0..8192 {
            if end >= self.size_bytes() {
                break;
            }
            let Ok(GuestSpan { piece, room }) = self.layout.find(self.store.as_mut(), end) else {
                break;
            };
            let zeros = match (piece, &self.below) {
                (GuestPiece::Zero, _) | (GuestPiece::Below, None) => room,
                (GuestPiece::Below, Some(below)) if end >= below.len() => room,
                (GuestPiece::Below, Some(below)) => below.zeros_at(end).min(room),
                _ => 0,
            };
            if zeros == 0 {
                break;
            }
            end = end.saturating_add(zeros);
        }
        end.min(self.size_bytes()).saturating_sub(at)
    }
}

fn read_run(store: &mut dyn Store, run: Option<FileRun>, bytes: &mut [u8]) -> io::Result<()> {
    let Some(run) = run else { return Ok(()) };
    let part = bytes.get_mut(run.from..run.from + run.bytes);
    store.get(run.at, part.unwrap_or_default())
}

fn write_run(store: &mut dyn Store, run: Option<FileRun>, bytes: &[u8]) -> io::Result<()> {
    let Some(run) = run else { return Ok(()) };
    let part = bytes.get(run.from..run.from + run.bytes);
    store.put(run.at, part.unwrap_or_default())
}
