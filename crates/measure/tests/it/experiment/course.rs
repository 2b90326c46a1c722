//! Beginning, watching, stopping and failing.

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::comparison::{EstimateVerdict, Metric};
use ioalign_measure::ErrorKind;
use ioalign_measure::experiment::{Design, ExperimentPart, ExperimentSnapshot, run};

use super::model::{Model, Noise, noises};
use super::{estimate, names, outcome, seconds, verdict, watched};

fn load(arm: usize, noise: &mut Noise) -> (f64, f64) {
    let iops = if arm == 1 { 9000.0 } else { 10_000.0 };
    (iops * (0.02 * noise.normal()).exp(), 2.0)
}

#[test]
fn a_device_that_vanishes_leaves_a_partial_outcome() {
    let mut model = Model::with_effect(1.1, 1, noises::quiet);
    model.left = Some(3000);
    let run = outcome(&mut model, &Design::default());
    assert!(run.partial.unwrap().contains("the model is gone"));
    assert_eq!(run.estimates[0].verdict, EstimateVerdict::Slower);
    // Batches of a round that was not completed count for nothing.
    assert!(run.rounds > 10 && run.estimates[0].rounds == run.rounds);
}

#[test]
fn a_device_that_never_answers_is_an_error() {
    let mut model = Model::with_effect(1.1, 1, noises::quiet);
    model.left = Some(5);
    let mut watch = |_: &ExperimentSnapshot| ControlFlow::Continue(());
    let error = run(&mut model, &names(2), &Design::default(), &mut watch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
}

#[test]
fn the_caller_ends_it_and_keeps_what_there_is() {
    let mut looks = 0;
    let mut watch = |_: &ExperimentSnapshot| {
        looks += 1;
        if looks < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let mut model = Model::with_effect(1.0, 1, noises::pareto);
    let design = Design {
        rope_ratio: 0.0,
        ..Design::default()
    };
    let run = run(&mut model, &names(2), &design, &mut watch).unwrap();
    assert_eq!(run.partial.as_deref(), Some("interrupted"));
    assert!(run.elapsed > Duration::from_millis(300) && run.elapsed < Duration::from_millis(400));
    assert!(run.ios > 0 && run.levels.len() == 2);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |names: &[String], design: &Design| {
        let mut model = Model::with_effect(1.0, 1, noises::quiet);
        let mut watch = |_: &ExperimentSnapshot| ControlFlow::Continue(());
        let error = run(&mut model, names, design, &mut watch).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    };
    refused(&names(3), &Design::default());
    refused(
        &names(2),
        &Design {
            confidence: 1.0,
            ..Design::default()
        },
    );
    refused(
        &names(2),
        &Design {
            rope_ratio: -0.1,
            ..Design::default()
        },
    );
    refused(
        &names(2),
        &Design {
            rope_ratio: f64::NAN,
            ..Design::default()
        },
    );
}

#[test]
fn it_takes_no_less_and_no_more_time_than_asked() {
    let run = |min: u64, max: u64, effect: f64| {
        let design = Design {
            min_time: seconds(min),
            max_time: seconds(max),
            ..Design::default()
        };
        let mut model = Model::with_effect(effect, 1, noises::quiet);
        outcome(&mut model, &design).elapsed.as_secs_f64()
    };
    // A round takes 13 ms at most.
    assert!((run(3, 9, 2.0) - 3.0).abs() < 0.02);
    assert!((run(0, 2, 1.005) - 2.0).abs() < 0.02);
    assert!(run(0, 9, 2.0) < 0.2);
}

#[test]
fn a_slow_disk_has_short_rounds_and_an_answer() {
    let law = |moment: &super::model::Moment, noise: &mut Noise| {
        let effect = if moment.arm == 1 { 1.3 } else { 1.0 };
        20_000.0 * effect * (0.2 * noise.normal()).exp()
    };
    let run = outcome(&mut Model::new(2, 1, law), &Design::default());
    assert!(run.rounds >= 10 && run.rounds <= 200, "{}", run.rounds);
    assert_eq!(
        verdict(&run, Metric::LatencyMedian),
        EstimateVerdict::Slower
    );
}

#[test]
fn both_parts_share_the_time_and_are_shown() {
    let mut model = Model::with_effect(1.005, 1, noises::pareto).loaded(load);
    let design = Design {
        saturate: true,
        max_time: seconds(12),
        ..Design::default()
    };
    let mut parts = Vec::new();
    let run = watched(&mut model, &design, &mut |snapshot| {
        parts.push((snapshot.part, snapshot.elapsed));
        assert!(snapshot.elapsed + snapshot.eta <= seconds(12) + Duration::from_millis(250));
    });
    let first = parts
        .iter()
        .filter(|(part, _)| *part == ExperimentPart::Latency);
    let latency = first.map(|(_, elapsed)| *elapsed).max().unwrap();
    assert!(latency >= seconds(6) && latency < Duration::from_millis(6050));
    assert_eq!(parts.last().unwrap().0, ExperimentPart::Saturation);
    // A tenth less throughput is clear after the fewest rounds: 10 of 3 blocks of 80 ms.
    assert_eq!(verdict(&run, Metric::Throughput), EstimateVerdict::Slower);
    assert_eq!(estimate(&run, Metric::Throughput).rounds, 10);
    assert_eq!(run.elapsed - latency, Duration::from_millis(2400));
}

/// Of blocks that take a while to be written back there are fewer, but not too few for an interval.
#[test]
fn blocks_are_so_short_that_enough_of_them_fit() {
    let law =
        |moment: &super::model::Moment, noise: &mut Noise| 100.0 * noises::quiet(moment, noise);
    let mut model = Model::new(2, 1, law).loaded(load);
    model.flush = Duration::from_millis(40);
    let design = Design {
        saturate: true,
        max_time: seconds(8),
        rope_ratio: 0.0,
        ..Design::default()
    };
    let run = outcome(&mut model, &design);
    let throughput = estimate(&run, Metric::Throughput);
    assert_eq!(throughput.verdict, EstimateVerdict::Slower);
    assert!(throughput.rounds >= 10, "{}", throughput.rounds);
    assert!(run.elapsed < seconds(9), "{:?}", run.elapsed);
}

#[test]
fn without_load_there_is_no_throughput() {
    let run = outcome(
        &mut Model::with_effect(1.1, 1, noises::quiet),
        &Design::default(),
    );
    let metrics: Vec<_> = run
        .estimates
        .iter()
        .map(|estimate| estimate.metric)
        .collect();
    assert_eq!(
        metrics,
        [
            Metric::LatencyMedian,
            Metric::LatencyMean,
            Metric::LatencyP99
        ]
    );
    assert_eq!(run.levels[0].iops, None);
    let levels = run.levels.iter().map(|level| level.latency_p50_us.unwrap());
    let levels: Vec<_> = levels.collect();
    assert!(
        (levels[0] - 100.0).abs() < 1.0 && (levels[1] - 110.0).abs() < 1.0,
        "{levels:?}"
    );
}

/// A baseline alone: only its level and the placebo.
#[test]
fn a_single_arm_is_measured_too() {
    let run = outcome(
        &mut Model::new(1, 1, |m, n| 50.0 * noises::quiet(m, n)),
        &Design::default(),
    );
    assert!(run.estimates.is_empty() && !run.placebo.moved);
    assert!((run.placebo.ratio.unwrap() - 1.0).abs() < 0.02);
    assert_eq!(run.levels.len(), 1);
}
