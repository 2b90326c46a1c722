//! Two arms that are the same: whoever looks at every round must not see a difference in more than one run of twenty.

use std::cell::Cell;
use std::time::Duration;

use ioalign_core::comparison::EstimateVerdict;
use ioalign_measure::experiment::{Design, ExperimentSnapshot};

use super::model::{Model, Moment, Noise, noises};
use super::{outcome, watched};

const RUNS: u64 = 400;

/// Runs of 400 in which any metric ever had a false word, and in which the placebo moved at the end.
fn alarms<N: FnMut(&Moment, &mut Noise) -> f64 + 'static>(noise: impl Fn() -> N) -> (u32, u32) {
    let mut all = (0, 0);
    for seed in 0..RUNS {
        let mut model = Model::with_effect(1.0, 1000 + seed, noise());
        // No region of equivalence: the run goes on until something is found, or to its end.
        let design = Design {
            rope_ratio: 0.0,
            batches: Some(3),
            max_time: Duration::from_millis(120),
            seed,
            ..Design::default()
        };
        let wrong = Cell::new(false);
        let mut see = |snapshot: &ExperimentSnapshot| {
            let mut words = snapshot.estimates.iter().map(|estimate| estimate.verdict);
            wrong.set(
                wrong.get()
                    || words
                        .any(|w| matches!(w, EstimateVerdict::Slower | EstimateVerdict::Faster)),
            );
        };
        let run = watched(&mut model, &design, &mut see);
        all.0 += u32::from(wrong.get());
        all.1 += u32::from(run.placebo.moved);
    }
    all
}

fn assert_few<N: FnMut(&Moment, &mut Noise) -> f64 + 'static>(noise: impl Fn() -> N) {
    let (words, placebos) = alarms(noise);
    println!("{words} false words, {placebos} false alarms of the placebo in {RUNS}");
    assert!(words <= 20, "{words} of {RUNS}");
    assert!(placebos <= 20, "{placebos} of {RUNS}");
}

#[test]
fn normal_noise_gives_few_false_words() {
    assert_few(|| noises::quiet);
}

#[test]
fn heavy_tails_give_few_false_words() {
    assert_few(|| noises::t3);
    assert_few(|| noises::pareto);
}

#[test]
fn drift_gives_few_false_words() {
    assert_few(|| noises::drift);
}

#[test]
fn two_modes_give_few_false_words() {
    assert_few(|| noises::bimodal);
    assert_few(|| noises::modes);
}

#[test]
fn a_noisy_neighbour_gives_few_false_words() {
    assert_few(noises::regimes);
}

/// The same seed is the same run.
#[test]
fn a_run_can_be_repeated() {
    let run = || {
        outcome(
            &mut Model::with_effect(1.01, 4, noises::t3),
            &Design::default(),
        )
    };
    assert_eq!(run(), run());
}
