//! The cache of a controller: writes that are answered before they are on disks, reads ahead of a stream.

mod dirty;
mod lines;
mod streams;

use std::collections::VecDeque;

use dirty::DirtyExtents;
use lines::CachedLines;
use streams::ReadStreams;
pub use streams::{ReadAhead, StreamAnswer};

/// A cache as it is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerCache {
    /// Writes are answered when they are in the cache.
    pub write_back: bool,
    /// Bytes that may wait to be written.
    pub write_bytes: u64,
    /// Bytes that are kept for reads.
    pub read_bytes: u64,
    /// Bytes that are read ahead of a stream, and again when it gets there; 0: none.
    pub read_ahead_bytes: u64,
    /// Writes to disks at the same time.
    pub destage: u32,
    /// The time of an answer from the cache, in nanoseconds.
    pub answer_ns: u64,
}

/// What is in it.
#[derive(Debug)]
pub struct CacheState {
    pub how: ControllerCache,
    dirty: DirtyExtents,
    /// Extents that are being written.
    flushing: Vec<(u64, u64)>,
    flushing_bytes: u64,
    lines: CachedLines,
    pub streams: ReadStreams,
    /// Requests that wait for room, in order.
    pub parked: VecDeque<usize>,
}

impl CacheState {
    /// An empty cache before arrays with stripes of `stripe` bytes and `capacity` in all.
    pub fn new(how: &ControllerCache, stripe: u64, capacity: u64) -> Self {
        Self {
            dirty: DirtyExtents::new(stripe),
            flushing: Vec::new(),
            flushing_bytes: 0,
            lines: CachedLines::new(how.read_bytes),
            streams: ReadStreams::new(how.read_ahead_bytes, capacity),
            parked: VecDeque::new(),
            how: how.clone(),
        }
    }

    /// Takes a write, if there is room.
    pub fn takes(&mut self, pieces: &[(u64, u64)]) -> bool {
        let len: u64 = pieces.iter().map(|piece| piece.1).sum();
        let used = self.dirty.bytes() + self.flushing_bytes;
        if used + len > self.how.write_bytes && used > 0 {
            return false;
        }
        for (at, len) in pieces {
            self.dirty.add(*at, *len);
            self.streams.is_written(*at, *len);
        }
        true
    }

    /// Whether it answers a read alone.
    pub fn has(&mut self, pieces: &[(u64, u64)]) -> bool {
        pieces.iter().all(|(at, len)| {
            let flushed = || {
                let mut all = self.flushing.iter();
                all.any(|(from, to)| from <= at && at + len <= *to)
            };
            self.dirty.covers(*at, *len) || flushed() || self.lines.has(*at, *len)
        })
    }

    /// Keeps what was read or written.
    pub fn keep(&mut self, pieces: &[(u64, u64)]) {
        pieces
            .iter()
            .for_each(|(at, len)| self.lines.add(*at, *len));
    }

    /// The next extent to be written: as long as half of the room is taken, or someone waits for room.
    pub fn destage(&mut self) -> Option<(u64, u64)> {
        let room = self.flushing.len() < self.how.destage as usize;
        let full = self.dirty.bytes() * 2 >= self.how.write_bytes || !self.parked.is_empty();
        if !room || !full {
            return None;
        }
        let (at, len) = self.dirty.take()?;
        self.flushing.push((at, at + len));
        self.flushing_bytes += len;
        Some((at, len))
    }

    /// An extent is on disks.
    pub fn destaged(&mut self, at: u64) {
        if let Some(place) = self.flushing.iter().position(|one| one.0 == at) {
            let (from, to) = self.flushing.swap_remove(place);
            self.flushing_bytes -= to - from;
            self.lines.add(from, to - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_destaged_is_kept_for_reads() {
        for (read_bytes, kept) in [(1 << 20, true), (0, false)] {
            let how = ControllerCache {
                write_back: true,
                write_bytes: 64 << 10,
                read_bytes,
                read_ahead_bytes: 0,
                destage: 1,
                answer_ns: 0,
            };
            let mut cache = CacheState::new(&how, 64 << 10, 1 << 30);
            let write = [(128 << 10, 32 << 10)];
            assert!(cache.takes(&write) && cache.has(&write));
            assert_eq!(cache.destage(), Some(write[0]));
            assert!(cache.has(&write), "on its way");
            assert!(!cache.takes(&[(0, 64 << 10)]), "half of the room is taken");
            cache.destaged(128 << 10);
            assert_eq!(cache.has(&write), kept, "on disks");
            assert!(cache.takes(&[(0, 64 << 10)]), "there is room again");
        }
    }
}
