//! A seed with damage: the pages are shared, the patches lie on top.

use std::path::Path;
use std::sync::Mutex;

use ioalign_inspect::source::check_range;
use ioalign_inspect::{Result, Source};

use crate::seeds::{Pages, Seed, copy_pages, overlay};

/// Reads that are remembered.
const MOST_READS: usize = 4096;

/// Bytes that a reader sees.
pub struct Mutant {
    pages: Pages,
    len: u64,
    patches: Vec<(u64, Vec<u8>)>,
    reads: Option<Mutex<Vec<(u64, u64)>>>,
}

impl Mutant {
    /// The seed as it is, with a record of what is read.
    pub fn recording(seed: &Seed) -> Self {
        Self {
            reads: Some(Mutex::new(Vec::new())),
            ..Self::damaged(seed, seed.len, Vec::new())
        }
    }

    /// The seed cut or grown to `len`, with `patches`, which must end before `len`.
    pub fn damaged(seed: &Seed, len: u64, patches: Vec<(u64, Vec<u8>)>) -> Self {
        Self {
            pages: seed.pages.clone(),
            len,
            patches,
            reads: None,
        }
    }

    /// Offset and length of the reads so far, each once.
    pub fn reads(&self) -> Vec<(u64, u64)> {
        let Some(reads) = &self.reads else {
            return Vec::new();
        };
        let mut reads = reads.lock().map(|reads| reads.clone()).unwrap_or_default();
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

impl Source for Mutant {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        if let Some(reads) = &self.reads
            && let Ok(mut reads) = reads.lock()
            && reads.len() < MOST_READS
        {
            reads.push((offset, buffer.len() as u64));
        }
        copy_pages(&self.pages, offset, buffer);
        for (start, bytes) in &self.patches {
            overlay(offset, buffer, *start, bytes);
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("mutant")
    }
}
