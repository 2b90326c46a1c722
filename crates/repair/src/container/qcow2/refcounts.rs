//! How often each cluster of the file is used: a table of blocks of counts.

use std::collections::BTreeMap;
use std::io;

use super::super::blocks::{BlockTable, entry_at};
use super::super::fields::narrow;
use super::super::store::{Store, damaged};
use super::count::{count, set_count};
use super::header::{WritableQcow2Header, name_counts};

/// QEMU's limit for the table.
const MOST_TABLE_BYTES: u64 = 8 << 20;
/// Blocks of counts that are kept, in bytes.
const KEPT_BYTES: u64 = 16 << 20;
/// Clusters to be given back before that is done.
const MOST_FREED: usize = 1 << 16;
/// Clusters behind the end of the file that are counted all the same: more are no accident.
const MOST_TAKEN: u64 = 1 << 16;

/// All counts.
pub struct Refcounts {
    order: u32,
    cluster: u64,
    table: BlockTable,
    table_at: u64,
    blocks: BTreeMap<u64, BlockTable>,
    /// The start of the search for a free cluster.
    next: u64,
    /// Used once less when what took their place is durable.
    freed: Vec<u64>,
    /// The table is new: the old one's clusters.
    moved: Vec<std::ops::Range<u64>>,
}

impl Refcounts {
    pub fn read(store: &mut dyn Store, header: &WritableQcow2Header) -> io::Result<Self> {
        let cluster = header.cluster();
        let table_bytes = header.counts_clusters * cluster;
        Ok(Self {
            order: header.order,
            cluster,
            table: BlockTable::read(store, header.counts_at, table_bytes, 512)?,
            table_at: header.counts_at,
            blocks: BTreeMap::new(),
            next: store.size_bytes().div_ceil(cluster),
            freed: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// Counts a block.
    const fn per_block(&self) -> u64 {
        (self.cluster * 8) >> self.order
    }

    /// The end of the file with all that is taken.
    pub const fn end(&self) -> u64 {
        self.next * self.cluster
    }

    /// The place of the table and its blocks, cluster by cluster.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        let own = (self.table_at..self.table_at + self.table.bytes().len() as u64)
            .step_by(usize::try_from(self.cluster).unwrap_or(512));
        let blocks = self.table.bytes().as_chunks().0.iter();
        own.chain(
            blocks
                .map(|at| u64::from_be_bytes(*at))
                .filter(|at| *at != 0),
        )
    }

    fn block_at(&self, number: u64) -> io::Result<u64> {
        let entry = entry_at(number, 8);
        if entry >= self.table.bytes().len() {
            return Ok(0);
        }
        let at = u64::from_be_bytes(self.table.get(entry)?);
        if at.is_multiple_of(self.cluster) && at < self.end() {
            return Ok(at);
        }
        Err(damaged(format!(
            "reference counts at byte {at}, which is no place for them"
        )))
    }

    fn block(&mut self, store: &mut dyn Store, number: u64) -> io::Result<Option<&mut BlockTable>> {
        if !self.blocks.contains_key(&number) {
            let at = self.block_at(number)?;
            if at == 0 {
                return Ok(None);
            }
            if self.blocks.len() as u64 * self.cluster >= KEPT_BYTES {
                self.blocks.retain(|_, block| block.is_dirty());
            }
            let block = BlockTable::read(store, at, self.cluster, 512)?;
            self.blocks.insert(number, block);
        }
        Ok(self.blocks.get_mut(&number))
    }

    /// How often a cluster is used.
    pub fn get(&mut self, store: &mut dyn Store, cluster: u64) -> io::Result<u64> {
        let (order, index) = (self.order, cluster % self.per_block());
        let block = self.block(store, cluster / self.per_block())?;
        block.map_or(Ok(0), |block| count(block, order, index))
    }

    fn set(&mut self, store: &mut dyn Store, cluster: u64, value: u64) -> io::Result<()> {
        let (order, index) = (self.order, cluster % self.per_block());
        let block = self.block(store, cluster / self.per_block())?;
        let block = block.ok_or_else(|| damaged(format!("cluster {cluster} is not counted")))?;
        set_count(block, order, index, value)
    }

    /// Takes a cluster at the end of the file; where it begins.
    pub fn take(&mut self, store: &mut dyn Store) -> io::Result<u64> {
        let cluster = self.free(store, 1)?;
        self.next = cluster + 1;
        self.take_this(store, cluster)?;
        Ok(cluster * self.cluster)
    }

    /// The first of some clusters behind the end that have no count.
    fn free(&mut self, store: &mut dyn Store, many: u64) -> io::Result<u64> {
        let (mut first, mut at) = (self.next, self.next);
        while at < first + many {
            if self.get(store, at)? != 0 {
                first = at + 1;
            }
            at += 1;
            if at > self.next + MOST_TAKEN {
                return Err(damaged("clusters behind the end of the file are taken"));
            }
        }
        Ok(first)
    }

    fn take_this(&mut self, store: &mut dyn Store, cluster: u64) -> io::Result<()> {
        self.make_block(store, cluster / self.per_block())?;
        self.set(store, cluster, 1)
    }

    /// Makes the block of counts that is missing. It may count itself.
    fn make_block(&mut self, store: &mut dyn Store, number: u64) -> io::Result<()> {
        if entry_at(number, 8) >= self.table.bytes().len() {
            self.grow(store, number)?;
        }
        if self.block(store, number)?.is_some() {
            return Ok(());
        }
        let cluster = self.free(store, 1)?;
        self.next = cluster + 1;
        self.table
            .set(entry_at(number, 8), (cluster * self.cluster).to_be_bytes())?;
        self.blocks
            .insert(number, BlockTable::new(self.cluster, 512)?);
        self.take_this(store, cluster)
    }

    /// A larger table at another place.
    fn grow(&mut self, store: &mut dyn Store, number: u64) -> io::Result<()> {
        let bytes = ((number + 2) * 16).next_multiple_of(self.cluster);
        if bytes > MOST_TABLE_BYTES {
            return Err(damaged(
                "the file is as large as a qcow2 of its cluster size can be",
            ));
        }
        let mut table = BlockTable::new(bytes, 512)?;
        for (index, entry) in self.table.bytes().as_chunks::<8>().0.iter().enumerate() {
            table.set(index * 8, *entry)?;
        }
        let old = self.table_at / self.cluster;
        let old = old..old + self.table.bytes().len() as u64 / self.cluster;
        let many = bytes / self.cluster;
        let first = self.free(store, many)?;
        (self.next, self.table_at) = (first + many, first * self.cluster);
        self.table = table;
        self.moved.push(old);
        (first..first + many).try_for_each(|cluster| self.take_this(store, cluster))
    }

    /// A cluster is used once less, from the next commit on.
    pub fn give_back(&mut self, cluster: u64) {
        self.freed.push(cluster);
    }

    pub fn is_dirty(&self) -> bool {
        self.blocks.values().any(BlockTable::is_dirty) || self.table.is_dirty()
    }

    pub fn is_full(&self) -> bool {
        self.freed.len() >= MOST_FREED
    }

    /// Writes what says that new clusters are used, and a new table.
    pub fn write_blocks(&mut self, store: &mut dyn Store) -> io::Result<()> {
        let dirty: Vec<u64> = self.dirty_blocks().collect();
        for number in dirty {
            let at = self.block_at(number)?;
            if let Some(block) = self.blocks.get_mut(&number) {
                block.write(store, at)?;
                block.settled();
            }
        }
        if !self.moved.is_empty() {
            self.table.write(store, self.table_at)?;
        }
        Ok(())
    }

    fn dirty_blocks(&self) -> impl Iterator<Item = u64> {
        let dirty = self.blocks.iter().filter(|(_, block)| block.is_dirty());
        dirty.map(|(number, _)| *number)
    }

    /// Writes what leads to new blocks; whether there was something.
    pub fn write_table(&mut self, store: &mut dyn Store) -> io::Result<bool> {
        if !self.table.is_dirty() {
            return Ok(false);
        }
        if self.moved.is_empty() {
            self.table.write(store, self.table_at)?;
        } else {
            let clusters = self.table.bytes().len() as u64 / self.cluster;
            name_counts(store, self.table_at, narrow(clusters, "reference counts")?)?;
            self.freed.extend(self.moved.drain(..).flatten());
        }
        self.table.settled();
        Ok(true)
    }

    /// Counts down what was given back; whether there was something.
    pub fn settle(&mut self, store: &mut dyn Store) -> io::Result<bool> {
        let freed = std::mem::take(&mut self.freed);
        for cluster in &freed {
            let count = self.get(store, *cluster)?;
            let less = count.checked_sub(1);
            let less =
                less.ok_or_else(|| damaged(format!("cluster {cluster} is used and not counted")))?;
            self.set(store, *cluster, less)?;
        }
        self.write_blocks(store)?;
        Ok(!freed.is_empty())
    }
}
