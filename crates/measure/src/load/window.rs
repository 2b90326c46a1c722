//! The time of a worker that counts: from the end of the ramp to the stop.

use super::board::Phase;
use crate::engine::Times;

/// A window in time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Window {
    stage: Stage,
    from_ns: u64,
    begun: Times,
    /// How long it was open.
    pub(super) elapsed_ns: u64,
    /// Processor time while it was open.
    pub(super) spent: Times,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Before,
    Open,
    Over,
}

impl Window {
    /// Opens and closes with the phases of the load; whether it has just opened.
    #[inline]
    pub(super) fn follow(&mut self, phase: Phase, now_ns: u64) -> bool {
        match (phase, self.stage) {
            (Phase::Run, Stage::Before) => {
                self.stage = Stage::Open;
                self.from_ns = now_ns;
                self.begun = Times::of_thread();
                true
            }
            (Phase::Stop, Stage::Open) => {
                self.stage = Stage::Over;
                self.elapsed_ns = now_ns.saturating_sub(self.from_ns);
                self.spent = Times::of_thread().since(self.begun);
                false
            }
            (Phase::Stop, Stage::Before) => {
                // Nothing counted: what the ramp did is not passed off as a result.
                self.stage = Stage::Over;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }
}
