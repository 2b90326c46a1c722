//! What was read of devices, in order, and what of it may be forgotten.
//!
//! A chain of readers looks at many places for a magic that is not there. What stands at those places
//! is nobody's superblock, it may be a user's data: as soon as a reader says "not mine", what
//! it read is taken off the trail.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;

/// A shared list of reads. Clones write to the same one.
#[derive(Clone, Default)]
pub struct Trail(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    kept: Vec<Read>,
    faults: Vec<Fault>,
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
pub struct Fault {
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
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the trail ends now.
    pub fn mark(&self) -> usize {
        self.log().kept.len()
    }

    /// Takes off what was read since `mark`.
    pub fn forget(&self, mark: usize) {
        self.log().kept.truncate(mark);
    }

    /// What is on the trail.
    pub fn reads(&self) -> Vec<Read> {
        self.log().kept.clone()
    }

    /// The reads that failed.
    pub fn faults(&self) -> Vec<Fault> {
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
        if error.kind() != ErrorKind::Io {
            return;
        }
        let source = std::error::Error::source(error);
        self.trail.log().faults.push(Fault {
            device: self.device,
            at,
            len,
            place: error.offset().unwrap_or(at),
            why: source.map_or_else(|| error.to_string(), ToString::to_string),
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
            Ok(()) => self.trail.log().kept.push(Read {
                device: self.device,
                at: offset,
                bytes: Box::from(&*buffer),
            }),
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
    faults: Vec<Fault>,
}

impl Faulty {
    /// `inner` with these faults.
    pub fn new(inner: Arc<dyn Source>, faults: Vec<Fault>) -> Self {
        Self { inner, faults }
    }
}

impl Source for Faulty {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let same = |fault: &&Fault| fault.at == offset && fault.len == buffer.len();
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
    fn a_fault_is_one_again() {
        let fault = Fault {
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
