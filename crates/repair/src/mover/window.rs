//! One window: read, written, flushed, verified. After that it lives on the other side.

use std::ops::Range;

use super::run::MoverRun;
use super::span::{WindowSpan, part};
use super::{Side, Track, digest, reading, verify};
use crate::{Error, ErrorKind, Result};

/// How often a window is written before a disk that gives back something else is given up.
pub const TRIES: usize = 2;

impl MoverRun<'_> {
    /// A window that does not overlap data that are still at its destination: written directly. It can
    /// be repeated from its start in any case.
    pub(super) fn copy(&mut self, track: Track, toward: Side, window: &Range<u64>) -> Result<()> {
        let span = WindowSpan::of(track, toward, window);
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

    pub(super) fn copy_pieces(
        &mut self,
        span: WindowSpan,
        bad: &mut Vec<Range<u64>>,
    ) -> Result<Vec<u128>> {
        let mut hashes = Vec::new();
        for piece in span.pieces(self.piece) {
            let (hash, bytes) = self.read_piece(span, piece, bad)?;
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

    /// Reads a piece into the buffer; its hash and its length.
    fn read_piece(
        &mut self,
        span: WindowSpan,
        (offset, length): (u64, usize),
        bad: &mut Vec<Range<u64>>,
    ) -> Result<(u128, usize)> {
        let bytes = part(&mut self.buffer, 0, length)?;
        let policy = self.options.read_errors;
        reading::read(self.disk, span.from + offset, bytes, policy, bad)?;
        Ok((digest::of(bytes), length))
    }

    /// A piece has been read and written once.
    pub(super) fn count(&mut self, bytes: usize) -> Result<()> {
        self.meter.written += bytes as u64;
        self.meter.moved(bytes as u64)
    }

    pub(super) fn arrived(&mut self, span: WindowSpan, hashes: &[u128]) -> Result<bool> {
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
    pub(super) fn note_unreadable(
        &mut self,
        track: Track,
        toward: Side,
        bad: &[Range<u64>],
    ) -> Result<()> {
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

/// Writes, with the place in the error.
pub fn write(disk: &mut dyn crate::Disk, at: u64, bytes: &[u8]) -> Result<()> {
    disk.write_at(at, bytes).map_err(|error| {
        Error::io(
            format!("{} bytes cannot be written at byte {at}", bytes.len()),
            error,
        )
    })
}

pub fn will_not_keep(span: WindowSpan) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the disk does not keep what is written to the {} bytes at byte {}; nothing is lost, the other copy is still there",
            span.bytes, span.to
        ),
    )
}
