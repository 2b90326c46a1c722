//! The stream of a tarball: bytes in order, and a way to skip unwanted ones.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use crate::source::Source;

/// What is said when a stream yields more than it may.
pub(super) const TOO_MUCH: &str = "it unpacks to too much";

/// Bytes in order.
pub(super) trait Feed: Read {
    /// Skips `bytes`; an error if there are fewer.
    fn skip(&mut self, bytes: u64) -> io::Result<()>;
}

/// A file from its beginning.
pub(super) struct FromSource {
    source: Arc<dyn Source>,
    at: u64,
}

impl FromSource {
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        Self { source, at: 0 }
    }
}

impl Read for FromSource {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.source.len().saturating_sub(self.at);
        let len = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        let out = out.get_mut(..len).unwrap_or_default();
        if !out.is_empty() {
            let failed = |error: crate::Error| io::Error::other(error.full());
            self.source.read_at(self.at, out).map_err(failed)?;
            self.at += out.len() as u64;
        }
        Ok(out.len())
    }
}

/// What is not packed need not be read to get past it.
impl Feed for BufReader<FromSource> {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let buffered = usize::try_from(bytes).unwrap_or(usize::MAX);
        let buffered = buffered.min(self.buffer().len());
        self.consume(buffered);
        let inner = self.get_mut();
        let to = inner.at.checked_add(bytes - buffered as u64);
        match to.filter(|to| *to <= inner.source.len()) {
            Some(to) => inner.at = to,
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }
}

/// A stream that fails when it yields more than its bound.
pub(super) struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R> Bounded<R> {
    pub(super) const fn new(inner: R, left: u64) -> Self {
        Self { inner, left }
    }

    fn count(&mut self, bytes: u64) -> io::Result<()> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| io::Error::other(TOO_MUCH))?;
        Ok(())
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.count(read as u64)?;
        Ok(read)
    }
}

impl<R: BufRead> Feed for Bounded<R> {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let mut left = bytes;
        while left > 0 {
            let ready = self.inner.fill_buf()?.len();
            if ready == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let part = usize::try_from(left).map_or(ready, |left| left.min(ready));
            self.inner.consume(part);
            self.count(part as u64)?;
            left -= part as u64;
        }
        Ok(())
    }
}
