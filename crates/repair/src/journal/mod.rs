//! The journal of a move: everything that is needed to go on, or to go back, after a crash.
//!
//! It is a file on another file system than the disk. Its whole space is reserved before the first byte
//! moves, so it never runs full in the middle; a lock keeps a second program away; every record carries the
//! name of this run and a CRC-32, the job a hash. See [`JournalHeader`] for the layout and
//! [`crate::mover`] for what is durable when.

mod codec;
mod create;
mod file;
mod header;
mod open;
mod record;
mod sign;
mod state;

use std::ops::Range;
use std::path::PathBuf;

pub use create::{JournalSizes, header_for};
pub use file::{JournalFile, JournalGlance};
pub use header::{JournalHeader, PIECE_MOST, SLOT_MOST};
#[doc(hidden)]
pub use sign::sign;
pub use state::{JournalState, Stage, Staged};

use crate::mover::{Job, MoveOrigin};
use crate::{Disk, Error, Result};

/// An open journal. It is kept on a [`Disk`] too: a file, or a model that loses power.
pub struct Journal<'a> {
    store: &'a mut dyn Disk,
    header: JournalHeader,
    /// The number of the newest record.
    number: u64,
    /// The slot that the newest record speaks of: not to be written on.
    busy: Option<u8>,
    unreadable: Vec<Range<u64>>,
}

/// The contents of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The whole job.
    pub job: Job,
    /// How far it has come.
    pub state: JournalState,
    /// The unreadable places, by addresses before the move.
    pub unreadable: Vec<Range<u64>>,
    /// The name of this run, which the marker on the disk has too.
    pub run: u128,
    /// The machine that it was begun on.
    pub host: String,
    /// The absolute path of this journal there.
    pub journal: PathBuf,
    /// What the caller knew the disk by.
    pub target: String,
}

impl Contents {
    /// Of a run that begins.
    pub fn first(header: &JournalHeader, job: &Job, origin: &MoveOrigin) -> Self {
        let MoveOrigin {
            host,
            journal,
            target,
        } = origin.clone();
        Self {
            job: job.clone(),
            state: JournalState::first(),
            unreadable: Vec::new(),
            run: header.id,
            host,
            journal,
            target,
        }
    }

    /// Whether `rollback` can still be chosen.
    pub const fn can_roll_back(&self) -> bool {
        !matches!(self.state.stage, Stage::Committed | Stage::Done)
    }
}

/// Reads a journal without touching it, for showing it.
pub fn read(store: &mut dyn Disk) -> Result<Contents> {
    open::open(store).map(|(_, contents)| contents)
}

/// Whether a journal was cut off while it was made: nothing was written to its disk.
pub fn is_unfinished(store: &mut dyn Disk) -> Result<bool> {
    open::is_unfinished(store)
}

impl<'a> Journal<'a> {
    /// Opens the journal of an interrupted job. What a killed program left in caches is made durable
    /// first: what is read here must still be true after the next crash.
    pub fn open(store: &'a mut dyn Disk) -> Result<(Self, Contents)> {
        store.flush().map_err(failed)?;
        let (header, contents) = open::open(store)?;
        let journal = Self {
            store,
            header,
            number: contents.state.number,
            busy: contents.state.staged.map(|staged| staged.slot),
            unreadable: contents.unreadable.clone(),
        };
        Ok((journal, contents))
    }

    /// Sizes and places.
    pub const fn header(&self) -> &JournalHeader {
        &self.header
    }

    /// The unreadable places, by addresses before the move.
    pub fn unreadable(&self) -> &[Range<u64>] {
        &self.unreadable
    }

    /// The slot that may be written now.
    pub fn free_slot(&self) -> u8 {
        u8::from(self.busy == Some(0))
    }

    /// Writes a record; it counts once [`sync`](Self::sync) has returned. The number is set here.
    pub fn record(&mut self, state: &JournalState) -> Result<()> {
        let number = self.number + 1;
        let state = JournalState {
            number,
            unreadable: u32::try_from(self.unreadable.len()).unwrap_or(u32::MAX),
            ..*state
        };
        create::write_state(self.store, self.header.id, &state).map_err(failed)?;
        self.number = number;
        self.busy = state.staged.map(|staged| staged.slot);
        Ok(())
    }

    /// Everything written so far is durable.
    pub fn sync(&mut self) -> Result<()> {
        self.store.flush().map_err(failed)
    }

    /// Writes and makes durable.
    pub fn settle(&mut self, state: &JournalState) -> Result<()> {
        self.record(state)?;
        self.sync()
    }

    /// The start of a slot in the store.
    pub const fn slot_at(&self, slot: u8) -> u64 {
        self.slot(slot, 0)
    }

    /// What the journal is kept on: for the slots, which are written without a record.
    pub fn store(&mut self) -> &mut dyn Disk {
        self.store
    }

    /// Reads data of a window out of a slot.
    pub fn read_slot(&mut self, slot: u8, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let at = self.slot(slot, offset);
        self.store.read_at(at, bytes).map_err(failed)
    }

    const fn slot(&self, slot: u8, offset: u64) -> u64 {
        let second = if slot == 0 { 0 } else { self.header.slot_bytes };
        self.header.slots_at + second + offset
    }

    /// Adds places that could not be read, and makes them and all before durable.
    pub fn add_unreadable(&mut self, places: &[Range<u64>]) -> Result<()> {
        create::write_unreadable(self.store, self.unreadable.len(), places)?;
        self.unreadable.extend_from_slice(places);
        self.sync()
    }
}

/// What the store has said, as an error of the journal.
pub(crate) fn failed(error: std::io::Error) -> Error {
    Error::io("the journal cannot be read or written", error)
}
