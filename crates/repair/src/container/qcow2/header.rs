//! The numbers of the header that writing needs. That they fit together the reader has looked at.

use std::io;

use ioalign_inspect::images::qcow2::entry::Qcow2Shape;
use ioalign_inspect::images::qcow2::unpack::Method;

use super::super::fields::HeaderFields;
use super::super::store::{Store, damaged};

/// Bytes of version 3's header with all known fields.
pub const HEADER_BYTES: usize = 112;
/// Incompatible features: dirty, corrupt, data in an external file.
const UNSAFE: u64 = 0b111;
const EXTENDED: u64 = 1 << 4;
/// Autoclear feature: dirty bitmaps are right.
const BITMAPS: u64 = 1;
const AUTOCLEAR_AT: u64 = 88;
/// Where the reference counts' table is named: its offset, and how many clusters it has.
const COUNTS_AT: u64 = 48;
/// QEMU's limits.
const MOST_L1_BYTES: u64 = 32 << 20;
const MOST_COUNTS_BYTES: u64 = 8 << 20;

/// Its contents.
pub struct WritableQcow2Header {
    pub version: u32,
    pub cluster_bits: u32,
    pub size: u64,
    pub l1_at: u64,
    pub l1_entries: u64,
    pub counts_at: u64,
    pub counts_clusters: u64,
    /// A reference count has `1 << order` bits.
    pub order: u32,
    pub extended: bool,
    pub method: Method,
    autoclear: u64,
}

impl WritableQcow2Header {
    pub fn read(store: &mut dyn Store) -> io::Result<Self> {
        let raw = HeaderFields::read(store, 0, HEADER_BYTES)?;
        let version = raw.be32(4);
        let new = |value: u64| if version > 2 { value } else { 0 };
        let features = new(raw.be64(72));
        let zstd = version > 2 && raw.be32(100) > 104 && raw.0.get(104) == Some(&1);
        let header = Self {
            version,
            cluster_bits: raw.be32(20),
            size: raw.be64(24),
            l1_at: raw.be64(40),
            l1_entries: u64::from(raw.be32(36)),
            counts_at: raw.be64(COUNTS_AT.try_into().unwrap_or(48)),
            counts_clusters: u64::from(raw.be32(56)),
            order: if version > 2 { raw.be32(96) } else { 4 },
            extended: features & EXTENDED != 0,
            method: if zstd { Method::Zstd } else { Method::Deflate },
            autoclear: new(raw.be64(88)),
        };
        match features & UNSAFE {
            0 => header.check().map(|()| header),
            _ => Err(damaged("it is dirty, corrupt, or has its data elsewhere")),
        }
    }

    fn check(&self) -> io::Result<()> {
        let good = (9..=21).contains(&self.cluster_bits)
            && self.order <= 6
            && self.l1_entries * 8 <= MOST_L1_BYTES
            && self.counts_at != 0
            && (self.counts_at | self.l1_at).is_multiple_of(self.cluster())
            && self.counts_clusters != 0
            && self.counts_clusters << self.cluster_bits <= MOST_COUNTS_BYTES;
        let counts = self.counts_at
            ..self
                .counts_at
                .saturating_add(self.counts_clusters << self.cluster_bits);
        let l1 = self.l1_at..self.l1_at.saturating_add(self.l1_entries * 8);
        if good && !crate::mover::job::overlap(&counts, &l1) {
            return Ok(());
        }
        Err(damaged(
            "the table of reference counts is not where one can be",
        ))
    }

    pub const fn cluster(&self) -> u64 {
        1 << self.cluster_bits
    }

    pub const fn has_bitmaps(&self) -> bool {
        self.autoclear & BITMAPS != 0
    }

    /// Says that what only some programs keep up to date is no longer.
    pub fn clear_autoclear(&mut self, store: &mut dyn Store) -> io::Result<()> {
        if self.autoclear != 0 {
            store.put(AUTOCLEAR_AT, &[0; 8])?;
            self.autoclear = 0;
        }
        Ok(())
    }

    pub const fn shape(&self, file_len: u64) -> Qcow2Shape {
        Qcow2Shape {
            version: self.version,
            cluster_bits: self.cluster_bits,
            extended: self.extended,
            external: false,
            size: self.size,
            l1_offset: self.l1_at,
            l1_entries: self.l1_entries,
            file_len,
        }
    }
}

/// Names another table of reference counts: within one sector, so whole or not at all.
pub fn name_counts(store: &mut dyn Store, at: u64, clusters: u32) -> io::Result<()> {
    let mut bytes = at.to_be_bytes().to_vec();
    bytes.extend(clusters.to_be_bytes());
    store.put(COUNTS_AT, &bytes)
}
