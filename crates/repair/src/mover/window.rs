//! One window: read, written, flushed, verified. After that it lives on the other side.

use std::ops::Range;

use super::run::Run;
use super::{Side, Track, digest, reading, verify};
use crate::journal::Staged;
use crate::{Error, ErrorKind, Result};

/// How often a window is written before a disk that gives back something else is given up.
const TRIES: usize = 2;

/// Where a window is and where it goes, as addresses.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first byte read.
    pub from: u64,
    /// The first byte written.
    pub to: u64,
    /// How many.
    pub bytes: u64,
}

impl Span {
    /// The addresses of positions that go towards a side.
    pub const fn of(track: Track, toward: Side, window: &Range<u64>) -> Self {
        Self {
            from: track.address(toward.other(), window),
            to: track.address(toward, window),
            bytes: window.end - window.start,
        }
    }

    /// Offsets and lengths of its pieces.
    fn pieces(self, piece: u64) -> impl Iterator<Item = (u64, usize)> {
        (0..self.bytes.div_ceil(piece)).map(move |index| {
            let offset = index * piece;
            let length = piece.min(self.bytes - offset);
            (offset, usize::try_from(length).unwrap_or(0))
        })
    }
}

impl Run<'_> {
    /// A window that does not touch what still lives where it is written: straight there. It can be done
    /// again from its start whatever happens.
    pub(super) fn copy(&mut self, track: Track, toward: Side, window: &Range<u64>) -> Result<()> {
        let span = Span::of(track, toward, window);
        for _ in 0..TRIES {
            let mut bad = Vec::new();
            let hashes = self.copy_pieces(span, &mut bad)?;
            self.flush()?;
            if self.arrived(span, &hashes)? {
                return self.note_unreadable(track, toward, &bad);
            }
        }
        Err(will_not_keep(span))
    }

    fn copy_pieces(&mut self, span: Span, bad: &mut Vec<Range<u64>>) -> Result<Vec<u128>> {
        let mut hashes = Vec::new();
        for piece in span.pieces(self.piece) {
            let (hash, bytes) = self.read_piece(span, piece, 0, bad)?;
            hashes.push(hash);
            write(
                self.disk,
                span.to + piece.0,
                part(&mut self.buffer, 0, bytes)?,
            )?;
            self.disk.release(span.from + piece.0, bytes as u64);
            self.count(bytes)?;
        }
        Ok(hashes)
    }

    /// Reads a piece into the buffer at `at`; its hash and its length.
    fn read_piece(
        &mut self,
        span: Span,
        (offset, length): (u64, usize),
        at: u64,
        bad: &mut Vec<Range<u64>>,
    ) -> Result<(u128, usize)> {
        let bytes = part(&mut self.buffer, at, length)?;
        let policy = self.options.read_errors;
        reading::read(self.disk, span.from + offset, bytes, policy, bad)?;
        Ok((digest::of(bytes), length))
    }

    /// A piece has been read and written once.
    fn count(&mut self, bytes: usize) -> Result<()> {
        self.meter.written += bytes as u64;
        self.meter.moved(bytes as u64)
    }

    /// A window that is written over its own source: into the journal first.
    pub(super) fn stage(&mut self, track: Track, toward: Side, window: &Range<u64>) -> Result<()> {
        let span = Span::of(track, toward, window);
        let slot = self.journal.free_slot();
        let mut bad = Vec::new();
        let hashes = self.stage_pieces(span, slot, &mut bad)?;
        self.note_unreadable(track, toward, &bad)?;
        self.state.staged = Some(Staged {
            slot,
            toward,
            start: window.start,
            end: window.end,
            hash: digest::of_pieces(&hashes),
        });
        self.journal.settle(&self.state)?;
        self.unstage(span, &hashes)?;
        self.state.staged = None;
        Ok(())
    }

    fn stage_pieces(
        &mut self,
        span: Span,
        slot: u8,
        bad: &mut Vec<Range<u64>>,
    ) -> Result<Vec<u128>> {
        let mut hashes = Vec::new();
        for piece in span.pieces(self.piece) {
            let (hash, bytes) = self.read_piece(span, piece, piece.0, bad)?;
            hashes.push(hash);
            let staged = part(&mut self.buffer, piece.0, bytes)?;
            self.journal.write_slot(slot, piece.0, staged)?;
            self.count(bytes)?;
        }
        Ok(hashes)
    }

    /// Writes the window in the buffer to its place.
    fn unstage(&mut self, span: Span, hashes: &[u128]) -> Result<()> {
        for _ in 0..TRIES {
            for (offset, length) in span.pieces(self.piece) {
                let bytes = part(&mut self.buffer, offset, length)?;
                write(self.disk, span.to + offset, bytes)?;
                self.meter.written += length as u64;
            }
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
        let span = Span::of(track, staged.toward, &window);
        let mut hashes = Vec::new();
        for (offset, length) in span.pieces(self.piece) {
            let bytes = part(&mut self.buffer, offset, length)?;
            self.journal.read_slot(staged.slot, offset, bytes)?;
            hashes.push(digest::of(bytes));
        }
        if digest::of_pieces(&hashes) == staged.hash {
            self.unstage(span, &hashes)?;
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
    fn source_hash(&mut self, span: Span) -> Result<u128> {
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

    fn arrived(&mut self, span: Span, hashes: &[u128]) -> Result<bool> {
        let differs = verify::differs(
            self.disk,
            span.to,
            span.bytes,
            hashes,
            &mut self.check,
            self.options.verify,
            &mut self.meter.verified,
        )?;
        Ok(differs.is_none())
    }

    /// Keeps places that could not be read, by their addresses before the move.
    fn note_unreadable(&mut self, track: Track, toward: Side, bad: &[Range<u64>]) -> Result<()> {
        if bad.is_empty() {
            return Ok(());
        }
        let Track(one) = track;
        let (base, first) = match toward {
            Side::Destination => (one.from, one.from),
            Side::Source => (one.to, one.from),
        };
        let moved = |at: u64| at - base + first;
        let places: Vec<_> = bad.iter().map(|b| moved(b.start)..moved(b.end)).collect();
        self.journal.add_unreadable(&places)
    }
}

/// A part of the buffer, which is as long as the longest window and piece: never a shorter one in silence.
fn part(buffer: &mut [u8], offset: u64, length: usize) -> Result<&mut [u8]> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let part = buffer.get_mut(start..start.saturating_add(length));
    part.ok_or_else(|| Error::new(ErrorKind::Unsupported, "a window is longer than its buffer"))
}

/// Writes, with the place in the error.
pub fn write(disk: &mut dyn crate::Disk, at: u64, bytes: &[u8]) -> Result<()> {
    disk.write_at(at, bytes).map_err(|error| {
        Error::io(
            format!("{} bytes cannot be written at byte {at}", bytes.len()),
            error,
        )
    })
}

fn will_not_keep(span: Span) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the disk does not keep what is written to the {} bytes at byte {}; nothing is lost, the other copy is still there",
            span.bytes, span.to
        ),
    )
}
