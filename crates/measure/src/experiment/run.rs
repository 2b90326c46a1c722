//! The course of an experiment: two parts, each until it is certain or its time is up.

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::comparison::{ArmLevel, Metric};

use super::blocks::ExperimentBlocks;
use super::estimates::Judge;
use super::eta::{FIRST_INTERVAL, RoundPace};
use super::levels;
use super::outcome::{ExperimentOutcome, ExperimentPart, ExperimentSnapshot};
use super::rounds::Rounds;
use super::{Design, ExperimentSubject, notes};
use crate::stats::{Series, real};
use crate::{Error, ErrorKind, Result};

/// Who wants to see how it stands, and may end it.
type ExperimentWatch<'a> = dyn FnMut(&ExperimentSnapshot) -> ControlFlow<()> + 'a;

/// Why a part ended early.
enum Stop {
    Caller,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Compares the arms of a subject. `arms` are their names, the baseline first. `watch` sees how it stands several
/// times a second, and ends it by `Break`.
///
/// # Errors
///
/// The error of the subject, if there was no complete round yet; otherwise the outcome is marked as partial.
pub fn run(
    subject: &mut dyn ExperimentSubject,
    arms: &[String],
    design: &Design,
    watch: &mut dyn FnMut(&ExperimentSnapshot) -> ControlFlow<()>,
) -> Result<ExperimentOutcome> {
    design.check()?;
    if arms.len() != subject.arms() || arms.is_empty() {
        let what = format!("{} names for {} arms", arms.len(), subject.arms());
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let mut course = Course::new(subject, arms, design)?;
    match course.parts(subject, watch) {
        Ok(()) => Ok(course.outcome(subject, None)),
        Err(Stop::Caller) => Ok(course.outcome(subject, Some("interrupted".to_owned()))),
        Err(Stop::Failed(error)) if course.rounds.rounds > 0 => {
            Ok(course.outcome(subject, Some(error.to_string())))
        }
        Err(Stop::Failed(error)) => Err(error),
    }
}

struct Course<'a> {
    design: &'a Design,
    judge: Judge<'a>,
    rounds: Rounds,
    blocks: ExperimentBlocks,
    begun: Duration,
    shown: Duration,
}

impl<'a> Course<'a> {
    fn new(
        subject: &dyn ExperimentSubject,
        names: &'a [String],
        design: &'a Design,
    ) -> Result<Self> {
        let begun = subject.now();
        Ok(Self {
            design,
            judge: Judge {
                names,
                confidence: design.confidence,
                rope: design.rope(),
                shares: design.shares(names.len() - 1),
            },
            rounds: Rounds::new(subject, design.seed)?,
            blocks: ExperimentBlocks::new(subject, design),
            begun,
            shown: begun,
        })
    }

    fn parts(
        &mut self,
        subject: &mut dyn ExperimentSubject,
        watch: &mut ExperimentWatch<'_>,
    ) -> Result<(), Stop> {
        self.rounds.prepare(subject, self.design)?;
        while !self.over(subject, ExperimentPart::Latency) {
            self.rounds.round(subject)?;
            self.show(subject, ExperimentPart::Latency, watch)?;
        }
        if !self.design.saturate || self.elapsed(subject) >= self.design.max_time {
            return Ok(());
        }
        let left = self.design.max_time.saturating_sub(self.elapsed(subject));
        self.blocks.begin(subject, left)?;
        while !self.over(subject, ExperimentPart::Saturation) {
            self.show(subject, ExperimentPart::Saturation, watch)?;
            self.blocks.round(subject)?;
        }
        Ok(())
    }

    fn elapsed(&self, subject: &dyn ExperimentSubject) -> Duration {
        subject.now().saturating_sub(self.begun)
    }

    /// Whether a part has its answer, or no time left.
    fn over(&self, subject: &dyn ExperimentSubject, part: ExperimentPart) -> bool {
        let elapsed = self.elapsed(subject);
        let (limit, clear) = match part {
            ExperimentPart::Latency => (self.design.latency_time(), self.latency_clear()),
            ExperimentPart::Saturation => (self.design.max_time, self.throughput_clear()),
        };
        elapsed >= limit || (clear && elapsed >= self.design.min_time)
    }

    fn medians(&self) -> impl Iterator<Item = &dyn Series> {
        let arms = self.rounds.arms.iter();
        arms.map(|arm| -> &dyn Series { &arm.median })
    }

    fn throughputs(&self) -> impl Iterator<Item = &dyn Series> {
        let arms = self.blocks.arms.iter();
        arms.map(|arm| -> &dyn Series { &arm.throughput })
    }

    fn latency_clear(&self) -> bool {
        let (rounds, metric) = (&self.rounds, Metric::LatencyMedian);
        let enough = rounds.rounds >= FIRST_INTERVAL;
        enough && self.judge.clear(metric, self.medians(), &rounds.placebo)
    }

    fn throughput_clear(&self) -> bool {
        let (blocks, metric) = (&self.blocks, Metric::Throughput);
        let enough = blocks.rounds >= FIRST_INTERVAL;
        enough
            && self
                .judge
                .clear(metric, self.throughputs(), &blocks.placebo)
    }

    fn eta(&self, elapsed: Duration, part: ExperimentPart) -> Duration {
        let (design, shares) = (self.design, self.judge.shares);
        let load = self.blocks.took;
        let least = design.min_time.saturating_sub(elapsed);
        let most = design.max_time.saturating_sub(elapsed);
        if part == ExperimentPart::Saturation {
            let pace = RoundPace {
                rounds: self.blocks.rounds,
                round: load,
                most,
                least,
            };
            let boundary = shares.metric(Metric::Throughput);
            return pace.left(self.throughputs(), boundary, self.judge.rope);
        }
        let rounds = self.rounds.rounds;
        let pace = RoundPace {
            rounds,
            round: elapsed.div_f64(real(rounds.max(1))),
            most: design.latency_time().saturating_sub(elapsed),
            least,
        };
        let boundary = shares.metric(Metric::LatencyMedian);
        let left = pace.left(self.medians(), boundary, self.judge.rope);
        let then = if design.saturate {
            load * 10
        } else {
            Duration::ZERO
        };
        (left + then).min(most)
    }

    fn show(
        &mut self,
        subject: &dyn ExperimentSubject,
        part: ExperimentPart,
        watch: &mut ExperimentWatch<'_>,
    ) -> Result<(), Stop> {
        let now = subject.now();
        if now.saturating_sub(self.shown) < self.design.watch_every {
            return Ok(());
        }
        self.shown = now;
        match watch(&self.snapshot(subject, part)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Caller),
        }
    }

    fn snapshot(
        &self,
        subject: &dyn ExperimentSubject,
        part: ExperimentPart,
    ) -> ExperimentSnapshot {
        let elapsed = self.elapsed(subject);
        ExperimentSnapshot {
            part,
            elapsed,
            eta: self.eta(elapsed, part),
            rounds: self.rounds.rounds + self.blocks.rounds,
            ios: self.rounds.ios + self.blocks.ios,
            estimates: self.judge.estimates(&self.rounds, &self.blocks),
            placebo: self.judge.placebo(&self.rounds, &self.blocks),
        }
    }
    fn level(&self, arm: usize, name: &str) -> ArmLevel {
        let mut level = ArmLevel {
            arm: name.to_owned(),
            ..ArmLevel::default()
        };
        let times = |of| self.rounds.times(arm, of);
        if let Some((all, usual)) = times(|slot| &slot.all).zip(times(|slot| &slot.usual)) {
            levels::latencies(&mut level, &all, &usual);
        }
        self.blocks.rates(&mut level, arm, self.design.block_bytes);
        level
    }

    fn outcome(
        &self,
        subject: &dyn ExperimentSubject,
        partial: Option<String>,
    ) -> ExperimentOutcome {
        let names = self.judge.names.iter().enumerate();
        let levels: Vec<_> = names.map(|(arm, name)| self.level(arm, name)).collect();
        let mut estimates = self.judge.estimates(&self.rounds, &self.blocks);
        notes::against_levels(&mut estimates, &levels, self.judge.rope);
        ExperimentOutcome {
            levels,
            estimates,
            placebo: self.judge.placebo(&self.rounds, &self.blocks),
            ios: self.rounds.ios + self.blocks.ios,
            rounds: self.rounds.rounds + self.blocks.rounds,
            elapsed: self.elapsed(subject),
            partial,
        }
    }
}
