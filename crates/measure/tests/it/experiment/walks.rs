//! Walks through a cold cache: most queues are served by what was read ahead, a few wait for the disk, for anything up
//! to two hundred times as long.

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::experiment::Design;

use super::model::{Model, Moment, Noise, noises};
use super::{estimate, outcome, seconds, verdict};

fn walk(effect: f64, seed: u64) -> Model {
    let mut neighbour = noises::regimes();
    let law = move |moment: &Moment, noise: &mut Noise| {
        let effect = if moment.arm == 1 { effect } else { 1.0 };
        let wait = if noise.chance(0.1) {
            20.0 * noise.pareto(1.1).min(10.0)
        } else {
            0.0
        };
        25.0 * (effect * neighbour(moment, noise) + wait)
    };
    let mut model = Model::new(2, seed, law);
    model.queues = 16;
    model
}

/// The words for arms of a known effect, of several runs with the default region of equivalence.
fn words(effect: f64) -> Vec<EstimateVerdict> {
    let runs = 0..10;
    let word = |seed| {
        let design = Design {
            max_time: seconds(60),
            seed,
            ..Design::default()
        };
        let run = outcome(&mut walk(effect, seed), &design);
        let mean = verdict(&run, Metric::LatencyMean);
        assert!(
            !matches!(
                mean,
                EstimateVerdict::Faster | EstimateVerdict::NoDifference
            ),
            "the mean is that of the waits: {:?}",
            estimate(&run, Metric::LatencyMean)
        );
        verdict(&run, Metric::LatencyMedian)
    };
    runs.map(word).collect()
}

#[test]
fn no_difference_is_certain_within_a_minute() {
    assert_eq!(words(1.0), [EstimateVerdict::NoDifference; 10]);
}

#[test]
fn two_per_cent_are_no_no_difference() {
    assert_eq!(words(1.02), [EstimateVerdict::Slower; 10]);
}
