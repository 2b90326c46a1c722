//! A known effect: how soon it is named.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::experiment::{
    Design, ExperimentOutcome, ExperimentSnapshot, ExperimentSubject, run as experiment,
};
use ioalign_measure::stats::real;

use super::subjects::{Delayed, Idle};
use super::{bench, each, names, seeds, share, variable};

fn go(subject: &mut dyn ExperimentSubject, design: &Design) -> ExperimentOutcome {
    let mut watch = |_: &ExperimentSnapshot| ControlFlow::Continue(());
    experiment(subject, &names(2), design, &mut watch).unwrap()
}

pub fn run(percent: f64, target: &str, runs: u64) {
    let limit = each(if percent < 2.0 { 5.0 } else { 1.0 });
    let mut same = 0;
    let truth = 1.0 + percent / 100.0;
    let (mut found, mut held, mut wrong, mut invalid) = (0, 0, 0, 0);
    let mut times = Vec::new();
    for seed in seeds(runs) {
        let mut subject = Delayed {
            inner: bench(target, 2, seed),
            percent,
        };
        let design = Design {
            rope_ratio: variable("ROPE", 0.5) / 100.0,
            max_time: limit,
            min_time: Duration::ZERO,
            seed,
            ..Design::default()
        };
        let outcome = go(&mut subject, &design);
        let median = outcome
            .estimates
            .iter()
            .find(|e| e.metric == Metric::LatencyMedian);
        let median = median.unwrap();
        found += u64::from(median.verdict == EstimateVerdict::Slower);
        wrong += u64::from(median.verdict == EstimateVerdict::Faster);
        same += u64::from(median.verdict == EstimateVerdict::NoDifference);
        invalid += u64::from(median.verdict == EstimateVerdict::Invalid);
        let ends = median.ratio_low.zip(median.ratio_high);
        held += u64::from(ends.is_some_and(|(low, high)| low <= truth && truth <= high));
        times.push(outcome.elapsed.as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!("an arm slower by {percent} %, {runs} experiments of at most {limit:?}");
    println!("  found            {}", share(found, runs));
    println!("  no difference    {}", share(same, runs));
    println!("  wrong sign       {}", share(wrong, runs));
    println!("  invalid          {}", share(invalid, runs));
    println!("  truth in the interval at the end {}", share(held, runs));
    println!(
        "  seconds taken: median {:.3}, 95th percentile {:.3}, longest {:.3}",
        at(50),
        at(95),
        at(100)
    );
}

/// What the experiment itself takes for each batch.
pub fn cost() {
    let design = Design {
        rope_ratio: 0.0,
        max_time: each(5.0),
        ..Design::default()
    };
    let mut subject = Idle::default();
    let begun = Instant::now();
    go(&mut subject, &design);
    let nanos = real(begun.elapsed().as_nanos().try_into().unwrap());
    println!(
        "an experiment on a target that does nothing: {:.0} ns a batch",
        nanos / real(subject.batches)
    );
}
