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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    fn memory(length: usize) -> MemoryDisk {
        let bytes = (0..length).map(|at| u8::try_from(at % 251).unwrap_or(0));
        MemoryDisk {
            bytes: bytes.collect(),
            logical_bytes: 512,
        }
    }

    #[test]
    fn a_window_is_read_into_memory_and_its_slot() {
        let (mut disk, mut store) = (memory(8192), memory(8192));
        let before = store.bytes.clone();
        let load = WindowLoad {
            window: 3..4,
            span: WindowSpan {
                from: 1024,
                to: 0,
                bytes: 1280,
            },
            slot: 1,
            slot_at: 4096,
            piece: 512,
            policy: ReadErrors::Stop,
            buffer: vec![0; 2048],
        };
        let loaded = load.run(&mut disk, &mut store).unwrap();
        assert_eq!(loaded.bytes[..1280], disk.bytes[1024..2304]);
        assert_eq!((loaded.window, loaded.slot, loaded.bad), (3..4, 1, vec![]));
        let hashes: Vec<_> = disk.bytes[1024..2304].chunks(512).map(digest::of).collect();
        assert_eq!(loaded.hashes, hashes);
        assert_eq!(store.bytes[4096..5376], disk.bytes[1024..2304]);
        assert_eq!(store.bytes[..4096], before[..4096]);
        assert_eq!(store.bytes[5376..], before[5376..]);
    }

    #[test]
    fn one_handle_is_not_enough_for_two_threads() {
        assert!(Hands::of(&memory(512), &memory(512)).is_none());
        let file = tempfile::NamedTempFile::new().unwrap();
        let disk = crate::mover::FileDisk::open(file.path()).unwrap();
        assert!(Hands::of(&disk, &disk).is_some());
    }

    #[test]
    fn a_thread_that_dies_is_an_error() {
        let mut hands = Hands {
            disk: Box::new(memory(512)),
            store: Box::new(memory(512)),
        };
        let (own, aside) = hands.during(|_| -> Result<()> { panic!("a test") }, || Ok(5));
        assert_eq!(own.unwrap(), 5);
        assert!(aside.unwrap_err().to_string().contains("came to an end"));
    }
}
