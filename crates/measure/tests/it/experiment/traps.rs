//! Three ways in which a measurement of misalignment has gone wrong.

use std::collections::VecDeque;

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::experiment::{Design, ExperimentSubject};

use super::model::{Model, Moment, Noise, noises};
use super::{estimate, outcome, seconds, verdict};

/// Trap 1: on a shared machine the speed of one run says nothing about the next one.
#[test]
fn noise_of_whole_runs_does_not_hide_or_fake_an_effect() {
    // One arm after the other, 150 ms each: equal arms differ by tens of per cent.
    let mut model = Model::with_effect(1.0, 21, noises::regimes());
    let mut run_after_run = |arm: usize| {
        let (begun, mut batches) = (model.now(), 0.0);
        while (model.now() - begun).as_millis() < 150 {
            model.batch(arm).unwrap();
            batches += 1.0;
        }
        batches
    };
    let ratios: Vec<f64> = (0..12)
        .map(|_| run_after_run(1) / run_after_run(0))
        .collect();
    let worst = ratios
        .iter()
        .map(|ratio| ratio.ln().abs())
        .fold(0.0, f64::max);
    assert!(
        worst > 0.3,
        "the model is too quiet to be a trap: {ratios:?}"
    );

    for (effect, expected) in [
        (1.0, EstimateVerdict::NoDifference),
        (1.02, EstimateVerdict::Slower),
    ] {
        let mut model = Model::with_effect(effect, 21, noises::regimes());
        let run = outcome(
            &mut model,
            &Design {
                max_time: seconds(60),
                ..Design::default()
            },
        );
        assert_eq!(verdict(&run, Metric::LatencyMedian), expected, "{run:?}");
        let ratio = estimate(&run, Metric::LatencyMedian).ratio.unwrap();
        assert!((ratio - effect).abs() < 0.005, "{ratio}");
    }
}

/// Sequential readers of one place: who comes to a block that another one has just read finds it in the cache. The
/// arms make no difference at all. `starts` are those of the baseline, the arm and the duplicate; without them every
/// round has new ones, far from each other.
fn cursors(starts: Option<[u64; 3]>) -> Model {
    let mut at = starts.unwrap_or_default();
    let mut cache = VecDeque::from([u64::MAX; 64]);
    let mut round = 0;
    Model::new(2, 9, move |moment, noise| {
        if starts.is_none() && round != moment.round {
            round = moment.round;
            at = [(); 3].map(|()| noise.below(1 << 20));
        }
        let block = at[moment.arm];
        at[moment.arm] += 1;
        let warm = cache.contains(&block);
        cache.pop_front();
        cache.push_back(block);
        let time = if warm { 80.0 } else { 100.0 };
        time * noises::quiet(moment, noise)
    })
}

/// Trap 2: cursors that walk in lock-step. Whoever is ahead reads cold, all others warm, for the whole run.
#[test]
fn cursors_in_lock_step_make_the_cell_invalid() {
    for starts in [[9, 0, 3], [0, 5, 9]] {
        let run = outcome(&mut cursors(Some(starts)), &Design::default());
        assert!(run.placebo.moved);
        assert_eq!(
            verdict(&run, Metric::LatencyMedian),
            EstimateVerdict::Invalid
        );
        let note = estimate(&run, Metric::LatencyMedian).note.clone();
        assert!(note.unwrap().contains("duplicate"));
    }
}

/// With new starts every round nothing is left of it.
#[test]
fn new_starts_every_round_undo_the_lock_step() {
    let run = outcome(&mut cursors(None), &Design::default());
    assert!(!run.placebo.moved);
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::NoDifference
    );
}

/// Why a subject has to draw new starts, and may not rely on the placebo: with the arm ahead, baseline and duplicate
/// are equally warm.
#[test]
fn the_placebo_cannot_see_what_hits_both_of_its_sides() {
    let run = outcome(
        &mut cursors(Some([0, 9, 3])),
        &Design {
            seed: 4,
            ..Design::default()
        },
    );
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::Slower
    );
}

/// Trap 3: a request that is split over two disks is faster alone, and costs throughput under load.
#[test]
fn the_sign_depends_on_the_load() {
    let alone = |moment: &Moment, noise: &mut Noise| {
        let effect = if moment.arm == 1 { 0.884 } else { 1.0 };
        400.0 * effect * noises::quiet(moment, noise)
    };
    let load = |arm: usize, noise: &mut Noise| {
        let iops = if arm == 1 { 6520.0 } else { 10_000.0 };
        (iops * (0.03 * noise.normal()).exp(), 2.0)
    };
    let design = Design {
        saturate: true,
        block_bytes: Some(65_536),
        ..Design::default()
    };
    let run = outcome(&mut Model::new(2, 6, alone).loaded(load), &design);
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::Faster
    );
    assert_eq!(verdict(&run, Metric::Throughput), EstimateVerdict::Slower);
    let ratio = estimate(&run, Metric::Throughput).ratio.unwrap();
    assert!((ratio - 0.652).abs() < 0.03, "{ratio}");
    for metric in [Metric::LatencyMedian, Metric::Throughput] {
        let note = estimate(&run, metric).note.clone();
        assert!(note.unwrap().contains("opposite"));
    }
    assert_eq!(
        verdict(&run, Metric::CpuPerIo),
        EstimateVerdict::NoDifference
    );
    let arm = run.levels.last().unwrap();
    let rate = arm.bytes_per_s.unwrap() / arm.iops.unwrap();
    assert!((rate - 65_536.0).abs() < 1e-6);
    assert!((arm.cpu_per_io_us.unwrap() - 2.0).abs() < 0.01);
}
