//! The time of a worker that counts: from the end of the ramp to the stop.

use super::board::LoadPhase;
use crate::engine::CpuTimes;

/// A window in time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Window {
    stage: WindowStage,
    from_ns: u64,
    begun: CpuTimes,
    /// How long it was open.
    pub(super) elapsed_ns: u64,
    /// Processor time while it was open.
    pub(super) spent: CpuTimes,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum WindowStage {
    #[default]
    Before,
    Open,
    Over,
}

impl Window {
    /// Opens and closes with the phases of the load; whether it has just opened.
    #[inline]
    pub(super) fn follow(&mut self, phase: LoadPhase, now_ns: u64) -> bool {
        match (phase, self.stage) {
            (LoadPhase::Run, WindowStage::Before) => {
                self.stage = WindowStage::Open;
                self.from_ns = now_ns;
                self.begun = CpuTimes::of_thread();
                true
            }
            (LoadPhase::Stop, WindowStage::Open) => {
                self.stage = WindowStage::Over;
                self.elapsed_ns = now_ns.saturating_sub(self.from_ns);
                self.spent = CpuTimes::of_thread().since(self.begun);
                false
            }
            (LoadPhase::Stop, WindowStage::Before) => {
                // Nothing counted: what the ramp did is not passed off as a result.
                self.stage = WindowStage::Over;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.stage == WindowStage::Open
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.stage == WindowStage::Over
    }
}
