//! Two equal arms, looked at after every round.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::experiment::{Design, ExperimentSnapshot, run as experiment};
use ioalign_measure::stats::real;

use super::classic::{log_ratios, mean, median, student_peeking, times, welch};
use super::subjects::RoundRecorder;
use super::{bench, each, names, seeds, share};

#[derive(Default)]
struct NullCount {
    words: [u64; 3],
    any: u64,
    placebo: u64,
    student_medians: u64,
    student_means: u64,
    pooled: u64,
    widths: Vec<f64>,
    estimates: Vec<f64>,
    rounds: u64,
    ios: u64,
}

pub fn run(target: &str, runs: u64) {
    let mut count = NullCount::default();
    for seed in seeds(runs) {
        once(target, seed, &mut count);
    }
    show(&mut count, runs);
}

fn once(target: &str, seed: u64, count: &mut NullCount) {
    let mut subject = RoundRecorder::new(bench(target, 2, seed));
    // Without a region of equivalence: it goes on until something is found, or to its end.
    let design = Design {
        rope_ratio: 0.0,
        max_time: each(0.5),
        watch_every: Duration::ZERO,
        seed,
        ..Design::default()
    };
    let wrong = Cell::new([false; 3]);
    let mut watch = |snapshot: &ExperimentSnapshot| {
        let mut now = wrong.get();
        for estimate in &snapshot.estimates {
            let word = matches!(
                estimate.verdict,
                EstimateVerdict::Slower | EstimateVerdict::Faster
            );
            let at = match estimate.metric {
                Metric::LatencyMedian => &mut now[0],
                Metric::LatencyMean => &mut now[1],
                _ => &mut now[2],
            };
            *at |= word;
        }
        wrong.set(now);
        ControlFlow::Continue(())
    };
    let outcome = experiment(&mut subject, &names(2), &design, &mut watch).unwrap();
    let wrong = wrong.get();
    for (sum, wrong) in count.words.iter_mut().zip(wrong) {
        *sum += u64::from(wrong);
    }
    count.any += u64::from(wrong.contains(&true));
    count.placebo += u64::from(outcome.placebo.moved);
    count.rounds += outcome.rounds;
    count.ios += outcome.ios;
    let first = outcome.estimates.first();
    if let Some((low, high)) = first.and_then(|e| e.ratio_low.zip(e.ratio_high)) {
        count.widths.push((high / low).ln() / 2.0);
        count.estimates.push(((low * high).ln() / 2.0).abs());
    }
    others(&subject.rounds[1..], count);
}

/// What other tests say of the same batches. The first round warms up.
fn others(rounds: &[Vec<(usize, u64)>], count: &mut NullCount) {
    count.student_medians += u64::from(student_peeking(&log_ratios(rounds, median)));
    count.student_means += u64::from(student_peeking(&log_ratios(rounds, mean)));
    let all = |arm| -> Vec<f64> {
        let times = rounds.iter().flat_map(|round| times(round, arm));
        times.map(real).collect()
    };
    count.pooled += u64::from(welch(&all(0), &all(1)));
}

fn show(count: &mut NullCount, runs: u64) {
    let middle = |values: &mut Vec<f64>, at: f64| {
        values.sort_by(f64::total_cmp);
        let index = format!("{:.0}", at * (real(values.len() as u64) - 1.0));
        100.0 * values[index.parse::<usize>().unwrap()]
    };
    println!(
        "equal arms, {runs} experiments of {:?}, a look after each of {} rounds, {} I/Os",
        each(0.5),
        count.rounds / runs,
        count.ios / runs
    );
    println!(
        "  a word for any metric            {}",
        share(count.any, runs)
    );
    println!("    median, mean, p99              {:?}", count.words);
    println!(
        "  placebo moved                    {}",
        share(count.placebo, runs)
    );
    println!(
        "  half width of the median's interval: median {:.3} %, 95th percentile {:.3} %",
        middle(&mut count.widths, 0.5),
        middle(&mut count.widths, 0.95)
    );
    println!(
        "  estimate away from no difference:    median {:.3} %, 95th percentile {:.3} %",
        middle(&mut count.estimates, 0.5),
        middle(&mut count.estimates, 0.95)
    );
    println!("on the same batches:");
    println!(
        "  t-test of round medians, a look after each round  {}",
        share(count.student_medians, runs)
    );
    println!(
        "  t-test of round means, a look after each round    {}",
        share(count.student_means, runs)
    );
    println!(
        "  Welch's test of all batches, one look at the end  {}",
        share(count.pooled, runs)
    );
}
