//! A window on its way into the journal: read, hashed, and put into a slot that no record speaks of yet.
//!
//! The next window is loaded while the one before is written, flushed and read back. That is as safe as
//! one after the other: the other slot is free from the record on that speaks of the first, and what the
//! first is written over is its own source or what has moved already ([`Track`](super::Track)), never the
//! source of the next.

use std::ops::Range;

use super::span::{WindowSpan, part};
use super::{ReadErrors, digest, reading};
use crate::journal;
use crate::{Disk, Error, Result};

/// A window in memory and in a slot.
pub struct Loaded {
    /// Its positions.
    pub window: Range<u64>,
    /// The slot that holds it too.
    pub slot: u8,
    /// Its bytes, at the start.
    pub bytes: Vec<u8>,
    /// Of its pieces.
    pub hashes: Vec<u128>,
    /// The unreadable places, by the addresses that were read.
    pub bad: Vec<Range<u64>>,
}

/// A window to be loaded.
pub struct WindowLoad {
    /// Its positions.
    pub window: Range<u64>,
    /// Its addresses.
    pub span: WindowSpan,
    /// Its destination in the journal.
    pub slot: u8,
    /// The address of that in the store.
    pub slot_at: u64,
    /// The size of one read or write.
    pub piece: u64,
    /// What is done where it cannot be read.
    pub policy: ReadErrors,
    /// Long enough for it.
    pub buffer: Vec<u8>,
}

impl WindowLoad {
    /// Does it.
    pub fn run(mut self, disk: &mut dyn Disk, store: &mut dyn Disk) -> Result<Loaded> {
        let mut hashes = Vec::new();
        let mut bad = Vec::new();
        for (offset, length) in self.span.pieces(self.piece) {
            let bytes = part(&mut self.buffer, offset, length)?;
            reading::read(disk, self.span.from + offset, bytes, self.policy, &mut bad)?;
            hashes.push(digest::of(bytes));
            let at = self.slot_at + offset;
            store.write_at(at, bytes).map_err(journal::failed)?;
            store.release(at, length as u64);
        }
        Ok(Loaded {
            window: self.window,
            slot: self.slot,
            bytes: self.buffer,
            hashes,
            bad,
        })
    }
}

/// Second handles of the disk and of the store of the journal, for a thread of their own.
pub struct Hands {
    disk: Box<dyn Disk + Send>,
    store: Box<dyn Disk + Send>,
}

impl Hands {
    /// Where both have one.
    pub fn of(disk: &dyn Disk, store: &dyn Disk) -> Option<Self> {
        Some(Self {
            disk: disk.second()?,
            store: store.second()?,
        })
    }

    /// The handle of the disk.
    pub fn disk(&mut self) -> &mut dyn Disk {
        &mut *self.disk
    }

    /// Loads a window.
    pub fn load(&mut self, load: WindowLoad) -> Result<Loaded> {
        load.run(&mut *self.disk, &mut *self.store)
    }

    /// Does something with these hands while `own` runs; gives what both have come to, that first.
    pub fn during<T, U: Send>(
        &mut self,
        aside: impl FnOnce(&mut Self) -> Result<U> + Send,
        own: impl FnOnce() -> Result<T>,
    ) -> (Result<T>, Result<U>) {
        std::thread::scope(|scope| {
            let aside = scope.spawn(|| aside(self));
            let own = own();
            let aside = aside.join().unwrap_or_else(|_| {
                let what = "the second thread of the move came to an end";
                Err(Error::new(crate::ErrorKind::Io, what))
            });
            (own, aside)
        })
    }
}
