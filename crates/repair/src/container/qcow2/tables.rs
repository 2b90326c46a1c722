//! From guest clusters to file clusters: the L1 table in memory, L2 tables as they are needed.

use std::collections::BTreeMap;
use std::io;

use ioalign_inspect::images::guest::GuestSpan;
use ioalign_inspect::images::qcow2::entry::{Cluster, Qcow2Shape};

use super::super::blocks::{BlockTable, entry_at};
use super::super::store::{Store, damaged};
use super::header::WritableQcow2Header;
use super::{COPIED, below};

const OFFSET: u64 = 0x00FF_FFFF_FFFF_FE00;
const COMPRESSED: u64 = 1 << 62;
/// Bytes of L2 tables that are kept.
const KEPT_BYTES: u64 = 32 << 20;

struct L2 {
    table: BlockTable,
    at: u64,
    /// Nothing in the file leads to it yet.
    new: bool,
}

/// Both levels.
pub struct ClusterTables {
    shape: Qcow2Shape,
    l1: BlockTable,
    l2: BTreeMap<u64, L2>,
}

impl ClusterTables {
    pub fn read(store: &mut dyn Store, header: &WritableQcow2Header) -> io::Result<Self> {
        let l1 = BlockTable::read(store, header.l1_at, header.l1_entries * 8, 512)?;
        let shape = header.shape(store.size_bytes());
        let l2 = BTreeMap::new();
        Ok(Self { shape, l1, l2 })
    }

    /// The length of the file, now or after the next flush.
    pub fn allow(&mut self, end: u64) {
        self.shape.file_len = self.shape.file_len.max(end);
    }

    const fn per_table(&self) -> u64 {
        self.shape.cluster() / self.shape.entry()
    }

    /// The place of the L2 table of a cluster.
    pub fn place(&self, index: u64) -> io::Result<Option<u64>> {
        let number = index / self.per_table();
        if let Some(l2) = self.l2.get(&number) {
            return Ok(Some(l2.at));
        }
        let entry = u64::from_be_bytes(self.l1.get(entry_at(number, 8))?);
        self.shape.table(entry).map_err(damaged)
    }

    /// Whether nothing in the file leads to it.
    pub fn is_new(&self, index: u64) -> bool {
        let l2 = self.l2.get(&(index / self.per_table()));
        l2.is_some_and(|l2| l2.new)
    }

    /// The L2 table of a cluster, in memory.
    fn l2(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<&mut L2>> {
        let number = index / self.per_table();
        if !self.l2.contains_key(&number) {
            let Some(at) = self.place(index)? else {
                return Ok(None);
            };
            self.make_room();
            let table = BlockTable::read(store, at, self.shape.cluster(), 512)?;
            let new = false;
            self.l2.insert(number, L2 { table, at, new });
        }
        Ok(self.l2.get_mut(&number))
    }

    fn most(&self) -> usize {
        usize::try_from(KEPT_BYTES / self.shape.cluster()).unwrap_or(16)
    }

    fn make_room(&mut self) {
        if self.l2.len() >= self.most() {
            self.l2.retain(|_, l2| l2.new || l2.table.is_dirty());
        }
    }

    /// Gives a cluster's L2 table a place: a copy of that which is shared, or a table of nothing.
    pub fn adopt(&mut self, store: &mut dyn Store, index: u64, at: u64) -> io::Result<()> {
        let mut table = match self.l2(store, index)? {
            Some(old) => old.table.clone(),
            None => BlockTable::new(self.shape.cluster(), 512)?,
        };
        table.touch_all();
        let number = index / self.per_table();
        self.l1
            .set(entry_at(number, 8), (at | COPIED).to_be_bytes())?;
        let new = true;
        self.l2.insert(number, L2 { table, at, new });
        Ok(())
    }

    /// The entry of a cluster, and its bitmap of subclusters.
    fn both(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<(u64, u64)>> {
        let (within, entry) = (index % self.per_table(), self.shape.entry());
        let extended = self.shape.extended;
        let Some(l2) = self.l2(store, index)? else {
            return Ok(None);
        };
        let at = entry_at(within, entry);
        let parts = if extended {
            u64::from_be_bytes(l2.table.get(at + 8)?)
        } else {
            0
        };
        Ok(Some((u64::from_be_bytes(l2.table.get(at)?), parts)))
    }

    /// The entry of a cluster; 0 without a table.
    pub fn entry(&mut self, store: &mut dyn Store, index: u64) -> io::Result<u64> {
        Ok(self.both(store, index)?.map_or(0, |(entry, _)| entry))
    }

    /// The kind of a cluster; `None` without a table.
    pub fn cluster(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<Cluster>> {
        let Some((entry, parts)) = self.both(store, index)? else {
            return Ok(None);
        };
        let guest = index.saturating_mul(self.shape.cluster());
        self.shape
            .read(entry, parts, guest)
            .map(Some)
            .map_err(damaged)
    }

    /// The place of the L2 tables, and the clusters that they name: those that are stored, and those
    /// that compressed ones lie in.
    pub fn places(&mut self, store: &mut dyn Store) -> io::Result<(Vec<u64>, Vec<u64>)> {
        let (mut stored, mut packed) = (Vec::new(), Vec::new());
        let cluster = self.shape.cluster();
        for number in 0..self.shape.size.div_ceil(self.shape.span()) {
            let first = number * self.per_table();
            let Some(at) = self.place(first)? else {
                continue;
            };
            stored.push(at);
            for index in first..first + self.per_table() {
                let entry = self.entry(store, index)?;
                match (self.packed(entry), self.host(entry)) {
                    (Some((at, bytes)), _) => {
                        let last = at.saturating_add(bytes.max(1)) - 1;
                        packed.extend([at / cluster * cluster, last / cluster * cluster]);
                    }
                    (None, 0) => {}
                    (None, at) => stored.push(at),
                }
            }
        }
        Ok((stored, packed))
    }

    /// The bytes at an address.
    pub fn find(&mut self, store: &mut dyn Store, address: u64) -> io::Result<GuestSpan> {
        let cluster = self.shape.cluster();
        let found = self.cluster(store, address / cluster)?;
        Ok(found.map_or_else(
            || below(self.shape.span() - address % self.shape.span()),
            |found| found.span(address % cluster, &self.shape),
        ))
    }

    /// Points a cluster's entry to its data; its table is its own.
    pub fn set(
        &mut self,
        store: &mut dyn Store,
        index: u64,
        entry: u64,
        parts: u64,
    ) -> io::Result<()> {
        let extended = self.shape.extended;
        let at = entry_at(index % self.per_table(), self.shape.entry());
        let l2 = self
            .l2(store, index)?
            .ok_or_else(|| damaged("a cluster without a table"))?;
        l2.table.set(at, entry.to_be_bytes())?;
        if extended {
            l2.table.set(at + 8, parts.to_be_bytes())?;
        }
        Ok(())
    }

    /// The file's cluster that an entry names, which need not be compressed; 0 for none.
    pub const fn host(&self, entry: u64) -> u64 {
        entry & OFFSET
    }

    /// The place of the bytes of a compressed entry.
    pub fn packed(&self, entry: u64) -> Option<(u64, u64)> {
        (entry & COMPRESSED != 0).then(|| self.place_of(entry & !(COMPRESSED | COPIED)))
    }

    /// The place of the bytes of a compressed cluster, by its descriptor.
    pub const fn place_of(&self, key: u64) -> (u64, u64) {
        self.shape.packed(key)
    }

    pub fn is_full(&self) -> bool {
        self.l2.values().filter(|l2| l2.table.is_dirty()).count() >= self.most()
    }

    /// Writes tables that nothing leads to.
    pub fn write_new(&self, store: &mut dyn Store) -> io::Result<()> {
        let new = self.l2.values().filter(|l2| l2.new);
        new.into_iter()
            .try_for_each(|l2| l2.table.write(store, l2.at))
    }

    /// Writes all others, and what leads to new ones; whether there was something.
    pub fn write(&mut self, store: &mut dyn Store) -> io::Result<bool> {
        let mut wrote = self.l1.is_dirty();
        for l2 in self.l2.values_mut() {
            if !l2.new && l2.table.is_dirty() {
                l2.table.write(store, l2.at)?;
                wrote = true;
            }
        }
        self.l1.write(store, self.shape.l1_offset)?;
        for l2 in self.l2.values_mut() {
            l2.table.settled();
            l2.new = false;
        }
        self.l1.settled();
        Ok(wrote)
    }
}
