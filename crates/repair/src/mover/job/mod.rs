//! What is to be moved and what is to be written, as plain data: a planner makes it, the mover does it,
//! the journal holds it.

mod check;
mod identity;
mod ranges;
mod saved;
mod track;

use std::ops::Range;

pub use check::check;
pub(crate) use identity::touches;
pub use identity::{Identity, Witness};
pub(crate) use ranges::without;
pub use saved::{SavedBlocks, SavedBytes};
pub use track::{Side, Track};

/// One partition's data: `bytes` of them go from `from` to `to`. All three are whole logical blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The place of the first byte.
    pub from: u64,
    /// Its destination.
    pub to: u64,
    /// How many.
    pub bytes: u64,
}

impl Move {
    /// What it takes away.
    pub const fn source(&self) -> Range<u64> {
        self.from..self.from.saturating_add(self.bytes)
    }

    /// What it fills.
    pub const fn destination(&self) -> Range<u64> {
        self.to..self.to.saturating_add(self.bytes)
    }

    /// How far.
    pub const fn distance(&self) -> u64 {
        self.from.abs_diff(self.to)
    }
}

/// When a patch is written, and what its `before` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchPhase {
    /// Inside one destination: a number that says where the partition starts (hidden sectors). Written
    /// when all data are in place; `before` is what the move brings there.
    Contents,
    /// Outside all destinations: partition tables, boot code, extended boot records. Written last, in
    /// the order of the job, each one durable before the next; `before` is what is there now.
    Table,
    /// Data go over it and nothing is to be written: an old extended boot record. `before` is what is
    /// there now, for the way back; `after` is empty.
    Covered,
}

/// Bytes that a job writes, or that its moves cover. Place and length are whole logical blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// When.
    pub phase: PatchPhase,
    /// Where.
    pub at: u64,
    /// What a rollback writes there.
    pub before: Vec<u8>,
    /// What is there when the job is done.
    pub after: Vec<u8>,
}

impl Patch {
    /// The bytes that it is about.
    pub const fn place(&self) -> Range<u64> {
        self.at..self.at.saturating_add(self.before.len() as u64)
    }
}

/// All that one fix does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// In an order in which no move writes over data that a later one reads.
    pub moves: Vec<Move>,
    /// In the order in which they are written.
    pub patches: Vec<Patch>,
    /// What nothing may write on: partitions that stay. Checked before anything is written.
    pub keep: Vec<Range<u64>>,
    /// The disk that this was planned for.
    pub identity: Identity,
}

impl Job {
    /// The bytes that move.
    pub fn moved_bytes(&self) -> u64 {
        self.moves
            .iter()
            .fold(0, |sum, m| sum.saturating_add(m.bytes))
    }

    /// Free space that data go over and a rollback does not restore: it is too much to be kept.
    pub fn free_space_not_restored_bytes(&self) -> u64 {
        self.identity.saved.missing(&self.moves)
    }

    /// The patches of a phase, in order.
    pub fn patches(&self, phase: PatchPhase) -> impl DoubleEndedIterator<Item = &Patch> {
        self.patches
            .iter()
            .filter(move |patch| patch.phase == phase)
    }
}

/// Whether two ranges share a byte.
pub(crate) const fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}
