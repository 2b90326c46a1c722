//! Known effects are found, in time, and named right.

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::experiment::Design;

use super::model::{Model, Moment, Noise, noises};
use super::{estimate, outcome, seconds, verdict};

/// Over these seeds: how often an effect was named, and the longest time until then.
fn found(effect: f64, noise: fn(&Moment, &mut Noise) -> f64, limit: u64) -> (u32, f64) {
    let design = Design {
        max_time: seconds(limit),
        min_time: seconds(0),
        ..Design::default()
    };
    let runs = (0..40).map(|seed| {
        let mut model = Model::with_effect(1.0 + effect, seed, noise);
        outcome(&mut model, &Design { seed, ..design })
    });
    runs.fold((0, 0.0), |(found, longest), run| {
        let named = verdict(&run, Metric::LatencyMedian) == EstimateVerdict::Slower;
        (
            found + u32::from(named),
            run.elapsed.as_secs_f64().max(longest),
        )
    })
}

#[test]
fn five_per_cent_are_found_within_a_second() {
    for noise in [noises::quiet, noises::t3, noises::pareto, noises::drift] {
        let (found, longest) = found(0.05, noise, 1);
        println!("{found} of 40, the longest took {longest:.2} s");
        assert!(found >= 38, "{found} of 40");
    }
}

#[test]
fn one_per_cent_is_found_within_five_seconds() {
    for noise in [
        noises::quiet,
        noises::t3,
        noises::pareto,
        noises::drift,
        noises::modes,
    ] {
        let (found, longest) = found(0.01, noise, 5);
        println!("{found} of 40, the longest took {longest:.2} s");
        assert!(found >= 38, "{found} of 40");
    }
}

/// The interval holds the truth and is narrow, whatever the noise.
#[test]
fn the_estimate_is_the_effect() {
    for noise in [noises::quiet, noises::t3, noises::pareto, noises::drift] {
        let mut model = Model::with_effect(1.03, 11, noise);
        let run = outcome(
            &mut model,
            &Design {
                min_time: seconds(4),
                ..Design::default()
            },
        );
        let estimate = estimate(&run, Metric::LatencyMedian);
        let (low, high) = (estimate.ratio_low.unwrap(), estimate.ratio_high.unwrap());
        assert!(low < 1.03 && 1.03 < high, "{low} {high}");
        assert!(high - low < 0.02, "{low} {high}");
        assert!(!run.placebo.moved);
    }
}

#[test]
fn no_difference_is_said_of_none() {
    let mut model = Model::with_effect(1.001, 3, noises::quiet);
    let run = outcome(&mut model, &Design::default());
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::NoDifference
    );
    assert!(run.elapsed < seconds(10));
}

#[test]
fn a_faster_arm_is_faster() {
    let mut model = Model::with_effect(0.9, 3, noises::quiet);
    let run = outcome(&mut model, &Design::default());
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::Faster
    );
}

/// Too little time for so small a difference: no word is better than a wrong one.
#[test]
fn what_is_not_clear_is_undecided() {
    let mut model = Model::with_effect(1.006, 3, noises::pareto);
    let design = Design {
        max_time: seconds(1),
        ..Design::default()
    };
    let run = outcome(&mut model, &design);
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::Undecided
    );
    assert_eq!(run.partial, None);
}

/// Every other batch takes twice as long, of the arm a few more: a typical pair is alike, the mean is not.
#[test]
fn median_and_mean_that_disagree_are_flagged() {
    let law = |moment: &Moment, noise: &mut Noise| {
        let slow = if moment.arm == 1 { 0.55 } else { 0.45 };
        let mode = if noise.chance(slow) { 2.0 } else { 1.0 };
        100.0 * mode * (0.02 * noise.normal()).exp()
    };
    let design = Design {
        min_time: seconds(5),
        ..Design::default()
    };
    let run = outcome(&mut Model::new(2, 5, law), &design);
    let (median, mean) = (
        estimate(&run, Metric::LatencyMedian),
        estimate(&run, Metric::LatencyMean),
    );
    assert!(
        median.ratio.unwrap() < 1.04 && mean.ratio.unwrap() > 1.05,
        "{median:?} {mean:?}"
    );
    for estimate in [median, mean] {
        assert!(estimate.note.as_ref().unwrap().contains("disagree"));
    }
    // The truth of the mean is (0.45 + 2 * 0.55)/(0.55 + 2 * 0.45).
    let truth = 1.55 / 1.45;
    assert!(mean.ratio_low.unwrap() < truth && truth < mean.ratio_high.unwrap());
    // Where both say the same there is no note.
    let run = outcome(&mut Model::with_effect(1.05, 5, noises::quiet), &design);
    assert_eq!(estimate(&run, Metric::LatencyMean).note, None);
}

/// Only the tail of an arm is longer: median the same, 99th percentile three times.
#[test]
fn a_longer_tail_is_seen_in_the_99th_percentile() {
    let law = |moment: &Moment, noise: &mut Noise| {
        let stall = if noise.chance(0.03) { 4.0 } else { 1.0 };
        let tail = if moment.arm == 1 { stall } else { 1.0 };
        100.0 * tail * (0.05 * noise.normal()).exp()
    };
    let design = Design {
        min_time: seconds(8),
        ..Design::default()
    };
    let run = outcome(&mut Model::new(2, 5, law), &design);
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::NoDifference
    );
    assert_eq!(verdict(&run, Metric::LatencyP99), EstimateVerdict::Slower);
    assert!(estimate(&run, Metric::LatencyP99).ratio.unwrap() > 3.0);
    let [baseline, arm] = run.levels.as_slice() else {
        panic!()
    };
    assert!(arm.latency_p99_us.unwrap() > 300.0 && baseline.latency_p99_us.unwrap() < 130.0);
}

/// Several arms at once, each against the same baseline.
#[test]
fn every_arm_has_its_own_word() {
    let law = |moment: &Moment, noise: &mut Noise| {
        let effects = [1.0, 1.02, 1.0, 0.97, 1.0];
        100.0 * effects[moment.arm] * noises::quiet(moment, noise)
    };
    let run = outcome(&mut Model::new(4, 5, law), &Design::default());
    let medians = run
        .estimates
        .iter()
        .filter(|e| e.metric == Metric::LatencyMedian);
    let words: Vec<_> = medians.map(|e| (e.arm.as_str(), e.verdict)).collect();
    let expected = [
        ("arm 1", EstimateVerdict::Slower),
        ("arm 2", EstimateVerdict::NoDifference),
        ("arm 3", EstimateVerdict::Faster),
    ];
    assert_eq!(words, expected);
}

/// A matrix of many cells asks more of each: the same data give wider intervals.
#[test]
fn many_cells_share_the_allowance_of_error() {
    let width = |cells| {
        let design = Design {
            cells,
            min_time: seconds(2),
            max_time: seconds(2),
            ..Design::default()
        };
        let run = outcome(&mut Model::with_effect(1.0, 3, noises::quiet), &design);
        let estimate = estimate(&run, Metric::LatencyMedian).clone();
        assert!((estimate.confidence - 0.95).abs() < 1e-12);
        estimate.ratio_high.unwrap() - estimate.ratio_low.unwrap()
    };
    let (one, many) = (width(1), width(64));
    assert!(many > 1.2 * one && many < 2.0 * one, "{one} {many}");
}
