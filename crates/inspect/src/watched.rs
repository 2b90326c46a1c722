//! Devices whose reads are written down, and copies that fail where the device failed.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;
use crate::trail::{ReadFault, Trail};

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
            self.trail.fail(ReadFault {
                device: self.device,
                at,
                len,
                place: error.offset().unwrap_or(at),
                why: source.map_or_else(|| error.to_string(), ToString::to_string),
            });
        }
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
            Ok(()) => self.trail.keep(self.device, offset, buffer),
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
