//! A file of a bundle: its length and the pieces that are not zero.
//!
//! The copy of a disk in a bundle is a terabyte long and holds a few sectors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::source::{Source, check_range};

/// A file's bytes. What lies between the pieces is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileContent {
    len: u64,
    /// Ascending, without overlap, inside `len`.
    pieces: Vec<(u64, Box<[u8]>)>,
}

impl FileContent {
    /// A file of `len` bytes, all zero so far.
    pub const fn zeros(len: u64) -> Self {
        let pieces = Vec::new();
        Self { len, pieces }
    }

    /// An ordinary file.
    pub fn whole(bytes: impl Into<Box<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            len: bytes.len() as u64,
            pieces: vec![(0, bytes)],
        }
    }

    /// Adds a piece behind all others; whether it fits there.
    #[must_use]
    pub fn push(&mut self, at: u64, bytes: impl Into<Box<[u8]>>) -> bool {
        let bytes = bytes.into();
        let end = at.checked_add(bytes.len() as u64);
        let fits = at >= self.end() && end.is_some_and(|end| end <= self.len);
        if fits && !bytes.is_empty() {
            self.pieces.push((at, bytes));
        }
        fits
    }

    /// Where the last piece ends.
    fn end(&self) -> u64 {
        self.pieces
            .last()
            .map_or(0, |(at, bytes)| at.saturating_add(bytes.len() as u64))
    }

    /// Length in bytes.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in memory.
    pub fn held(&self) -> usize {
        self.pieces.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// The first `most` bytes.
    pub fn head(&self, most: u64) -> Vec<u8> {
        let len = usize::try_from(self.len.min(most)).unwrap_or(0);
        let mut out = vec![0; len];
        self.fill(0, &mut out);
        out
    }

    /// All bytes where they are in one piece, which most files are.
    pub fn contiguous(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [] if self.len == 0 => Some(&[]),
            [(0, bytes)] if bytes.len() as u64 == self.len => Some(bytes),
            _ => None,
        }
    }

    /// Copies what the pieces hold of `[from, from + out.len())` over zeros.
    fn fill(&self, from: u64, out: &mut [u8]) {
        let to = from.saturating_add(out.len() as u64);
        let first = self
            .pieces
            .partition_point(|(at, bytes)| at + bytes.len() as u64 <= from);
        let pieces = self.pieces.get(first..).unwrap_or_default();
        for (at, bytes) in pieces.iter().take_while(|(at, _)| *at < to) {
            let skip = usize::try_from(from.saturating_sub(*at)).unwrap_or(usize::MAX);
            let into = usize::try_from(at.saturating_sub(from)).unwrap_or(usize::MAX);
            let source = bytes.get(skip..).unwrap_or_default();
            let place = out.get_mut(into..).unwrap_or_default();
            let len = source.len().min(place.len());
            if let (Some(place), Some(source)) = (place.get_mut(..len), source.get(..len)) {
                place.copy_from_slice(source);
            }
        }
    }
}

/// A file of a bundle as a source of bytes: the copy of a device.
pub struct ContentSource {
    content: Arc<FileContent>,
    path: PathBuf,
}

impl ContentSource {
    /// Reads `content`, which messages call `path`.
    pub fn new(content: Arc<FileContent>, path: &Path) -> Self {
        let path = path.to_owned();
        Self { content, path }
    }
}

impl Source for ContentSource {
    fn len(&self) -> u64 {
        self.content.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        buffer.fill(0);
        self.content.fill(offset, buffer);
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lie_in_zeros() {
        let mut content = FileContent::zeros(1 << 40);
        assert!(content.push(512, *b"abcd"));
        assert!(content.push(1 << 20, *b"xyz"));
        assert!(!content.push(100, *b"back"), "pieces ascend");
        assert!(!content.push((1 << 40) - 1, *b"past"), "and end inside");
        let source = ContentSource::new(Arc::new(content.clone()), Path::new("sda"));
        let mut out = [9; 6];
        source.read_at(511, &mut out).unwrap();
        assert_eq!(&out, b"\0abcd\0");
        source.read_at((1 << 20) + 1, &mut out).unwrap();
        assert_eq!(&out, b"yz\0\0\0\0");
        assert!(source.read_at((1 << 40) - 3, &mut out).is_err());
        assert_eq!((content.held(), content.contiguous()), (7, None));
        assert_eq!(content.head(514), [[0; 512].as_slice(), b"ab"].concat());
        assert_eq!(
            FileContent::whole(*b"ab").contiguous(),
            Some(b"ab".as_slice())
        );
    }
}
