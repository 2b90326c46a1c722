//! The first part: micro-rounds of closed batches.
//!
//! Between two batches nothing is done but to note a time; all arithmetic is left to the end of a round, and
//! nothing is allocated after the start.

use std::time::Duration;

use super::levels::BatchTimes;
use super::order::ShuffledOrder;
use super::slot::ArmSlot;
use super::{Design, ExperimentSubject};
use crate::Result;
use crate::stats::{Contrast, LONG, LogRatios, MeanRatio, Scales, paired};

/// Batches of an arm in a round, at least and at most.
const FEWEST: u64 = 31;
const MOST: u64 = 63;
/// Rounds that there shall be at least, on a slow device with few batches each.
const ROUNDS: u64 = 100;
/// Batches of an arm before anything counts.
const WARM_UP: u32 = 5;

/// How one arm compares with the baseline.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies {
    pub median: Scales,
    pub mean: MeanRatio,
    pub p99: LogRatios,
}

/// All rounds so far.
pub(super) struct Rounds {
    /// The baseline, its duplicate, then the other arms.
    slots: Vec<ArmSlot>,
    order: ShuffledOrder,
    batches: u64,
    scratch: Vec<f64>,
    pub arms: Vec<Latencies>,
    pub placebo: Scales,
    pub rounds: u64,
    pub ios: u64,
}

impl Rounds {
    pub(super) fn new(subject: &dyn ExperimentSubject, seed: u64) -> Result<Self> {
        let arms = subject.arms();
        let numbers = [0, subject.duplicate()].into_iter().chain(1..arms);
        let capacity = MOST.try_into().unwrap_or(0);
        let slots = numbers.map(|arm| ArmSlot::new(arm, capacity));
        let slots = slots.collect::<Result<Vec<_>>>()?;
        Ok(Self {
            order: ShuffledOrder::new(slots.len(), seed),
            slots,
            batches: FEWEST,
            scratch: Vec::with_capacity(capacity * LONG as usize),
            arms: vec![Latencies::default(); arms.saturating_sub(1)],
            placebo: Scales::default(),
            rounds: 0,
            ios: 0,
        })
    }

    /// Warms up, and settles how many batches a round has.
    pub(super) fn prepare(
        &mut self,
        subject: &mut dyn ExperimentSubject,
        design: &Design,
    ) -> Result<()> {
        let clean = timed(subject, |subject| subject.begin_round())?;
        let mut took = design.max_time;
        for _ in 0..WARM_UP {
            // The least: what else the machine does is no measure for how long a batch is.
            took = took.min(timed(subject, |subject| self.block(subject))?);
        }
        self.forget();
        // The flush of data that the batches of a round leave is part of their cost.
        let dirty = timed(subject, |subject| subject.begin_round())?;
        took += dirty.saturating_sub(clean) / WARM_UP;
        // If a round has a high fixed cost, the round is made as long as that.
        let round = design.round_time.max(clean);
        let fitting = design
            .batches
            .map_or_else(|| fit(round, took, design.latency_time()), u64::from);
        self.batches = fitting.clamp(1, MOST);
        Ok(())
    }

    /// One micro-round.
    pub(super) fn round(&mut self, subject: &mut dyn ExperimentSubject) -> Result<()> {
        self.forget();
        subject.begin_round()?;
        for _ in 0..self.batches {
            self.block(subject)?;
        }
        self.close();
        Ok(())
    }

    /// One batch of every arm.
    fn block(&mut self, subject: &mut dyn ExperimentSubject) -> Result<()> {
        for slot in self.order.next() {
            if let Some(slot) = self.slots.get_mut(*slot) {
                let batch = subject.batch(slot.arm)?;
                slot.batches.push(batch);
                self.ios += u64::from(batch.ios);
            }
        }
        Ok(())
    }

    /// The part of an incomplete round.
    fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.batches.clear());
    }

    fn close(&mut self) {
        self.slots.iter_mut().for_each(ArmSlot::close);
        self.rounds += 1;
        self.medians();
        if self.rounds.is_multiple_of(LONG.into()) {
            self.long_medians();
        }
        let [baseline, duplicate, others @ ..] = self.slots.as_mut_slice() else {
            return;
        };
        let tails = baseline.tail().zip(duplicate.tail());
        for (slot, arm) in others.iter_mut().zip(&mut self.arms) {
            arm.mean.add(slot.mean, baseline.mean, duplicate.mean);
            if let Some((tail, (baseline, duplicate))) = slot.tail().zip(tails) {
                arm.p99.add(&Contrast::of(tail, baseline, duplicate));
            }
        }
    }

    fn medians(&mut self) {
        let [baseline, duplicate, others @ ..] = self.slots.as_slice() else {
            return;
        };
        let scratch = &mut self.scratch;
        let placebo = paired(&duplicate.logs, &baseline.logs, scratch);
        self.placebo.add_placebo(placebo);
        for (slot, arm) in others.iter().zip(&mut self.arms) {
            let pair = [&baseline.logs, &duplicate.logs];
            arm.median
                .add(&contrast(&slot.logs, pair, placebo, scratch));
        }
    }

    fn long_medians(&mut self) {
        if let [baseline, duplicate, others @ ..] = self.slots.as_slice() {
            let scratch = &mut self.scratch;
            let placebo = paired(&duplicate.long, &baseline.long, scratch);
            self.placebo.add_long_placebo(placebo);
            for (slot, arm) in others.iter().zip(&mut self.arms) {
                let pair = [&baseline.long, &duplicate.long];
                arm.median
                    .add_long(&contrast(&slot.long, pair, placebo, scratch));
            }
        }
        self.slots.iter_mut().for_each(|slot| slot.long.clear());
    }

    /// Batch times of an arm, all or the usual ones, of the baseline with those of its duplicate.
    pub(super) fn times(&self, arm: usize, of: fn(&ArmSlot) -> &BatchTimes) -> Option<BatchTimes> {
        let slot = |at: usize| self.slots.get(at).map(of);
        if arm > 0 {
            return slot(arm + 1).cloned();
        }
        let mut both = slot(0)?.clone();
        // A histogram with the same bounds; values outside are not added.
        let _ = both.add(slot(1)?);
        Some(both)
    }
}

/// How long something takes, by the clock of the subject.
fn timed(
    subject: &mut dyn ExperimentSubject,
    what: impl FnOnce(&mut dyn ExperimentSubject) -> Result<()>,
) -> Result<Duration> {
    let begun = subject.now();
    what(subject)?;
    Ok(subject.now().saturating_sub(begun))
}

/// The arm against the baseline and its duplicate, pair by pair.
fn contrast(
    arm: &[f64],
    [baseline, duplicate]: [&Vec<f64>; 2],
    placebo: f64,
    scratch: &mut Vec<f64>,
) -> Contrast {
    Contrast {
        to_baseline: paired(arm, baseline, scratch),
        to_duplicate: paired(arm, duplicate, scratch),
        placebo,
    }
}

/// How many batches of every arm make a round of this length, if one batch of every arm takes this
/// time.
fn fit(round: Duration, block: Duration, budget: Duration) -> u64 {
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let block = nanos(block).max(1);
    let wanted = (nanos(round) / block).clamp(FEWEST, MOST);
    let affordable = nanos(budget) / ROUNDS / block;
    // Odd, so that the median is one of them.
    (wanted.min(affordable).max(1) - 1) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_fit_the_device() {
        let micros = Duration::from_micros;
        let fit = |block| fit(micros(4000), micros(block), micros(10_000_000));
        assert_eq!(fit(1), MOST);
        assert_eq!(fit(100), 39);
        assert_eq!(fit(1000), FEWEST);
        // A disk: 20 ms a block leaves rounds of five, 100 ms of one.
        assert_eq!(fit(20_000), 5);
        assert_eq!(fit(100_000), 1);
        assert_eq!(fit(10_000_000), 1);
    }
}
