//! A table of numbers in memory, which knows what of it is not yet in the file.

use std::collections::BTreeSet;
use std::io;

use super::super::store::{Store, damaged, end_of, length};

/// Larger tables are not taken: 256 MiB are the blocks of 64 TiB in steps of 2 MiB.
const MOST_BYTES: u64 = 256 << 20;

/// Where an entry of this many bytes lies in a table; past the end of every table where memory could not hold it.
pub fn entry_at(index: u64, bytes: u64) -> usize {
    usize::try_from(index.saturating_mul(bytes)).unwrap_or(usize::MAX)
}

/// Its bytes, and which sectors of it have changed.
#[derive(Clone, Debug)]
pub struct BlockTable {
    bytes: Vec<u8>,
    /// What is written whole or not at all.
    sector: usize,
    dirty: BTreeSet<usize>,
}

impl BlockTable {
    /// A table of zeros, all of it to be written.
    pub fn new(bytes: u64, sector: usize) -> io::Result<Self> {
        let mut table = Self::clean(vec![0; bounded(bytes)?], sector);
        table.touch_all();
        Ok(table)
    }

    /// The table that stands in the file.
    pub fn read(store: &mut dyn Store, at: u64, bytes: u64, sector: usize) -> io::Result<Self> {
        let mut held = vec![0; bounded(bytes)?];
        store.get(at, &mut held)?;
        Ok(Self::clean(held, sector))
    }

    const fn clean(bytes: Vec<u8>, sector: usize) -> Self {
        Self {
            bytes,
            sector,
            dirty: BTreeSet::new(),
        }
    }

    /// All of it is to be written.
    pub fn touch_all(&mut self) {
        self.dirty = (0..self.bytes.len().div_ceil(self.sector)).collect();
    }

    /// Some of its bytes.
    pub fn get<const N: usize>(&self, at: usize) -> io::Result<[u8; N]> {
        let part = at.checked_add(N).and_then(|end| self.bytes.get(at..end));
        let part = part.and_then(|part| part.try_into().ok());
        part.ok_or_else(|| damaged(format!("a table has no byte {at}")))
    }

    /// Changes some of them.
    pub fn set<const N: usize>(&mut self, at: usize, value: [u8; N]) -> io::Result<()> {
        let part = at
            .checked_add(N)
            .and_then(|end| self.bytes.get_mut(at..end));
        let part = part.ok_or_else(|| damaged(format!("a table has no byte {at}")))?;
        part.copy_from_slice(&value);
        self.dirty.insert(at / self.sector);
        Ok(())
    }

    /// All of its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether something is to be written.
    pub fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The sectors that have changed: their numbers and bytes.
    pub fn changed(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let sector = |index: &usize| {
            let start = index * self.sector;
            let end = (start + self.sector).min(self.bytes.len());
            (*index, self.bytes.get(start..end).unwrap_or_default())
        };
        self.dirty.iter().map(sector)
    }

    /// Forgets that something has changed.
    pub fn settled(&mut self) {
        self.dirty.clear();
    }

    /// Writes what has changed to the table's place: neighbours at once.
    pub fn write(&self, store: &mut dyn Store, at: u64) -> io::Result<()> {
        let mut sectors = self.dirty.iter().copied().peekable();
        while let Some(first) = sectors.next() {
            let mut last = first;
            while let Some(next) = sectors.next_if_eq(&(last + 1)) {
                last = next;
            }
            let (start, end) = (first * self.sector, (last + 1) * self.sector);
            let part = self.bytes.get(start..end.min(self.bytes.len()));
            store.put(end_of(at, start as u64)?, part.unwrap_or_default())?;
        }
        Ok(())
    }
}

fn bounded(bytes: u64) -> io::Result<usize> {
    if bytes > MOST_BYTES {
        return Err(damaged(format!("a table of {bytes} bytes is too large")));
    }
    length(bytes)
}
