//! Coverage: how often an interval misses its truth, for someone who looks at every round.

use ioalign_measure::stats::{Boundary, Contrast, LogRatios, MeanRatio, Series, real};

use crate::experiment::model::Noise;

const RUNS: u64 = 400;
const LOOKS: u32 = 500;

/// Runs in which the interval of the mean log-ratio missed `truth` at any look.
fn misses(truth: f64, draw: impl Fn(&mut Noise) -> f64) -> u64 {
    let boundary = Boundary::tightest_at(200.0, 0.05);
    let missed = |seed| {
        let mut noise = Noise::new(seed);
        let mut series = LogRatios::default();
        (0..LOOKS).any(|_| {
            series.add(&Contrast::of((truth + draw(&mut noise)).exp(), 1.0, 1.0));
            let interval = series.interval(boundary);
            interval.is_some_and(|i| (i.at - truth).abs() > i.half)
        })
    };
    (0..RUNS).filter(|seed| missed(*seed)).count() as u64
}

#[test]
fn intervals_hold_at_every_look() {
    let normal = misses(0.01, |noise| 0.03 * noise.normal());
    let laplace = misses(0.01, |noise| 0.03 * noise.laplace());
    let t3 = misses(0.01, |noise| 0.03 * noise.t3());
    println!("missed in {RUNS}: normal {normal}, laplace {laplace}, t3 {t3}");
    assert!(normal <= 28 && laplace <= 28 && t3 <= 28);
}

/// Means over a run, tails and all: the interval of their ratio holds as well.
#[test]
fn intervals_of_means_hold_at_every_look() {
    let boundary = Boundary::tightest_at(200.0, 0.05);
    let missed = |seed: &u64| {
        let mut noise = Noise::new(*seed);
        let mut series = MeanRatio::default();
        (0..LOOKS).any(|_| {
            let common = 1.0 + noise.uniform();
            let mut time = |of: f64| of * common * (0.2 * noise.normal()).exp();
            series.add(time(1.2), time(1.0), time(1.0));
            let interval = series.interval(boundary);
            interval.is_some_and(|i| (i.at - 1.2f64.ln()).abs() > i.half)
        })
    };
    let missed = (0..RUNS).filter(missed).count();
    println!("means missed in {RUNS}: {missed}");
    assert!(missed <= 25, "{missed}");
}

/// Rounds that are alike for a while: the ladder keeps the interval honest where one of single rounds is not. It
/// has to have its steps for that, the last of them from the 160th round on.
#[test]
fn intervals_hold_where_rounds_are_alike() {
    let boundary = Boundary::tightest_at(200.0, 0.05);
    let run = |seed: u64| {
        let (mut noise, mut at) = (Noise::new(seed), 0.0);
        let mut series = LogRatios::default();
        let (mut wide, mut narrow) = (false, false);
        let (mut sum, mut squares) = (0.0, 0.0);
        for look in 1..=u64::from(LOOKS) {
            at = 0.5 * at + 0.03 * noise.normal();
            series.add(&Contrast::of(f64::exp(at), 1.0, 1.0));
            (sum, squares) = (sum + at, squares + at * at);
            let mean = sum / real(look);
            let deviation = (squares / real(look) - mean * mean).sqrt();
            narrow |= look >= 160 && mean.abs() > deviation * boundary.radius(look);
            let interval = series.interval(boundary);
            wide |= look >= 160 && interval.is_some_and(|i| i.at.abs() > i.half);
        }
        (u32::from(wide), u32::from(narrow))
    };
    let (mut wide, mut narrow) = (0, 0);
    for seed in 0..RUNS {
        let missed = run(seed);
        (wide, narrow) = (wide + missed.0, narrow + missed.1);
    }
    println!("autocorrelated, missed in {RUNS}: {wide} with the ladder, {narrow} without");
    assert!(wide <= 32 && narrow >= 3 * wide, "{wide} {narrow}");
}

/// What the method is for: Student's test at every look finds a difference in equal arms.
#[test]
fn a_t_test_at_every_look_is_wrong_in_a_third_of_runs() {
    let wrong = |seed: &u64| {
        let mut noise = Noise::new(*seed);
        let (mut sum, mut squares) = (0.0, 0.0);
        (1..=u64::from(LOOKS)).any(|look| {
            let value = noise.normal();
            (sum, squares) = (sum + value, squares + value * value);
            let n = real(look);
            let variance = (squares - sum * sum / n) / (n - 1.0);
            // The quantile of many degrees of freedom, which favours the test.
            look >= 10 && sum.abs() / (n * variance).sqrt() > 2.2
        })
    };
    let wrong = (0..RUNS).filter(wrong).count();
    println!("t-tests wrong in {RUNS}: {wrong}");
    assert!(wrong > 100, "{wrong}");
}
