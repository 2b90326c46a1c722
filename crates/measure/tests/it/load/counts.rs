//! Rates, shares, flushes, samples and stops.

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::units::ratio;
use ioalign_core::workload::{SizeShare, Workload};
use ioalign_measure::engine::{Api, EngineOptions};
use ioalign_measure::load;

use crate::scratch::{MIB, options, run, scratch, workload};

#[test]
fn a_rate_is_kept_and_not_exceeded() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, false, true);
    for (api, workers) in [(Api::Uring, 1), (Api::Uring, 2), (Api::Sync, 2)] {
        let workload = Workload {
            rate_iops: Some(200.0),
            workers,
            ..workload(1.0, 1000)
        };
        let options = EngineOptions {
            api: Some(api),
            ..options()
        };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let report = load::run(
            std::slice::from_ref(&target),
            &workload,
            &options,
            None,
            go_on,
        )
        .unwrap();
        // A busy machine may send fewer, never more.
        let most = 200.0 * report.elapsed.as_secs_f64() + 40.0;
        let sent = ratio(report.read.ios, 1);
        assert!(sent > 0.0 && sent < most, "{api:?}: {sent} of {most}");
        assert_eq!(report.api, api);
    }
}

#[test]
fn reads_writes_and_flushes_are_counted_apart() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, true, true);
    let workload = Workload {
        read_ratio: 0.7,
        fsync_every_writes: Some(10),
        workers: 2,
        ..workload(0.7, 500)
    };
    let report = run(&[target], &workload).unwrap();
    let ios = report.ios();
    assert!(ios > 100, "{ios}");
    let wanted = ratio(report.write.ios, 10 * report.flush.ios);
    assert!(
        (0.7..1.5).contains(&wanted),
        "a flush after ten writes: {report:?}"
    );
    let spread = 5.0 * (0.21 / ratio(ios, 1)).sqrt();
    assert!(
        (ratio(report.read.ios, ios) - 0.7).abs() < spread,
        "{} of {ios}",
        report.read.ios
    );
    assert_eq!(report.write.bytes, report.write.ios * 4096);
    for op in [&report.read, &report.write, &report.flush] {
        assert_eq!(op.latency_ns.len(), op.ios);
    }
    let rate = report.read.iops * report.elapsed.as_secs_f64();
    assert!(
        (rate / ratio(report.read.ios, 1) - 1.0).abs() < 0.2,
        "{rate}"
    );
    assert!(report.user + report.system > Duration::ZERO);
    assert_eq!((report.errors, report.partial), (0, None));
}

#[test]
fn samples_add_up_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, false, true);
    let workload = Workload {
        ramp_ms: 200,
        ..workload(1.0, 2200)
    };
    let mut ramps = 0;
    let report = load::run(&[target], &workload, &options(), None, &mut |snapshot| {
        ramps += u32::from(snapshot.ramping);
        ControlFlow::Continue(())
    });
    let report = report.unwrap();
    assert!(ramps > 0);
    let length: Duration = report.samples.iter().map(|sample| sample.length).sum();
    assert_eq!(
        length,
        report.samples.last().unwrap().end,
        "{:?}",
        report.samples
    );
    let sum: u64 = report.samples.iter().map(|sample| sample.read.ios).sum();
    // Between the last tick and the stop some more complete.
    assert!(
        sum > 0 && sum <= report.read.ios,
        "{sum} of {}",
        report.read.ios
    );
    assert!(
        report.elapsed >= Duration::from_millis(2100),
        "the ramp does not count"
    );
}

#[test]
fn a_stop_keeps_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, false, true);
    let stop_after = |wanted: Duration, workload: &Workload| {
        load::run(
            std::slice::from_ref(&target),
            workload,
            &options(),
            None,
            &mut |snapshot| {
                if !snapshot.ramping && snapshot.elapsed >= wanted {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        )
    };
    let report = stop_after(Duration::from_millis(200), &workload(1.0, 600_000)).unwrap();
    assert!(report.read.ios > 0);
    let why = report.partial.unwrap();
    assert!(why.starts_with("stopped by the operator after "), "{why}");
    // In the ramp: nothing counts, and that is said.
    let ramp = Workload {
        ramp_ms: 600_000,
        ..workload(1.0, 1000)
    };
    let report = load::run(
        std::slice::from_ref(&target),
        &ramp,
        &options(),
        None,
        &mut |_| ControlFlow::Break(()),
    );
    let report = report.unwrap();
    assert_eq!(report.ios(), 0);
    assert!(report.partial.unwrap().ends_with("of ramp"));
}

#[test]
fn nonsense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, false, true);
    let sizes = vec![SizeShare {
        bytes: 4096,
        weight: 0,
    }];
    for (workload, words) in [
        (
            Workload {
                sizes,
                ..workload(1.0, 1)
            },
            "no sizes",
        ),
        (
            Workload {
                rate_iops: Some(0.0),
                ..workload(1.0, 1)
            },
            "above 0",
        ),
        (
            Workload {
                read_ratio: 2.0,
                ..workload(1.0, 1)
            },
            "share of reads",
        ),
        (
            Workload {
                align_bytes: Some(0),
                ..workload(1.0, 1)
            },
            "multiples of 0",
        ),
        (
            Workload {
                queue_depth: 1 << 20,
                ..workload(1.0, 1)
            },
            "queue depth",
        ),
        (workload(0.0, 1), "--write"),
    ] {
        let error = run(std::slice::from_ref(&target), &workload)
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(run(&[], &workload(1.0, 1)).is_err());
}
