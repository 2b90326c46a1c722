//! A stretch of another source as a source of its own: a file in a tarball, read where it lies.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::source::{Source, check_range};
use crate::trail::Trail;

/// `[start, start + len)` of a source.
pub struct PartSource {
    whole: Arc<dyn Source>,
    start: u64,
    len: u64,
    path: PathBuf,
}

impl PartSource {
    /// The stretch, cut at the end of `whole`; messages call it `path`.
    pub fn new(whole: Arc<dyn Source>, (start, len): (u64, u64), path: &Path) -> Self {
        let start = start.min(whole.len());
        Self {
            start,
            len: len.min(whole.len() - start),
            whole,
            path: path.to_owned(),
        }
    }
}

impl Source for PartSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        self.whole.read_at(self.start + offset, buffer)
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn zeros_at(&self, offset: u64) -> u64 {
        let left = self.len.saturating_sub(offset);
        match left {
            0 => 0,
            _ => self.whole.zeros_at(self.start + offset).min(left),
        }
    }

    fn trail(&self) -> Option<&Trail> {
        self.whole.trail()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;

    #[test]
    fn nothing_around_it_is_read() {
        let whole: Arc<dyn Source> = Arc::new(MemorySource::new(*b"abcdefgh"));
        let part = |at| PartSource::new(Arc::clone(&whole), at, Path::new("x"));
        let middle = part((2, 3));
        let mut out = [0; 3];
        middle.read_at(0, &mut out).unwrap();
        assert_eq!((&out, middle.len()), (b"cde", 3));
        assert!(middle.read_at(1, &mut out).is_err());
        assert!(middle.read_at(u64::MAX, &mut out).is_err());
        assert_eq!((part((6, 99)).len(), part((9, 1)).len()), (2, 0));
        assert_eq!(middle.zeros_at(u64::MAX), 0);
    }
}
