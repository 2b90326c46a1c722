//! How far a job has come, as one small record.
//!
//! The newest whole record counts. Records of even and odd number have places of their own, so writing one
//! never puts the one before at risk, and each is written twice, so that one bad block does not turn the
//! clock back.

use super::codec::{RecordReader, RecordWriter};
use super::header::{BLOCK, STATES_AT};
use crate::mover::job::Side;

/// The bytes of a record.
pub const LENGTH: usize = 16 + 8 + 1 + 8 + 8 + 4 + 1 + 1 + 1 + 8 + 8 + 16 + 4;

/// The part of a job that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// All data are at their sources; the disk is being made unrecognisable, or recognisable again.
    Marking,
    /// Data move, or move back.
    Moving,
    /// All data are in place; patches of contents are being written, or undone.
    Contents,
    /// There is no way back: the tables are being written.
    Committed,
    /// All is done.
    Done,
    /// All is as it was.
    RolledBack,
}

const STAGES: [Stage; 6] = [
    Stage::Marking,
    Stage::Moving,
    Stage::Contents,
    Stage::Committed,
    Stage::Done,
    Stage::RolledBack,
];

/// A window whose data are in a slot of the journal, and which may be half written on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Which slot, 0 or 1.
    pub slot: u8,
    /// Its place during the write.
    pub toward: Side,
    /// Its positions.
    pub start: u64,
    /// Their end.
    pub end: u64,
    /// The hash of the hashes of its pieces.
    pub hash: u128,
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalState {
    /// Its number.
    pub number: u64,
    /// The current task.
    pub stage: Stage,
    /// Moves before this one are complete, those behind it not begun.
    pub index: u64,
    /// Positions of that move below this live at the destination, the others at the source.
    pub done: u64,
    /// How many places could not be read so far.
    pub unreadable: u32,
    /// The window on its way, if it went through the journal.
    pub staged: Option<Staged>,
}

impl JournalState {
    /// Nothing has been done.
    pub const fn first() -> Self {
        Self {
            number: 1,
            stage: Stage::Marking,
            index: 0,
            done: 0,
            unreadable: 0,
            staged: None,
        }
    }

    /// Where a record of this number goes: two blocks, one record in each.
    pub const fn place(number: u64) -> u64 {
        STATES_AT + (number % 2) * 2 * BLOCK
    }

    /// The record of job `id`, shorter than a logical block of 512 bytes.
    pub fn encode(&self, id: u128) -> Vec<u8> {
        let mut out = RecordWriter::default();
        out.u128(id);
        out.u64(self.number);
        let stage = STAGES.iter().position(|stage| *stage == self.stage);
        out.byte(stage.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        out.u64(self.index);
        out.u64(self.done);
        out.u32(self.unreadable);
        let staged = self.staged.as_ref();
        out.byte(u8::from(staged.is_some()));
        out.byte(staged.map_or(0, |s| s.slot));
        let back = staged.is_some_and(|s| s.toward == Side::Source);
        out.byte(u8::from(back));
        out.u64(staged.map_or(0, |s| s.start));
        out.u64(staged.map_or(0, |s| s.end));
        out.u128(staged.map_or(0, |s| s.hash));
        out.close()
    }

    /// The record in a block, if it is whole and of this job.
    pub fn decode(block: &[u8], id: u128) -> Option<Self> {
        let mut from = RecordReader::checked(block, LENGTH)?;
        if from.u128()? != id {
            return None;
        }
        let number = from.u64()?;
        let stage = *STAGES.get(usize::from(from.byte()?))?;
        let (index, done, unreadable) = (from.u64()?, from.u64()?, from.u32()?);
        let is_staged = from.byte()? == 1;
        let slot = from.byte()?;
        let toward = match from.byte()? {
            0 => Side::Destination,
            _ => Side::Source,
        };
        let (start, end, hash) = (from.u64()?, from.u64()?, from.u128()?);
        let staged = Staged {
            slot,
            toward,
            start,
            end,
            hash,
        };
        Some(Self {
            number,
            stage,
            index,
            done,
            unreadable,
            staged: is_staged.then_some(staged),
        })
    }
}
