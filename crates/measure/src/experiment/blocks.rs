//! The second part: the queue of one arm at a time is kept full, for throughput and processor time.

use std::time::Duration;

use ioalign_core::comparison::ArmLevel;

use super::order::ShuffledOrder;
use super::{Design, ExperimentSubject, FullQueueTime};
use crate::Result;
use crate::stats::{Contrast, LogRatios, real};

/// Rounds that there shall be time for: twice as many as an interval needs.
const ROUNDS: u32 = 20;
/// A block is no shorter: the workers take some of it to begin and to end.
const SHORTEST: Duration = Duration::from_millis(5);

/// One arm, or the duplicate of the baseline.
#[derive(Clone, Debug, Default)]
struct BlockSlot {
    arm: usize,
    last: FullQueueTime,
    sum: FullQueueTime,
}

/// How one arm compares with the baseline.
#[derive(Clone, Debug, Default)]
pub(super) struct ArmRates {
    pub throughput: LogRatios,
    pub cpu: LogRatios,
}

/// All blocks so far.
pub(super) struct ExperimentBlocks {
    /// The baseline, its duplicate, then the other arms.
    slots: Vec<BlockSlot>,
    order: ShuffledOrder,
    pub arms: Vec<ArmRates>,
    pub placebo: LogRatios,
    pub rounds: u64,
    pub ios: u64,
    /// How long the queue is kept full at a time.
    time: Duration,
    /// The total time of the last round.
    pub took: Duration,
}

impl BlockSlot {
    fn new(arm: usize) -> Self {
        Self {
            arm,
            ..Self::default()
        }
    }

    fn take(&mut self, load: FullQueueTime) {
        self.last = load;
        self.sum.elapsed_ns += load.elapsed_ns;
        self.sum.ios += load.ios;
        self.sum.cpu_ns += load.cpu_ns;
    }
}

/// I/Os a nanosecond.
fn rate(load: &FullQueueTime) -> f64 {
    real(load.ios) / real(load.elapsed_ns)
}

/// Nanoseconds of processor time an I/O.
fn cpu(load: &FullQueueTime) -> f64 {
    real(load.cpu_ns) / real(load.ios)
}

impl ExperimentBlocks {
    pub(super) fn new(subject: &dyn ExperimentSubject, design: &Design) -> Self {
        let arms = subject.arms();
        let numbers = [0, subject.duplicate()].into_iter().chain(1..arms);
        let slots: Vec<_> = numbers.map(BlockSlot::new).collect();
        let many = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        Self {
            order: ShuffledOrder::new(slots.len(), !design.seed),
            slots,
            arms: vec![ArmRates::default(); arms.saturating_sub(1)],
            placebo: LogRatios::default(),
            rounds: 0,
            ios: 0,
            time: design.block_time,
            took: design.block_time.saturating_mul(many),
        }
    }

    /// The first round, which shows how long blocks may be so that enough of them fit into the remaining time: the
    /// flush after a block of writes may take longer than the block. If they were too long the round does not count.
    pub(super) fn begin(
        &mut self,
        subject: &mut dyn ExperimentSubject,
        left: Duration,
    ) -> Result<()> {
        self.round(subject)?;
        let affordable = left / ROUNDS;
        if self.took > affordable {
            let share = affordable.as_secs_f64() / self.took.as_secs_f64();
            self.time = self.time.mul_f64(share).max(SHORTEST.min(self.time));
            self.forget();
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.slots
            .iter_mut()
            .for_each(|slot| slot.sum = FullQueueTime::default());
        self.arms.fill(ArmRates::default());
        self.placebo = LogRatios::default();
        (self.rounds, self.ios) = (0, 0);
    }

    /// A block of every arm.
    pub(super) fn round(&mut self, subject: &mut dyn ExperimentSubject) -> Result<()> {
        let begun = subject.now();
        subject.begin_round()?;
        let time = self.time;
        for slot in self.order.next() {
            if let Some(slot) = self.slots.get_mut(*slot) {
                let load = subject.saturate(slot.arm, time)?;
                slot.take(load);
                self.ios += load.ios;
            }
        }
        self.close();
        self.took = subject.now().saturating_sub(begun);
        Ok(())
    }

    fn close(&mut self) {
        self.rounds += 1;
        let [baseline, duplicate, others @ ..] = self.slots.as_slice() else {
            return;
        };
        let (baseline, duplicate) = (&baseline.last, &duplicate.last);
        self.placebo
            .add_placebo((rate(duplicate) / rate(baseline)).ln());
        for (slot, arm) in others.iter().zip(&mut self.arms) {
            let contrast = |of: fn(&FullQueueTime) -> f64| {
                Contrast::of(of(&slot.last), of(baseline), of(duplicate))
            };
            arm.throughput.add(&contrast(rate));
            arm.cpu.add(&contrast(cpu));
        }
    }

    /// The rates of an arm, of the baseline with those of its duplicate.
    pub(super) fn rates(&self, level: &mut ArmLevel, arm: usize, block_bytes: Option<u64>) {
        let slots = match arm {
            0 => self.slots.get(..2),
            _ => self.slots.get(arm + 1..=arm + 1),
        };
        let mut all = BlockSlot::default();
        slots
            .into_iter()
            .flatten()
            .for_each(|slot| all.take(slot.sum));
        let sum = &all.sum;
        if sum.ios == 0 || sum.elapsed_ns == 0 {
            return;
        }
        let iops = rate(sum) * 1e9;
        level.iops = Some(iops);
        level.bytes_per_s = block_bytes.map(|bytes| iops * real(bytes));
        level.cpu_per_io_us = (sum.cpu_ns > 0).then(|| cpu(sum) / 1e3);
    }
}
