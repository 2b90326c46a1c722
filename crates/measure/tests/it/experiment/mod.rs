//! Experiments on models: the truth is known, time is theirs, and nothing depends on the machine.

mod course;
mod effects;
mod memory;
pub mod model;
mod null;
mod traps;
mod walks;

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::comparison::{Estimate, EstimateVerdict, Metric};
use ioalign_measure::experiment::{
    Design, ExperimentOutcome, ExperimentSnapshot, ExperimentSubject, run,
};

fn names(count: usize) -> Vec<String> {
    let others = (1..count).map(|arm| format!("arm {arm}"));
    std::iter::once("aligned".to_owned())
        .chain(others)
        .collect()
}

fn outcome(subject: &mut dyn ExperimentSubject, design: &Design) -> ExperimentOutcome {
    let names = names(subject.arms());
    run(subject, &names, design, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Shows every single round to `see`.
fn watched(
    subject: &mut dyn ExperimentSubject,
    design: &Design,
    see: &mut dyn FnMut(&ExperimentSnapshot),
) -> ExperimentOutcome {
    let names = names(subject.arms());
    let design = Design {
        watch_every: Duration::ZERO,
        ..*design
    };
    let mut watch = |snapshot: &ExperimentSnapshot| {
        see(snapshot);
        ControlFlow::Continue(())
    };
    run(subject, &names, &design, &mut watch).unwrap()
}

fn estimate(outcome: &ExperimentOutcome, metric: Metric) -> &Estimate {
    let mut all = outcome.estimates.iter();
    all.find(|estimate| estimate.metric == metric).unwrap()
}

fn verdict(outcome: &ExperimentOutcome, metric: Metric) -> EstimateVerdict {
    estimate(outcome, metric).verdict
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
