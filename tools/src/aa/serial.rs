//! The two equal arms one after the other, as benchmarks are run.

use std::time::Instant;

use ioalign_measure::experiment::ExperimentSubject;
use ioalign_measure::stats::real;

use super::classic::{moments, welch};
use super::{bench, each, seeds, share};

/// Runs of each arm that make a comparison of means.
const RUNS: usize = 5;

pub fn run(target: &str, comparisons: u64) {
    let (mut batches, mut means, mut worst) = (0, 0, 0.0f64);
    let (mut pairs, mut ratios) = (0, Vec::new());
    for seed in seeds(comparisons) {
        let mut subject = bench(target, 2, seed);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let (first, second) = (one(&mut subject, 0), one(&mut subject, 1));
            pairs += 1;
            batches += u64::from(welch(&first, &second));
            let (first, second) = (moments(&first).1, moments(&second).1);
            ratios.push((second / first).ln().abs());
            worst = worst.max((second / first).ln().abs());
            a.push(first);
            b.push(second);
        }
        means += u64::from(welch(&a, &b));
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: usize| 100.0 * ratios[(ratios.len() - 1) * part / 100].exp_m1();
    println!("equal arms one after the other, runs of {:?}", each(0.1));
    println!(
        "  Welch's test of the batches of two runs   {}",
        share(batches, pairs)
    );
    println!(
        "  Welch's test of the means of {RUNS} runs each  {}",
        share(means, comparisons)
    );
    println!(
        "  ratio of two runs away from 1: median {:.1} %, 95th percentile {:.1} %, worst {:.0} %",
        at(50),
        at(95),
        100.0 * worst.exp_m1()
    );
}

/// All batch times of one run.
fn one(subject: &mut dyn ExperimentSubject, arm: usize) -> Vec<f64> {
    let begun = Instant::now();
    subject.begin_round().unwrap();
    let mut times = Vec::new();
    while begun.elapsed() < each(0.1) {
        times.push(real(subject.batch(arm).unwrap().elapsed_ns));
    }
    times
}
