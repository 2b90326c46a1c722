//! The whole way of a job, forth and back, by its recorded state.

use super::flight::Flight;
use super::load::{Hands, Loaded};
use super::meter::Meter;
use super::{Done, Job, MoveVerdict, MoverOptions, MoverOutcome, Side, Track, disk_check};
use crate::journal::{Contents, Journal, JournalState, Stage};
use crate::{Disk, Error, ErrorKind, Result};

const NO_WAY_BACK: &str = "all data are in their new places and the new table is written or being written: \
                           there is no way back, `--resume` finishes";

/// The places of a run, without its disk.
macro_rules! places {
    ($run:expr) => {
        disk_check::JobPlaces {
            job: &$run.job,
            flight: &$run.flight,
            state: &$run.state,
            unreadable: $run.journal.unreadable(),
        }
    };
}

/// One run of a job.
pub struct MoverRun<'a> {
    pub(super) disk: &'a mut dyn Disk,
    pub(super) journal: Journal<'a>,
    pub(super) job: Job,
    pub(super) state: JournalState,
    /// What stands on the disk meanwhile.
    pub(super) flight: Flight,
    /// The move had come to its end before this run: the disk may have been in use since.
    pub(super) has_ended: bool,
    pub(super) options: MoverOptions,
    pub(super) meter: Meter<'a>,
    /// The size of one read or write, for the whole life of the journal.
    pub(super) piece: u64,
    /// A window, or a piece.
    pub(super) buffer: Vec<u8>,
    /// The window that was loaded while the one before was written.
    pub(super) ahead: Option<Loaded>,
    /// Memory for that, when it has been used once.
    pub(super) spare: Vec<u8>,
    /// What it is loaded with.
    pub(super) hands: Option<Hands>,
    /// A piece that is read back.
    pub(super) check: Vec<u8>,
}

impl<'a> MoverRun<'a> {
    /// A run on a journal that was just made or opened.
    pub fn new(
        disk: &'a mut dyn Disk,
        mut journal: Journal<'a>,
        (contents, flight): (Contents, Flight),
        options: MoverOptions,
        meter: Meter<'a>,
    ) -> Self {
        let hands = Hands::of(disk, journal.store());
        let header = journal.header();
        let piece = header.piece_bytes;
        let window = usize::try_from(piece.max(header.slot_bytes)).unwrap_or(0);
        Self {
            disk,
            job: contents.job,
            state: contents.state,
            flight,
            has_ended: false,
            options,
            meter,
            piece,
            buffer: vec![0; window],
            ahead: None,
            spare: Vec::new(),
            hands,
            check: vec![0; usize::try_from(piece).unwrap_or(0)],
            journal,
        }
    }

    /// To the end: marks, data, contents, tables.
    pub fn forward(&mut self) -> Result<Done> {
        self.meter.begin_at(self.there());
        if self.state.stage == Stage::Marking {
            self.mark()?;
            self.enter(Stage::Moving)?;
        }
        if self.state.stage == Stage::Moving {
            self.travel(Side::Destination)?;
            self.enter(Stage::Contents)?;
        }
        if self.state.stage == Stage::Contents {
            self.write_contents(Side::Destination)?;
            self.enter(Stage::Committed)?;
        }
        if self.state.stage == Stage::Committed {
            self.commit()?;
            self.enter(Stage::Done)?;
        }
        Ok(self.done())
    }

    /// Back to where it began.
    pub fn backward(&mut self) -> Result<Done> {
        if matches!(self.state.stage, Stage::Committed | Stage::Done) {
            return Err(Error::new(ErrorKind::Refused, NO_WAY_BACK));
        }
        self.meter.begin_at(self.there());
        if self.state.stage == Stage::Contents {
            self.write_contents(Side::Source)?;
            self.enter(Stage::Moving)?;
        }
        if self.state.stage == Stage::Moving {
            self.travel(Side::Source)?;
            self.uncover_gap()?;
            self.enter(Stage::Marking)?;
        }
        if self.state.stage == Stage::Marking {
            self.unmark()?;
            self.enter(Stage::RolledBack)?;
        }
        Ok(self.done())
    }

    /// Ends what was on its way when the last run ended.
    pub fn recover(&mut self, toward: Side) -> Result<()> {
        if matches!(self.state.stage, Stage::Done | Stage::RolledBack) {
            return Ok(());
        }
        disk_check::no_marker(self.disk, Some(self.flight.run))?;
        let back = toward == Side::Source;
        let outlook = disk_check::outlook(self.disk, &places!(self), back)?;
        let mut is_marked = outlook.is_marked;
        match outlook.verdict {
            MoveVerdict::Sound => {}
            MoveVerdict::Ended => self.has_ended = true,
            MoveVerdict::Changed(_) if self.options.trust_disk => {
                self.mark_again()?;
                is_marked = true;
            }
            MoveVerdict::Changed(why) | MoveVerdict::Absent(why) => {
                return Err(Error::new(ErrorKind::Refused, why));
            }
        }
        let needs_covers = match self.state.stage {
            Stage::Marking => is_marked && !back,
            Stage::Moving | Stage::Contents => is_marked,
            _ => false,
        };
        if needs_covers {
            self.cover_again()?;
        }
        match (self.state.staged, self.track()) {
            (Some(staged), Some(track)) => self.redo(track, staged),
            _ => Ok(()),
        }
    }

    /// The marker, so that this run is known by it whatever of the rest is put right before the next crash.
    fn mark_again(&mut self) -> Result<()> {
        let first = self.flight.covers.first();
        let first = first.map(|one| (one.at, one.flight.clone()));
        self.write_all(first.as_slice())
    }

    /// All that the marker stands for, where others have put something else: the disk is in flight again.
    fn cover_again(&mut self) -> Result<()> {
        let all = places!(self).uncovered(self.disk);
        if all.is_empty() {
            return Ok(());
        }
        // The marker of a killed run may be in a cache only, and nothing else is covered before it is durable.
        self.flush()?;
        self.write_all(&all)
    }

    fn track(&self) -> Option<Track> {
        let index = usize::try_from(self.state.index).ok()?;
        self.job.moves.get(index).copied().map(Track)
    }

    /// The data that live at their destinations.
    fn there(&self) -> u64 {
        let index = usize::try_from(self.state.index).unwrap_or(usize::MAX);
        let whole = self.job.moves.iter().take(index);
        whole.fold(self.state.done, |sum, one| sum.saturating_add(one.bytes))
    }

    fn enter(&mut self, stage: Stage) -> Result<()> {
        self.state.stage = stage;
        self.journal.settle(&self.state)
    }

    /// Window by window, until all data live on one side.
    fn travel(&mut self, toward: Side) -> Result<()> {
        while let Some(track) = self.next_track(toward) {
            if toward == Side::Source && self.source_is_untouched() {
                self.meter.saved(self.state.done);
                self.state.done = 0;
                self.journal.settle(&self.state)?;
            } else {
                self.one_window(track, toward)?;
            }
        }
        Ok(())
    }

    fn one_window(&mut self, track: Track, toward: Side) -> Result<()> {
        if !track.overlaps() {
            return self.copy_apart(track, toward);
        }
        let header = self.journal.header();
        let staged = track.0.distance() < header.direct_from && header.slot_bytes > 0;
        let most = if staged {
            header.slot_bytes
        } else {
            track.0.distance().min(self.options.chunk)
        };
        let window = track.next(toward, self.state.done, most);
        if staged {
            self.stage(track, toward, &window)?;
        } else {
            self.copy(track, toward, &window)?;
        }
        self.state.done = Track::done_after(toward, &window);
        let is_complete = self.state.done == 0 || self.state.done == track.0.bytes;
        if staged && !is_complete {
            // Recorded with the next window; a crash until then writes this one again.
            return Ok(());
        }
        self.journal.settle(&self.state)
    }

    /// The move that is next, with the state put at its edge; `None` when all is on that side.
    fn next_track(&mut self, toward: Side) -> Option<Track> {
        let track = self.track();
        match (toward, track) {
            (Side::Destination, Some(track)) if self.state.done == track.0.bytes => {
                self.state.index += 1;
                self.state.done = 0;
                self.track()
            }
            (Side::Source, _) if self.state.done == 0 => {
                self.state.index = self.state.index.checked_sub(1)?;
                let track = self.track();
                self.state.done = track.map_or(0, |track| track.0.bytes);
                track
            }
            _ => track,
        }
    }

    /// Whether no move writes on what this one has read: then going back is to forget it.
    fn source_is_untouched(&self) -> bool {
        let index = usize::try_from(self.state.index).unwrap_or(usize::MAX);
        let source = self.track().map_or(0..0, |track| track.0.source());
        let mut later = self.job.moves.iter().skip(index);
        !later.any(|one| super::job::overlap(&one.destination(), &source))
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        flush(self.disk)
    }

    fn done(&self) -> Done {
        Done {
            outcome: match self.state.stage {
                Stage::RolledBack => MoverOutcome::RolledBack,
                _ => MoverOutcome::Moved,
            },
            moved_bytes: self.job.moved_bytes(),
            written_bytes: self.meter.written,
            verified_bytes: self.meter.verified,
            unreadable: self.journal.unreadable().to_vec(),
        }
    }
}

/// Flushes a disk, with a word for it.
pub fn flush(disk: &mut dyn Disk) -> Result<()> {
    let flushed = disk.flush();
    flushed.map_err(|error| Error::io("the disk does not make durable what was written", error))
}
