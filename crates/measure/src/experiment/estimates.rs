//! Series become estimates: ratios with their intervals, and words.

use ioalign_core::comparison::{Estimate, EstimateVerdict, Metric, Placebo};

use super::blocks::{ArmRates, ExperimentBlocks};
use super::notes;
use super::rounds::{Latencies, Rounds};
use crate::stats::{Boundary, LogInterval, Series, Shares, decide};

/// Inputs of a judgement besides the series.
pub(super) struct Judge<'a> {
    pub names: &'a [String],
    pub confidence: f64,
    pub rope: f64,
    pub shares: Shares,
}

const fn method(metric: Metric) -> &'static str {
    match metric {
        Metric::LatencyMedian => {
            "medians of paired log-ratios in micro-rounds and in eights of them, winsorised, asymptotic confidence sequence, rank e-process"
        }
        Metric::LatencyMean => {
            "ratio of means, delta method, asymptotic confidence sequence, rank e-process"
        }
        Metric::LatencyP99 => {
            "p99 of 200 batches, winsorised log-ratios, asymptotic confidence sequence, rank e-process"
        }
        Metric::Throughput | Metric::CpuPerIo => {
            "blocks with a full queue, winsorised log-ratios, asymptotic confidence sequence, rank e-process"
        }
    }
}

/// The metrics of closed batches.
fn latencies(arm: &Latencies) -> [(Metric, &dyn Series); 3] {
    [
        (Metric::LatencyMedian, &arm.median),
        (Metric::LatencyMean, &arm.mean),
        (Metric::LatencyP99, &arm.p99),
    ]
}

/// The metrics of full queues.
fn rates(arm: &ArmRates) -> [(Metric, &dyn Series); 2] {
    [
        (Metric::Throughput, &arm.throughput),
        (Metric::CpuPerIo, &arm.cpu),
    ]
}

impl Judge<'_> {
    /// All that is known: an arm after the other, in the order of metrics.
    pub(super) fn estimates(&self, rounds: &Rounds, blocks: &ExperimentBlocks) -> Vec<Estimate> {
        let moved = self.moved(rounds, blocks);
        let names = self.names.iter().skip(1);
        let mut all = Vec::new();
        for ((name, arm), loaded) in names.zip(&rounds.arms).zip(&blocks.arms) {
            let series = latencies(arm).into_iter().chain(rates(loaded));
            let seen = series.filter(|(_, series)| series.rounds() > 0);
            let mut of_arm: Vec<_> = seen.map(|(m, s)| self.estimate(name, m, s)).collect();
            notes::disagreements(&mut of_arm);
            all.append(&mut of_arm);
        }
        if let Some(why) = moved {
            notes::invalid(&mut all, why);
        }
        all
    }

    fn estimate(&self, arm: &str, metric: Metric, series: &dyn Series) -> Estimate {
        let boundary = self.shares.metric(metric);
        let interval = series.interval(boundary);
        let end = |end: fn(&LogInterval) -> f64| interval.as_ref().map(|i| end(i).exp());
        Estimate {
            metric,
            arm: arm.to_owned(),
            baseline: self.names.first().cloned().unwrap_or_default(),
            ratio: end(|interval| interval.at),
            ratio_low: end(LogInterval::low),
            ratio_high: end(LogInterval::high),
            confidence: self.confidence,
            method: method(metric).to_owned(),
            rounds: series.rounds(),
            verdict: self.word(metric, series),
            note: None,
        }
    }

    fn word(&self, metric: Metric, series: &dyn Series) -> EstimateVerdict {
        let boundary = self.shares.metric(metric);
        decide(series, boundary, self.rope, metric.more_is_better())
    }

    /// Whether there is a word for the metric that a part is about, for every arm, and its placebo is at rest. While
    /// it is not, to go on is the way to learn whether that was chance.
    pub(super) fn clear<'s>(
        &self,
        metric: Metric,
        mut arms: impl Iterator<Item = &'s dyn Series>,
        placebo: &dyn Series,
    ) -> bool {
        let decided = arms.all(|series| self.word(metric, series) != EstimateVerdict::Undecided);
        decided && !differs(placebo, self.shares.placebo())
    }

    /// The placebo of latencies, and whether it or the one of throughput has moved.
    pub(super) fn placebo(&self, rounds: &Rounds, blocks: &ExperimentBlocks) -> Placebo {
        let interval = rounds.placebo.interval(self.shares.placebo());
        let end = |end: fn(&LogInterval) -> f64| interval.as_ref().map(|i| end(i).exp());
        Placebo {
            ratio: end(|interval| interval.at),
            ratio_low: end(LogInterval::low),
            ratio_high: end(LogInterval::high),
            moved: self.moved(rounds, blocks).is_some(),
        }
    }

    fn moved(&self, rounds: &Rounds, blocks: &ExperimentBlocks) -> Option<&'static str> {
        let boundary = self.shares.placebo();
        if differs(&rounds.placebo, boundary) {
            Some(notes::PLACEBO_MOVED)
        } else if differs(&blocks.placebo, boundary) {
            Some(notes::PLACEBO_MOVED_UNDER_LOAD)
        } else {
            None
        }
    }
}

/// Whether it is certain that the series is not around no difference at all.
fn differs(series: &dyn Series, boundary: Boundary) -> bool {
    series.side(boundary, 0.0).is_ne()
}
