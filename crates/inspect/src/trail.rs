//! What was read of devices, in order, and what of it may be forgotten.
//!
//! A chain of readers looks at many places for a magic number that is not there. The bytes at those
//! places are not a superblock, but may be a user's data: as soon as a reader says "not mine", its
//! reads are removed from the trail.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;

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

    /// What is on the trail.
    pub fn reads(&self) -> Vec<Read> {
        self.log().kept.clone()
    }

    /// The reads that failed.
    pub fn faults(&self) -> Vec<ReadFault> {
        self.log().faults.clone()
    }
}

/// A device whose reads leave a trail.
pub struct Watched {
    inner: Arc<dyn Source>,
    device: usize,
    trail: Trail,
}

impl Watched {
    /// Watches `inner`, which is device number `device`.
    pub fn new(inner: Arc<dyn Source>, device: usize, trail: Trail) -> Self {
        Self {
            inner,
            device,
            trail,
        }
    }

    fn failed(&self, at: u64, len: usize, error: &Error) {
        if error.kind() == ErrorKind::Io {
            let source = std::error::Error::source(error);
            let why = source.map_or_else(|| error.to_string(), ToString::to_string);
            self.fault(at, len, error.offset().unwrap_or(at), why);
        }
    }

    fn fault(&self, at: u64, len: usize, place: u64, why: String) {
        self.trail.log().faults.push(ReadFault {
            device: self.device,
            at,
            len,
            place,
            why,
        });
    }

    fn keep(&self, at: u64, bytes: &[u8]) {
        let mut log = self.trail.log();
        if log.held.saturating_add(bytes.len()) > MOST_KEPT {
            drop(log);
            let why = format!("a bundle holds {} MiB of devices at most", MOST_KEPT >> 20);
            return self.fault(at, bytes.len(), at, why);
        }
        log.held += bytes.len();
        log.kept.push(Read {
            device: self.device,
            at,
            bytes: Box::from(bytes),
        });
    }
}

impl Source for Watched {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let read = self.inner.read_at(offset, buffer);
        match &read {
            Err(error) => self.failed(offset, buffer.len(), error),
            // Zeros read as zeros from a hole as well.
            Ok(()) if buffer.iter().all(|byte| *byte == 0) => {}
            Ok(()) => self.keep(offset, buffer),
        }
        read
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn trail(&self) -> Option<&Trail> {
        Some(&self.trail)
    }
}

/// A copy of a device some of whose sectors could not be read: it fails where the device failed.
pub struct Faulty {
    inner: Arc<dyn Source>,
    faults: Vec<ReadFault>,
}

impl Faulty {
    /// `inner` with these faults.
    pub fn new(inner: Arc<dyn Source>, faults: Vec<ReadFault>) -> Self {
        Self { inner, faults }
    }
}

impl Source for Faulty {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let same = |fault: &&ReadFault| fault.at == offset && fault.len == buffer.len();
        match self.faults.iter().find(same) {
            None => self.inner.read_at(offset, buffer),
            Some(fault) => {
                let why = std::io::Error::other(fault.why.clone());
                Err(Error::io("Cannot read it", why)
                    .in_file(self.path())
                    .at(fault.place))
            }
        }
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;
    use crate::view::View;

    #[test]
    fn what_is_not_ones_own_is_forgotten() {
        let trail = Trail::default();
        let source = Watched::new(Arc::new(MemorySource::new(vec![7; 4096])), 3, trail.clone());
        let view = View::new(Arc::new(source));
        let mine = view.trying(|view| view.read(0, 512).map(Some));
        assert!(mine.unwrap().is_some());
        let other: Option<()> = view
            .trying(|view| view.read(1024, 512).map(|_| None))
            .unwrap();
        assert!(other.is_none());
        let kept: Vec<_> = trail.reads().iter().map(|read| read.at).collect();
        assert_eq!(kept, [0]);
    }

    #[test]
    fn memory_has_an_end() {
        let trail = Trail::default();
        let source = Arc::new(MemorySource::new(vec![7; 8 << 20]));
        let source = Watched::new(source, 0, trail.clone());
        let mut buffer = vec![0; 8 << 20];
        for _ in 0..10 {
            source.read_at(0, &mut buffer).unwrap();
        }
        assert_eq!((trail.mark(), trail.faults().len()), (8, 2));
        trail.forget(7);
        source.read_at(0, &mut buffer).unwrap();
        assert_eq!((trail.mark(), trail.faults().len()), (8, 2));
    }

    #[test]
    fn a_fault_is_one_again() {
        let fault = ReadFault {
            device: 0,
            at: 512,
            len: 512,
            place: 0,
            why: "Input/output error (os error 5)".to_owned(),
        };
        let source = Faulty::new(Arc::new(MemorySource::new(vec![7; 4096])), vec![fault]);
        assert!(source.read_at(0, &mut [0; 512]).is_ok());
        let error = source.read_at(512, &mut [0; 512]).unwrap_err();
        assert!(error.full().contains("Input/output"), "{}", error.full());
    }
}
