//! A write cache that forgets: complete writes that no flush has followed yet.
//!
//! They are kept twice. `newest` has each byte as it was written last, which is what is read. `log` has every write, in
//! the order of completion, for the moment in which some of them are lost and others are not.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use rustix::fs::{MemfdFlags, memfd_create};

use super::ranges::ByteRanges;
use super::zeros::punch;
use super::{PowerRules, UnflushedFate, torn};

/// A cache writes to its disks by itself once it is full.
const MOST_LOGGED: u64 = 256 << 20;
/// And this many writes, also of zeros, which take no place.
const MOST_WRITES: usize = 1 << 20;
/// What is copied at once.
const COPIED: u64 = 1 << 20;

#[derive(Debug)]
pub struct WriteCache {
    newest: File,
    /// Where `newest` has something.
    cached: ByteRanges,
    log: Vec<CachedWrite>,
    logged: File,
    logged_bytes: u64,
}

#[derive(Debug)]
struct CachedWrite {
    range: Range<u64>,
    /// Where the log has its data; `None`: zeros.
    data: Option<u64>,
    durable: bool,
}

impl WriteCache {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            newest: in_memory("ioalign-cache")?,
            cached: ByteRanges::default(),
            log: Vec::new(),
            logged: in_memory("ioalign-log")?,
            logged_bytes: 0,
        })
    }

    pub fn read(&self, disks: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
        let range = at..at.saturating_add(into.len() as u64);
        self.cached.pieces(range, |piece, inside| {
            let of = |place: u64| usize::try_from(place - at).unwrap_or(usize::MAX);
            let part = into.get_mut(of(piece.start)..of(piece.end));
            let part = part.ok_or_else(|| io::Error::other("a piece is outside of the read"))?;
            let file = if inside { &self.newest } else { disks };
            file.read_exact_at(part, piece.start)
        })
    }

    pub fn write(&mut self, disks: &File, at: u64, data: &[u8], durable: bool) -> io::Result<()> {
        let len = data.len() as u64;
        self.make_room(disks, len)?;
        self.logged.write_all_at(data, self.logged_bytes)?;
        self.newest.write_all_at(data, at)?;
        let place = Some(self.logged_bytes);
        self.logged_bytes += len;
        self.remember(at..at + len, place, durable);
        Ok(())
    }

    pub fn zero(&mut self, disks: &File, at: u64, len: u64, durable: bool) -> io::Result<()> {
        self.make_room(disks, 0)?;
        let end = at + len;
        // Reads of the cache must not end before the zeros do.
        if self.newest.metadata()?.len() < end {
            self.newest.set_len(end)?;
        }
        punch(&self.newest, at, len)?;
        self.remember(at..end, None, durable);
        Ok(())
    }

    fn make_room(&mut self, disks: &File, len: u64) -> io::Result<()> {
        if self.logged_bytes + len > MOST_LOGGED || self.log.len() >= MOST_WRITES {
            self.flush(disks)?;
        }
        Ok(())
    }

    fn remember(&mut self, range: Range<u64>, data: Option<u64>, durable: bool) {
        self.cached.insert(range.clone());
        self.log.push(CachedWrite {
            range,
            data,
            durable,
        });
    }

    /// Everything goes to the disks.
    pub fn flush(&mut self, disks: &File) -> io::Result<()> {
        for write in &self.log {
            self.store(disks, write, write.range.clone())?;
        }
        self.forget()
    }

    /// The power is lost: how many writes there were, and how many of them are not whole on the disks.
    pub fn lose(
        &mut self,
        disks: &File,
        rules: &PowerRules,
        chance: &mut u64,
    ) -> io::Result<(u64, u64)> {
        let mut lost = 0;
        for write in &self.log {
            let Range { start, end } = write.range;
            let left = if write.durable {
                std::iter::once(start..end).collect()
            } else if rules.unflushed == UnflushedFate::LostSome {
                torn::left_of(chance, start, end - start, rules.tear)
            } else {
                Vec::new()
            };
            lost += u64::from(left.is_empty() || torn::is_part(&left, end - start));
            for piece in left {
                self.store(disks, write, piece)?;
            }
        }
        let all = self.log.len() as u64;
        self.forget()?;
        Ok((all, lost))
    }

    /// Puts a piece of a write on the disks.
    fn store(&self, disks: &File, write: &CachedWrite, piece: Range<u64>) -> io::Result<()> {
        let Some(data) = write.data else {
            return punch(disks, piece.start, piece.end - piece.start);
        };
        let mut buffer = vec![0; usize::try_from(COPIED.min(piece.end - piece.start)).unwrap_or(0)];
        let mut at = piece.start;
        while at < piece.end {
            let part = usize::try_from(piece.end - at).unwrap_or(usize::MAX);
            let part = part.min(buffer.len());
            let part = buffer.get_mut(..part).unwrap_or_default();
            self.logged
                .read_exact_at(part, data + (at - write.range.start))?;
            disks.write_all_at(part, at)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    fn forget(&mut self) -> io::Result<()> {
        self.log.clear();
        self.cached.clear();
        self.logged_bytes = 0;
        self.newest.set_len(0)?;
        self.logged.set_len(0)
    }
}

/// A file of the memory of this process.
pub fn in_memory(name: &str) -> io::Result<File> {
    let file = memfd_create(name, MemfdFlags::CLOEXEC)?;
    Ok(File::from(file))
}
