//! What was read of devices, in order, and what of it may be forgotten.
//!
//! A chain of readers looks at many places for a magic number that is not there. The bytes at those
//! places are not a superblock, but may be a user's data: as soon as a reader says "not mine", its
//! reads are removed from the trail.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes kept of all devices together. An ordinary host needs some hundred kilobytes; a disk that claims
/// to hold more metadata than this is damaged, or made to fill memory.
const MOST_KEPT: usize = 64 << 20;

/// A shared list of reads. Clones write to the same one.
#[derive(Clone, Default)]
pub struct Trail(Arc<Mutex<TrailLog>>);

#[derive(Default)]
struct TrailLog {
    kept: Vec<Read>,
    /// Bytes in them.
    held: usize,
    faults: Vec<ReadFault>,
}

/// Bytes that a device gave.
#[derive(Clone)]
pub struct Read {
    /// Which device, by the number that its recorder gave it.
    pub device: usize,
    /// First byte.
    pub at: u64,
    /// The bytes.
    pub bytes: Box<[u8]>,
}

/// A read that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFault {
    /// Which device.
    pub device: usize,
    /// First byte that was asked for.
    pub at: u64,
    /// How many were.
    pub len: usize,
    /// Where the error is said to be.
    pub place: u64,
    /// Why.
    pub why: String,
}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trail").field(&self.mark()).finish()
    }
}

impl Trail {
    fn log(&self) -> MutexGuard<'_, TrailLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the trail ends now.
    pub fn mark(&self) -> usize {
        self.log().kept.len()
    }

    /// Takes off what was read since `mark`.
    pub fn forget(&self, mark: usize) {
        let mut log = self.log();
        let from = mark.min(log.kept.len());
        let since = log.kept.split_off(from);
        let bytes: usize = since.iter().map(|read| read.bytes.len()).sum();
        log.held = log.held.saturating_sub(bytes);
    }

    /// Adds what a device gave; a fault where there is no room for it.
    pub(crate) fn keep(&self, device: usize, at: u64, bytes: &[u8]) {
        let mut log = self.log();
        if log.held.saturating_add(bytes.len()) > MOST_KEPT {
            log.faults.push(ReadFault {
                device,
                at,
                len: bytes.len(),
                place: at,
                why: format!("a bundle holds {} MiB of devices at most", MOST_KEPT >> 20),
            });
            return;
        }
        log.held += bytes.len();
        log.kept.push(Read {
            device,
            at,
            bytes: Box::from(bytes),
        });
    }

    /// Adds a read that failed.
    pub(crate) fn fail(&self, fault: ReadFault) {
        self.log().faults.push(fault);
    }

    /// What is on the trail.
    pub fn reads(&self) -> Vec<Read> {
        self.log().kept.clone()
    }

    /// The reads that failed.
    pub fn faults(&self) -> Vec<ReadFault> {
        self.log().faults.clone()
    }
}
