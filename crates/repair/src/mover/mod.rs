//! Moves data within one disk so that no crash at any instruction loses a byte.
//!
//! # What is promised
//!
//! From any crash on, [`resume`] ends in the new layout and [`rollback`] in the old one, with every byte of
//! every partition right, and again from a crash during those. Rollback is possible until the *commit*;
//! from there on `resume` only finishes.
//!
//! # States
//!
//! `Marking → Moving(i, done) → Contents → Committed → Done`, and back `Contents → Moving → Marking → RolledBack`.
//! The state says nothing of a direction: each is a place on one way that can be gone either way at any time.
//!
//! # The marker
//!
//! A disk with a move in flight is not usable by other programs. Before the first byte moves the first sector becomes a
//! marker ([`MoveMarker`](ioalign_core::move_marker::MoveMarker)), GPT headers lose their signature, and the
//! superblocks of moved partitions, with their copies, are replaced (`flight`): the originals are in the journal, and
//! the replacements move in their place. The marker is durable before anything else is replaced, and it is replaced by
//! a table only when all else is durable in its place, in the new layout or in the old. So at every moment one of these
//! holds:
//!
//! * the first sector is the marker of this run, by its id: there is no table, and what is covered is not found
//!   without one either, from the end of `Marking` to the begin of `Contents`;
//! * all is as before the job (nothing is covered yet, or all has been put back), or all is as after it. The
//!   first sector is then the old one, the new one, or, where power went out while that very sector was written,
//!   neither; a disk without a readable table is not taken for anything, and both ways out write it once more.
//!
//! A run that *starts* in `Marking` with the old first sector, or in `Committed` with the new one, and finds no image of
//! flight in any place, has nothing left to do: the disk may have been in use since, and nothing else is written. A run
//! that has moved data itself never concludes so.
//!
//! # Others
//!
//! Before a run goes on, every place that the job replaces is compared with its images before, in flight and after
//! (`disk_check`). Known images are covered again, the marker first, and from then on the disk is as the journal says.
//! Other bytes are somebody else's: only by force are they written over. A disk with no image of flight on it is not
//! the disk of the job, and is not written by force either.
//!
//! # Invariants
//!
//! 1. In `Moving(i, done)` all moves before `i` live at their destinations, those behind at their sources, and
//!    of move `i` the positions below `done` live at the destination, the others at the source
//!    ([`job::Track`]). What *lives* somewhere is durable there, and nothing writes over it.
//! 2. A window is written over its own source (it is longer than the distance) only while its bytes are
//!    durable in a slot of the journal, and a durable record says so (`staged`).
//! 3. A slot is written only when no durable record speaks of it: there are two, by turns.
//! 4. Records of even and odd number lie apart; between two records there is a `sync`. One of them is whole.
//! 5. Outside the destinations nothing is written before the commit but what is covered, and the journal has
//!    all of that as it was, with the free space that data go over (up to 64 MiB of it).
//! 6. Without the marker in the first sector nothing else is covered, and no table is written.
//!
//! # What is durable when
//!
//! A window that is *copied* (no overlap, or a window not longer than the distance):
//! read and hash, write, flush the disk, read back, record `done`, sync the journal. Where old and new place share
//! nothing, the next window is read and written meanwhile: it goes where nothing lives, and no record speaks of it.
//!
//! A window that is *staged*: read and hash into memory and slot, record `done` (which closes the window
//! before) and `staged`, sync the journal, write, flush the disk, read back. So there are two flushes for
//! each window at any distance: a move by two sectors is as fast as one by 1 MiB. While it is written,
//! flushed and read back, the next window is read into memory and into the other slot; its record waits for
//! both.
//!
//! `Contents` is recorded before the first patch of contents is written and the first superblock put back,
//! `Committed` after all of them are read back, then the tables, in the order of the job, each durable before
//! the next, the first sector last, then `Done`.
//!
//! # Why recovery is right
//!
//! * A crash while a window is copied: the record holds, by 1 its source lives, it is done again from its start.
//! * A crash before the sync of a staged window: either the record before counts, or the new one does. If its
//!   slot is whole it is written to its place, which is where it goes anyhow. If not, the sync had not
//!   returned, so nothing was written and the source has the recorded hash; if it has not, the *journal* is
//!   damaged, and that is said instead of going on.
//! * A crash after it: the slot is whole by 2 and 3; writing it again is the same bytes.
//! * A crash while patches are written: the journal has both images, and writing either is the same bytes.
//! * A killed program leaves records in caches that power loss takes away: opening a journal flushes it before
//!   anything is decided by it. The disk needs no such care: a record never counts on what was not flushed
//!   before it was written, and the first sector is written once more and flushed before the last record.
//! * Going back undoes patches of contents, then moves in reverse order, then what moves covered; then, in
//!   `Marking`, superblocks, GPT headers and at last the first sector. A move whose source nothing has written
//!   on is not moved back but forgotten.
//!
//! Verification reads a window back *before* its other copy is given up (the source, or the slot), so a disk
//! that does not keep what it is given is found while the data still exist, and the window is written again.

mod apart;
pub mod digest;
pub(crate) mod disk_check;
mod file;
mod flight;
mod ground;
pub(crate) mod holes;
pub mod job;
mod load;
mod meter;
mod options;
mod origin;
pub(crate) mod reading;
mod run;
mod span;
mod stage;
pub(crate) mod verify;
mod window;

use std::ops::Range;
use std::path::Path;

pub use disk_check::{ForeignBytes, MoveVerdict, Outlook};
pub use file::FileDisk;
pub use job::{Identity, Job, Move, Patch, PatchPhase, Side, Track, Witness, check};
pub use meter::{MoverProgress, Task, Watch};
pub use options::{MoverOptions, ReadErrors, Verify};
pub use origin::MoveOrigin;

use crate::journal::{Contents, Journal, JournalFile, header_for};
use crate::{Disk, Error, Result};
use flight::Flight;
pub(crate) use meter::Meter;
use run::MoverRun;

/// In which layout a disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoverOutcome {
    /// The new one.
    Moved,
    /// The old one.
    RolledBack,
}

/// What a run that came to an end has done.
#[derive(Clone, Debug)]
pub struct Done {
    /// The layout.
    pub outcome: MoverOutcome,
    /// The data of the whole job.
    pub moved_bytes: u64,
    /// Written in this run, to the disk and to the journal.
    pub written_bytes: u64,
    /// Read back and compared in this run.
    pub verified_bytes: u64,
    /// Places that could not be read and hold zeros now, by their addresses before the move.
    pub unreadable: Vec<Range<u64>>,
}

/// Does a job with a new journal file, and deletes that when all is done.
pub fn apply(
    disk: &mut dyn Disk,
    journal: &Path,
    job: &Job,
    origin: &MoveOrigin,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    origin.check()?;
    before(disk, job)?;
    let mut file = JournalFile::create(journal, journal_bytes(job, options)?)?;
    let name = file.name();
    let run = begin(disk, file.store(), job, origin, options, watch);
    let done = run.and_then(|mut run| {
        name.check()?;
        run.forward()
    });
    match done {
        Ok(done) => {
            file.remove()?;
            Ok(done)
        }
        Err(error) => Err(take_back(disk, job, file, error)),
    }
}

/// Deletes a journal of which nothing has come to the disk: it would only be in the way.
fn take_back(disk: &mut dyn Disk, job: &Job, file: JournalFile, error: Error) -> Error {
    let is_untouched = before(disk, job).is_ok();
    match is_untouched && file.remove().is_ok() {
        true => error.advise("nothing was written, and the journal is gone"),
        false => error,
    }
}

/// Goes on with the job of a journal to its end.
pub fn resume(
    disk: &mut dyn Disk,
    journal: &Path,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    kept_in(JournalFile::open(journal)?, |store| {
        resume_with(disk, store, options, watch)
    })
}

/// Brings back the layout from before the job of a journal.
pub fn rollback(
    disk: &mut dyn Disk,
    journal: &Path,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    kept_in(JournalFile::open(journal)?, |store| {
        rollback_with(disk, store, options, watch)
    })
}

/// Deletes the journal of a run that came to its end, and only then.
fn kept_in(mut file: JournalFile, run: impl FnOnce(&mut dyn Disk) -> Result<Done>) -> Result<Done> {
    let done = run(file.store())?;
    file.remove()?;
    Ok(done)
}

/// How long the journal of a job is.
pub fn journal_bytes(job: &Job, options: &MoverOptions) -> Result<u64> {
    let sizes = options.sizes(job.identity.logical_bytes)?;
    Ok(header_for(job, sizes).total_bytes)
}

/// What is on the disk of the job of a journal: whether that can go on (or `back`), and what others have written.
pub fn outlook(disk: &mut dyn Disk, contents: &Contents, back: bool) -> Result<Outlook> {
    let flight = Flight::of_run(contents)?;
    let places = disk_check::JobPlaces {
        job: &contents.job,
        flight: &flight,
        state: &contents.state,
        unreadable: &contents.unreadable,
    };
    disk_check::outlook(disk, &places, back)
}

fn before(disk: &mut dyn Disk, job: &Job) -> Result<()> {
    check(job, disk.size_bytes(), disk.logical_bytes())?;
    disk_check::before_starting(disk, job)?;
    disk_check::before_marking(disk, job)
}

/// [`apply`] with a journal on any store of [`journal_bytes`].
pub fn apply_with(
    disk: &mut dyn Disk,
    store: &mut dyn Disk,
    job: &Job,
    origin: &MoveOrigin,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    origin.check()?;
    before(disk, job)?;
    begin(disk, store, job, origin, options, watch)?.forward()
}

/// A run with a new journal.
fn begin<'a>(
    disk: &'a mut dyn Disk,
    store: &'a mut dyn Disk,
    job: &Job,
    origin: &MoveOrigin,
    options: &MoverOptions,
    watch: &'a mut Watch<'a>,
) -> Result<MoverRun<'a>> {
    let header = header_for(job, options.sizes(disk.logical_bytes())?);
    let contents = Contents::first(&header, job, origin);
    let flight = Flight::of_run(&contents)?;
    let journal = Journal::create(store, header, &contents)?;
    let meter = Meter::new(watch, options.limit, Task::Moving, job.moved_bytes());
    let parts = (contents, flight);
    Ok(MoverRun::new(disk, journal, parts, options.clone(), meter))
}

/// [`resume`] with any store.
pub fn resume_with(
    disk: &mut dyn Disk,
    store: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let mut run = open(disk, store, options, watch, Task::Moving)?;
    run.recover(Side::Destination)?;
    run.forward()
}

/// [`rollback`] with any store.
pub fn rollback_with(
    disk: &mut dyn Disk,
    store: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let mut run = open(disk, store, options, watch, Task::MovingBack)?;
    run.recover(Side::Source)?;
    run.backward()
}

fn open<'a>(
    disk: &'a mut dyn Disk,
    store: &'a mut dyn Disk,
    options: &MoverOptions,
    watch: &'a mut Watch<'a>,
    task: Task,
) -> Result<MoverRun<'a>> {
    let (journal, contents) = Journal::open(store)?;
    let header = journal.header();
    let (size, logical) = (header.disk_bytes, header.logical_bytes);
    check(&contents.job, size, logical)?;
    check(&contents.job, disk.size_bytes(), disk.logical_bytes())?;
    let total = contents.job.moved_bytes();
    let meter = Meter::new(watch, options.limit, task, total);
    let flight = Flight::of_run(&contents)?;
    let parts = (contents, flight);
    Ok(MoverRun::new(disk, journal, parts, options.clone(), meter))
}
