//! What in a partition, or in boot code, says where a partition starts: patched with the move, or told.
//!
//! A partition is mostly indifferent to its place. Some things in it are not: the hidden sectors of FAT
//! and NTFS, the block lists of boot loaders, stores that name a partition by its offset. Each reader
//! here gives the bytes to change, or says what happens when they cannot be changed.
//!
//! A planner calls three functions: [`reserved`] before it looks for places, [`fixups`] when it has them,
//! and [`joined`] to make one list of the patches of tables and of boot code.

mod joined;

use std::ops::Range;

use crate::tables::Table;
use crate::{Disk, Patch, Result};

pub use joined::joined;

/// A partition that goes elsewhere, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its number.
    pub number: u32,
    /// Where it starts now.
    pub from: u64,
    /// Where it will start.
    pub to: u64,
    /// Its length.
    pub bytes: u64,
}

/// How much a consequence matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Done with the move, or worth knowing.
    Told,
    /// Something must be done by hand afterwards, or boot fails.
    Warned,
    /// The move would break what is there: it is refused unless the operator takes it upon himself.
    Refused,
}

/// What a move means for boot or contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// The partition that it is about, if it is about one.
    pub partition: Option<u32>,
    /// How much it matters.
    pub weight: Weight,
    /// What is so, in one sentence.
    pub what: String,
    /// What to do about it, if anything.
    pub advice: Option<String>,
}

/// What must be written beside the data, and what is to be told.
#[derive(Clone, Debug, Default)]
pub struct Fixups {
    /// Contents and boot code, all in terms of the mover; no two share a block. Those of
    /// [`Phase::Table`](crate::Phase::Table) may lie on sectors that the table is written to as well:
    /// [`joined`] makes one of two.
    pub patches: Vec<Patch>,
    /// For the plan and for the report.
    pub consequences: Vec<Consequence>,
}

/// Bytes outside all partitions that nothing may be moved over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Whole logical blocks.
    pub place: Range<u64>,
    /// Whose they are, for people: `core.img of GRUB`.
    pub what: String,
}

/// What must stay free of partitions, in order of place: boot code between the table and the first
/// partition above all. For `keep` of the job, and for where the first partition may start.
pub fn reserved(_disk: &mut dyn Disk, _table: &Table) -> Result<Vec<Reserved>> {
    Ok(Vec::new())
}

/// What these moves ask of boot code and contents. The disk is only read.
pub fn fixups(_disk: &mut dyn Disk, _table: &Table, _moved: &[Moved]) -> Result<Fixups> {
    Ok(Fixups::default())
}
