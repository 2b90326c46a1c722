//! QEMU's qcow2, versions 2 and 3, with reference counts of any width and extended entries.
//!
//! New clusters go behind the end of the file; what they replace (compressed clusters, clusters shared with
//! a snapshot) is given back in the reference counts when the tables that lead to the new ones are durable.
//! So a crash leaves clusters that nothing uses, which `qemu-img check -r leaks` gives back, and nothing else.

mod apart;
mod count;
mod create;
mod header;
mod refcounts;
mod tables;

use std::io;

use ioalign_core::layer::detail::ImageHeader;
use ioalign_inspect::images::Image;
use ioalign_inspect::images::guest::{GuestPiece, GuestSpan};
use ioalign_inspect::images::qcow2::entry::Cluster;

use super::blocks::{BlockDisk, BlockLayout, Claim};
use super::refusal::refused;
use super::store::{Store, damaged, end_of, length};
use crate::{Disk, Error, Result};
use header::WritableQcow2Header;
use refcounts::Refcounts;
use tables::ClusterTables;

pub use create::create;

/// The cluster is used once and may be written over.
const COPIED: u64 = 1 << 63;
/// All subclusters are stored.
const ALL_PARTS: u64 = 0xFFFF_FFFF;

struct Qcow2 {
    header: WritableQcow2Header,
    tables: ClusterTables,
    counts: Refcounts,
    /// From here on the file was empty when it was opened.
    clean: u64,
    begun: bool,
}

/// Opens one for writing.
pub fn open(mut store: Box<dyn Store>, image: Image) -> Result<Box<dyn Disk>> {
    let ImageHeader::Qcow2(detail) = &image.detail.header else {
        return Err(refused("it is no qcow2 image"));
    };
    if detail.data_file.is_some() {
        return Err(refused("its data are in an external file"));
    }
    let header = WritableQcow2Header::read(store.as_mut()).map_err(cannot_read)?;
    if header.has_bitmaps() {
        return Err(refused(
            "it has dirty bitmaps, which would no longer say what has changed since a backup",
        ));
    }
    let below = image.backing.map(|image| image.guest);
    let mut layout = Qcow2::new(store.as_mut(), header).map_err(cannot_read)?;
    let apart = apart::check(
        store.as_mut(),
        &layout.header,
        &mut layout.tables,
        &layout.counts,
    );
    apart.map_err(|error| refused(error.to_string()))?;
    Ok(Box::new(BlockDisk::new(layout, store, below)))
}

/// A sound one without a backing file as a disk.
pub fn mount(mut store: Box<dyn Store>) -> Result<Box<dyn Disk>> {
    let header = WritableQcow2Header::read(store.as_mut()).map_err(cannot_read)?;
    let layout = Qcow2::new(store.as_mut(), header).map_err(cannot_read)?;
    Ok(Box::new(BlockDisk::new(layout, store, None)))
}

fn cannot_read(error: io::Error) -> Error {
    Error::io("cannot be read", error)
}

impl Qcow2 {
    fn new(store: &mut dyn Store, header: WritableQcow2Header) -> io::Result<Self> {
        let length = store.size_bytes();
        Ok(Self {
            tables: ClusterTables::read(store, &header)?,
            counts: Refcounts::read(store, &header)?,
            clean: length.next_multiple_of(header.cluster()),
            header,
            begun: false,
        })
    }

    /// Dirty bitmaps and the like are no longer right from the first write on.
    fn begin(&mut self, store: &mut dyn Store) -> io::Result<()> {
        if !self.begun {
            self.header.clear_autoclear(store)?;
            self.begun = true;
        }
        Ok(())
    }

    fn take(&mut self, store: &mut dyn Store) -> io::Result<u64> {
        let cluster = self.counts.take(store)?;
        self.tables.allow(self.counts.end());
        Ok(cluster)
    }

    fn is_single(&mut self, store: &mut dyn Store, at: u64) -> io::Result<bool> {
        match self.counts.get(store, at / self.header.cluster())? {
            0 => Err(damaged(format!(
                "the cluster at byte {at} is used and not counted: `qemu-img check -r all` repairs that"
            ))),
            count => Ok(count == 1),
        }
    }

    /// The table of a cluster, its own and there.
    fn own_table(&mut self, store: &mut dyn Store, index: u64) -> io::Result<()> {
        let old = self.tables.place(index)?;
        if let Some(old) = old
            && (self.tables.is_new(index) || self.is_single(store, old)?)
        {
            return Ok(());
        }
        let at = self.take(store)?;
        self.tables.adopt(store, index, at)?;
        if let Some(old) = old {
            self.counts.give_back(old / self.header.cluster());
        }
        Ok(())
    }

    /// Clusters of the file that an entry has to itself no longer.
    fn give_back(&mut self, entry: u64) {
        let shift = self.header.cluster_bits;
        match self.tables.packed(entry) {
            Some((at, bytes)) => {
                let last = at.saturating_add(bytes.max(1)) - 1;
                (at >> shift..=last >> shift).for_each(|cluster| self.counts.give_back(cluster));
            }
            None => match self.tables.host(entry) {
                0 => {}
                at => self.counts.give_back(at >> shift),
            },
        }
    }
}

impl BlockLayout for Qcow2 {
    fn size_bytes(&self) -> u64 {
        self.header.size
    }

    fn block_bytes(&self) -> u64 {
        self.header.cluster()
    }

    fn find(&mut self, store: &mut dyn Store, address: u64) -> io::Result<GuestSpan> {
        self.tables.find(store, address)
    }

    fn whole(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Option<u64>> {
        match self.tables.cluster(store, index)? {
            Some(Cluster::Stored(at)) if self.is_single(store, at)? => {
                self.begin(store)?;
                Ok(Some(at))
            }
            _ => Ok(None),
        }
    }

    fn claim(&mut self, store: &mut dyn Store, index: u64) -> io::Result<Claim> {
        self.begin(store)?;
        let entry = self.tables.entry(store, index)?;
        let host = self.tables.host(entry);
        if self.tables.packed(entry).is_none() && host != 0 && self.is_single(store, host)? {
            return Ok(Claim {
                at: host,
                fresh: false,
            });
        }
        let at = self.take(store)?;
        let fresh = at >= self.clean;
        Ok(Claim { at, fresh })
    }

    fn settle(&mut self, store: &mut dyn Store, index: u64, at: u64) -> io::Result<()> {
        self.own_table(store, index)?;
        let entry = self.tables.entry(store, index)?;
        if self.tables.packed(entry).is_some() || self.tables.host(entry) != at {
            self.give_back(entry);
        }
        self.tables.set(store, index, at | COPIED, ALL_PARTS)
    }

    fn unpack(&mut self, store: &mut dyn Store, key: u64) -> io::Result<Vec<u8>> {
        let (at, bytes) = self.tables.place_of(key);
        let there = store.size_bytes().saturating_sub(at).min(bytes);
        let mut packed = vec![0; length(there)?];
        store.get(at, &mut packed)?;
        let cluster = length(self.header.cluster())?;
        let unpacked = self.header.method.unpack(&packed, cluster);
        unpacked.map_err(super::reading::failed)
    }

    fn is_full(&self) -> bool {
        self.tables.is_full() || self.counts.is_full()
    }

    /// Data and space, then the way to new counts, then the tables of clusters, then what is free now.
    fn commit(&mut self, store: &mut dyn Store) -> io::Result<()> {
        let end = end_of(self.counts.end(), 0)?;
        if self.counts.is_dirty() && store.size_bytes() < end {
            store.set_len(end)?;
        }
        self.tables.write_new(store)?;
        self.counts.write_blocks(store)?;
        store.flush()?;
        if self.counts.write_table(store)? {
            store.flush()?;
        }
        if self.tables.write(store)? {
            store.flush()?;
        }
        if self.counts.settle(store)? {
            store.flush()?;
        }
        Ok(())
    }
}

/// The span of a stretch without a table.
const fn below(room: u64) -> GuestSpan {
    let piece = GuestPiece::Below;
    GuestSpan { piece, room }
}
