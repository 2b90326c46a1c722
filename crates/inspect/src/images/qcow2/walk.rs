//! One pass over all tables when the image is opened: where its data lie, and what is damaged.

use std::sync::Arc;

use ioalign_core::{Remark, rules};

use super::super::ImagePolicy;
use super::super::guest::GuestPiece;
use super::super::mapped::{Damage, GuestMapBuilder};
use super::entry::{Cluster, Qcow2Shape};
use super::tables::bad_entry;
use crate::error::{Error, Result};
use crate::source::Source;

/// Bytes of the L1 table that are held at a time.
const L1_PIECE: u64 = 64 << 10;

/// Bytes of an L2 table that are passed over at once when they are zero.
const SKIP: usize = 512;

/// What the pass found.
pub struct Qcow2Walked {
    pub mapped: GuestMapBuilder,
    /// Bytes of guest data in compressed clusters.
    pub compressed: u64,
    pub remarks: Vec<Remark>,
}

struct Qcow2Walk<'a> {
    source: &'a dyn Source,
    shape: &'a Qcow2Shape,
    data_len: u64,
    mapped: GuestMapBuilder,
    compressed: u64,
    damage: Damage,
    past_end: u64,
    tables: u64,
    /// The L2 table in hand, kept for its memory.
    table: Vec<u8>,
}

/// Walks the tables of `source`; guest data are in a file of `data_len` bytes.
pub fn walk(
    source: &Arc<dyn Source>,
    shape: &Qcow2Shape,
    data_len: u64,
    policy: &ImagePolicy,
) -> Result<Qcow2Walked> {
    let mut walk = Qcow2Walk {
        source: source.as_ref(),
        shape,
        data_len,
        mapped: GuestMapBuilder::new(policy),
        compressed: 0,
        damage: Damage::default(),
        past_end: 0,
        tables: 0,
        table: Vec::new(),
    };
    walk.l1().map_err(|error| error.in_file(source.path()))?;
    Ok(walk.finish())
}

impl Qcow2Walk<'_> {
    fn l1(&mut self) -> Result<()> {
        let mut index = 0;
        let mut held = Vec::new();
        while index < self.shape.l1_entries {
            let bytes = ((self.shape.l1_entries - index) * 8).min(L1_PIECE);
            let at = self.shape.l1_offset + index * 8;
            self.fill(&mut held, at, bytes)?;
            for (i, entry) in words(&held).enumerate() {
                if !self.l1_entry(entry, index + i as u64)? {
                    return Ok(());
                }
            }
            index += bytes / 8;
        }
        Ok(())
    }

    /// Whether to go on.
    fn l1_entry(&mut self, entry: u64, index: u64) -> Result<bool> {
        let table = match self.shape.table(entry) {
            Ok(None) => return Ok(true),
            Ok(Some(table)) => table,
            Err(bad) => {
                let at = self.shape.l1_offset + index * 8;
                self.damage.add(|| bad_entry(bad, at, "l1_entry"));
                return Ok(true);
            }
        };
        // Each table fills a cluster of its own, so there cannot be more of them.
        self.tables += 1;
        if self.tables > self.shape.file_len >> self.shape.cluster_bits {
            let what = "The L1 table names more L2 tables than the file has clusters";
            return Err(Error::malformed(what)
                .at(self.shape.l1_offset)
                .field("l1_entry"));
        }
        self.l2(table, index * self.shape.span())
    }

    fn l2(&mut self, table: u64, guest: u64) -> Result<bool> {
        let shape = self.shape;
        let clusters = (shape.size - guest)
            .min(shape.span())
            .div_ceil(shape.cluster());
        let bytes = clusters * shape.entry();
        if !self.mapped.may_read(bytes) {
            return Ok(false);
        }
        let mut held = std::mem::take(&mut self.table);
        self.fill(&mut held, table, bytes)?;
        for (i, piece) in held.chunks(SKIP).enumerate() {
            // Most of the table of a sparse image.
            if !is_zero(piece) {
                let done = (i * SKIP) as u64;
                let guest = guest + done / shape.entry() * shape.cluster();
                self.l2_piece(piece, table + done, guest);
            }
        }
        self.table = held;
        Ok(true)
    }

    /// Entries that stand at `at` in the file and map from guest address `guest`.
    fn l2_piece(&mut self, piece: &[u8], at: u64, guest: u64) {
        if self.shape.extended {
            for (i, raw) in piece.as_chunks::<16>().0.iter().enumerate() {
                let (entry, bitmap) = halves(u128::from_be_bytes(*raw));
                self.l2_entry(entry, bitmap, (at, guest), i as u64);
            }
        } else {
            for (i, entry) in words(piece).enumerate() {
                self.l2_entry(entry, 0, (at, guest), i as u64);
            }
        }
    }

    /// Entry `i` of the piece at `at`, which maps from guest address `guest`.
    #[inline]
    fn l2_entry(&mut self, entry: u64, bitmap: u64, (at, guest): (u64, u64), i: u64) {
        // Nothing is stored there for any bitmap.
        if entry == 0 {
            return;
        }
        let address = guest + (i << self.shape.cluster_bits);
        match self.shape.read(entry, bitmap, address) {
            Ok(cluster) => self.cluster(cluster, address),
            Err(bad) => {
                let at = at + i * self.shape.entry();
                self.damage.add(|| bad_entry(bad, at, "l2_entry"));
            }
        }
    }

    fn cluster(&mut self, cluster: Cluster, guest: u64) {
        let len = self.shape.cluster().min(self.shape.size - guest);
        match cluster {
            Cluster::Below | Cluster::Zero => {}
            Cluster::Stored(at) => self.stored(guest, at, len),
            Cluster::Packed(_) => self.compressed = self.compressed.saturating_add(len),
            Cluster::Parts { .. } => self.parts(cluster, guest, len),
        }
    }

    fn parts(&mut self, cluster: Cluster, guest: u64, len: u64) {
        let mut within = 0;
        while within < len {
            let span = cluster.span(within, self.shape);
            let part = span.room.min(len - within);
            if let GuestPiece::Stored { at, .. } = span.piece {
                self.stored(guest + within, at, part);
            }
            within += part;
        }
    }

    fn stored(&mut self, guest: u64, at: u64, len: u64) {
        if at >= self.data_len {
            self.past_end = self.past_end.saturating_add(1);
        }
        self.mapped.push(guest, at, len);
    }

    fn fill(&self, held: &mut Vec<u8>, at: u64, bytes: u64) -> Result<()> {
        held.resize(usize::try_from(bytes).unwrap_or(0), 0);
        self.source.read_at(at, held)
    }

    fn finish(self) -> Qcow2Walked {
        let mut remarks = Vec::new();
        remarks.extend(
            self.damage
                .remark(rules::QCOW2_BAD_ENTRIES, "table entries"),
        );
        if self.past_end != 0 {
            let why = format!(
                "{} data clusters lie behind the end of the file's {} bytes and read as zeros: \
                 the file was cut off.",
                self.past_end, self.data_len
            );
            remarks.push(Remark::new(
                rules::IMAGE_CUT_OFF,
                ioalign_core::Severity::DataRisk,
                why,
            ));
        }
        Qcow2Walked {
            mapped: self.mapped,
            compressed: self.compressed,
            remarks,
        }
    }
}

/// Big-endian 64-bit words.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|raw| u64::from_be_bytes(*raw))
}

/// Without a way out in the middle, which makes it one instruction for 16 bytes or more.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |any, byte| any | byte) == 0
}

/// An extended entry: the standard descriptor and the bitmap of its subclusters.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
const fn halves(pair: u128) -> (u64, u64) {
    ((pair >> 64) as u64, pair as u64)
}
