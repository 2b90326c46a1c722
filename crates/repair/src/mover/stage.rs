//! A window that is written over its own source: into the journal first.

use std::mem::take;
use std::ops::Range;

use super::load::{Loaded, WindowLoad};
use super::run::MoverRun;
use super::span::{WindowSpan, part};
use super::window::{TRIES, will_not_keep, write};
use super::{Side, Track, digest, reading};
use crate::journal::Staged;
use crate::{Error, ErrorKind, Result};

impl MoverRun<'_> {
    /// One window, and the next one read meanwhile.
    pub(super) fn stage(&mut self, track: Track, toward: Side, window: &Range<u64>) -> Result<()> {
        let span = WindowSpan::of(track, toward, window);
        let now = self.loaded(track, toward, window)?;
        self.meter.written += span.bytes;
        self.note_unreadable(track, toward, &now.bad)?;
        self.state.staged = Some(Staged {
            slot: now.slot,
            toward,
            start: window.start,
            end: window.end,
            hash: digest::of_pieces(&now.hashes),
        });
        self.journal.settle(&self.state)?;
        self.buffer = now.bytes;
        self.unstage_and_load(track, toward, window, &now.hashes)?;
        self.state.staged = None;
        Ok(())
    }

    /// The window, in memory and in a free slot: as a rule it was loaded ahead.
    fn loaded(&mut self, track: Track, toward: Side, window: &Range<u64>) -> Result<Loaded> {
        if let Some(ahead) = self.ahead.take_if(|ahead| ahead.window == *window) {
            self.spare = take(&mut self.buffer);
            return Ok(ahead);
        }
        let memory = take(&mut self.buffer);
        let load = self.load(track, toward, window, memory);
        load.run(self.disk, self.journal.store())
    }

    fn load(&self, track: Track, toward: Side, window: &Range<u64>, buffer: Vec<u8>) -> WindowLoad {
        let slot = self.journal.free_slot();
        WindowLoad {
            window: window.clone(),
            span: WindowSpan::of(track, toward, window),
            slot,
            slot_at: self.journal.slot_at(slot),
            piece: self.piece,
            policy: self.options.read_errors,
            buffer,
        }
    }

    /// Writes the window in the buffer to its place, and loads the one behind it: at the same time where
    /// there are hands for it, else before, which is the same to a crash.
    fn unstage_and_load(
        &mut self,
        track: Track,
        toward: Side,
        window: &Range<u64>,
        hashes: &[u128],
    ) -> Result<()> {
        let span = WindowSpan::of(track, toward, window);
        let done = Track::done_after(toward, window);
        let next = track.next(toward, done, self.journal.header().slot_bytes);
        if next.is_empty() {
            return self.unstage(span, hashes, true);
        }
        let mut memory = take(&mut self.spare);
        memory.resize(self.buffer.len(), 0);
        let load = self.load(track, toward, &next, memory);
        let (written, loaded) = match self.hands.take() {
            Some(mut hands) => {
                let both = hands.during(
                    |hands| hands.load(load),
                    || self.unstage(span, hashes, true),
                );
                self.hands = Some(hands);
                both
            }
            None => {
                let loaded = load.run(self.disk, self.journal.store());
                (self.unstage(span, hashes, true), loaded)
            }
        };
        // A part that could not be read ahead is read again in its turn; then a failure is an
        // error.
        self.ahead = loaded.ok();
        written
    }

    /// Writes the window in the buffer to its place. What an earlier run has counted is not progress again.
    fn unstage(&mut self, span: WindowSpan, hashes: &[u128], mut is_new: bool) -> Result<()> {
        for _ in 0..TRIES {
            for (offset, length) in span.pieces(self.piece) {
                let bytes = part(&mut self.buffer, offset, length)?;
                write(self.disk, span.to + offset, bytes)?;
                if is_new {
                    self.count(length)?;
                } else {
                    self.meter.written += length as u64;
                }
            }
            is_new = false;
            self.flush()?;
            if self.arrived(span, hashes)? {
                return Ok(());
            }
        }
        Err(will_not_keep(span))
    }

    /// Finishes the window that was on its way through the journal when the last run ended.
    pub(super) fn redo(&mut self, track: Track, staged: Staged) -> Result<()> {
        let window = staged.start..staged.end;
        let span = WindowSpan::of(track, staged.toward, &window);
        let mut hashes = Vec::new();
        for (offset, length) in span.pieces(self.piece) {
            let bytes = part(&mut self.buffer, offset, length)?;
            self.journal.read_slot(staged.slot, offset, bytes)?;
            hashes.push(digest::of(bytes));
        }
        if digest::of_pieces(&hashes) == staged.hash {
            self.unstage(span, &hashes, false)?;
            self.state.done = Track::done_after(staged.toward, &window);
        } else if self.source_hash(span)? != staged.hash {
            return Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the journal is damaged: it does not hold the {} bytes for byte {} any more, which were being written",
                    span.bytes, span.to
                ),
            ));
        }
        self.state.staged = None;
        self.journal.settle(&self.state)
    }

    /// The hash of what is at the source: the same as in the record if nothing was written yet.
    fn source_hash(&mut self, span: WindowSpan) -> Result<u128> {
        let mut hashes = Vec::new();
        for (offset, length) in span.pieces(self.piece) {
            let bytes = part(&mut self.buffer, 0, length)?;
            let policy = super::ReadErrors::Map;
            reading::read(
                self.disk,
                span.from + offset,
                bytes,
                policy,
                &mut Vec::new(),
            )?;
            hashes.push(digest::of(bytes));
        }
        Ok(digest::of_pieces(&hashes))
    }
}
