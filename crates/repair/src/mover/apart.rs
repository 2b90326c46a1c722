//! A move whose old and new places share nothing: one window is made durable and read back while the next
//! one is copied.
//!
//! What is copied ahead goes where nothing lives, and no record speaks of it: a crash forgets it.

use std::mem::take;
use std::ops::Range;

use super::load::Hands;
use super::run::{MoverRun, flush};
use super::span::WindowSpan;
use super::{Side, Track, Verify, verify};
use crate::{Disk, Result};

/// A window that is written, and neither durable nor read back.
pub struct Copied {
    window: Range<u64>,
    span: WindowSpan,
    hashes: Vec<u128>,
    bad: Vec<Range<u64>>,
}

/// What reading back found.
#[derive(Clone, Copy)]
pub struct ReadBack {
    arrived: bool,
    bytes: u64,
}

impl Copied {
    /// Makes it durable and reads it back, a piece at a time.
    pub fn check(&self, disk: &mut dyn Disk, piece: &mut [u8], how: Verify) -> Result<ReadBack> {
        flush(disk)?;
        let (WindowSpan { to, bytes, .. }, mut read) = (self.span, 0);
        let differs = verify::differs(disk, to, bytes, &self.hashes, piece, how, &mut read)?;
        Ok(ReadBack {
            arrived: differs.is_none(),
            bytes: read,
        })
    }
}

impl MoverRun<'_> {
    /// All that is left of a move.
    pub(super) fn copy_apart(&mut self, track: Track, toward: Side) -> Result<()> {
        let mut behind: Option<Copied> = None;
        let mut done = self.state.done;
        loop {
            let window = track.next(toward, done, self.options.chunk);
            done = Track::done_after(toward, &window);
            let next = (!window.is_empty()).then_some(window);
            behind = match (behind, next) {
                (None, None) => return Ok(()),
                (None, Some(window)) => Some(self.copied(track, toward, window)?),
                (Some(one), None) => {
                    let checked = self.checked(&one)?;
                    self.settle_window(track, toward, &one, checked)?;
                    None
                }
                (Some(one), Some(window)) => {
                    let (copied, checked) = self.copy_and_check(track, toward, window, &one);
                    self.settle_window(track, toward, &one, checked?)?;
                    Some(copied?)
                }
            };
        }
    }

    fn copied(&mut self, track: Track, toward: Side, window: Range<u64>) -> Result<Copied> {
        let span = WindowSpan::of(track, toward, &window);
        let mut bad = Vec::new();
        let hashes = self.copy_pieces(span, &mut bad)?;
        Ok(Copied {
            window,
            span,
            hashes,
            bad,
        })
    }

    fn checked(&mut self, one: &Copied) -> Result<ReadBack> {
        one.check(self.disk, &mut self.check, self.options.verify)
    }

    /// At the same time where there are hands for it, else one after the other, which is the same to a crash.
    fn copy_and_check(
        &mut self,
        track: Track,
        toward: Side,
        window: Range<u64>,
        one: &Copied,
    ) -> (Result<Copied>, Result<ReadBack>) {
        let Some(mut hands) = self.hands.take() else {
            let copied = self.copied(track, toward, window);
            return (copied, self.checked(one));
        };
        let (mut piece, how) = (take(&mut self.check), self.options.verify);
        let check = |hands: &mut Hands| one.check(hands.disk(), &mut piece, how);
        let both = hands.during(check, || self.copied(track, toward, window));
        self.hands = Some(hands);
        self.check = piece;
        both
    }

    /// Records a window that has arrived. One that has not is copied again, by itself.
    fn settle_window(
        &mut self,
        track: Track,
        toward: Side,
        one: &Copied,
        checked: ReadBack,
    ) -> Result<()> {
        self.meter.verified += checked.bytes;
        if checked.arrived {
            self.note_unreadable(track, toward, &one.bad)?;
        } else {
            self.copy(track, toward, &one.window)?;
        }
        self.state.done = Track::done_after(toward, &one.window);
        self.journal.settle(&self.state)
    }
}
