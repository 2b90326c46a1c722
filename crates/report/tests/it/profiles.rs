//! The text of a profile, and `check --json` read back.

use std::collections::BTreeMap;

use ioalign_core::profile::{
    Burst, Bursts, DeviceProfile, GridProfile, Interval, IntervalOp, Intervals, Latency,
    LatencyRatio, LittlesLaw, OpProfile, ProcessProfile, Profile, QueueDepth, ReadBeforeWrite,
    Sampled, Sampler, SizeCount, SkippedRow, TraceFile,
};
use ioalign_report::{RenderOptions, ReportFormat, Verbosity, json, profile};
use unicode_width::UnicodeWidthStr;

use super::{cases, golden};

const MIB: u64 = 1 << 20;

fn latency(p50: f64) -> Latency {
    Latency {
        ios: 7900,
        p50,
        p90: p50 * 2.0,
        p99: p50 * 5.0,
        p999: p50 * 9.0,
        max: p50 * 20.0,
        mean: p50 * 1.2,
    }
}

fn op(ios: u64, start: usize) -> OpProfile {
    let mut powers = vec![0; 64];
    powers[start] = ios * 79 / 100;
    powers[13] = ios - powers[start];
    let mut lengths = vec![0; 64];
    lengths[12] = ios;
    let mut sectors = [0; 8];
    sectors[7] = powers[start];
    sectors[0] = powers[13];
    OpProfile {
        ios,
        bytes: ios * 8192,
        size_histogram: vec![SizeCount {
            bytes: 8192,
            ios,
            off_4096_ios: powers[start],
        }],
        start_mod_4096: sectors,
        whole_start_mod_4096: sectors,
        start_pow2_histogram: powers,
        length_pow2_histogram: lengths,
        straddling_pow2: vec![0; 64],
        sequential_ratio: Some(0.034),
        latency_us: Some(latency(310.0)),
        ..OpProfile::default()
    }
}

fn grid(op: &str, layer: Option<&str>) -> GridProfile {
    GridProfile {
        op: op.to_owned(),
        layer: layer.map(str::to_owned),
        kind: "physical-block".to_owned(),
        size_bytes: 4096,
        tier: "rmw".to_owned(),
        pieces: 10_000,
        start_off_grid: 7900,
        straddling: 7900,
        cells_touched: 17_900,
        cells_minimum: 10_000,
        straddling_latency_us: Some(latency(480.0)),
        clean_latency_us: Some(latency(310.0)),
        latency_ratio: Some(LatencyRatio {
            ratio: Some(1.52),
            ratio_low: Some(1.43),
            ratio_high: Some(1.61),
            confidence: 0.95,
            batches: 24,
            straddling_ios: 7900,
            clean_ios: 2100,
            verdict: "slower".to_owned(),
        }),
        read_before_write: (op == "write").then_some(ReadBeforeWrite {
            within_us: 1_000_000,
            partial_writes: 7900,
            partial_after_read: 7600,
            whole_writes: 2100,
            whole_after_read: 12,
            seen: true,
        }),
        ..GridProfile::default()
    }
}

fn burst(second: f64) -> Burst {
    Burst {
        start_us: second * 1e6,
        duration_us: 875_000.0,
        ios: 350,
        bytes: 350 * MIB,
        throughput_bytes_per_s: Some(400.0 * 1_048_576.0),
        iops: Some(400.0),
        latency_mean_us: Some(80_000.0),
        littles_law: Some(LittlesLaw {
            measured_while_busy: 32.0,
            ..LittlesLaw::default()
        }),
        sampled: vec![Sampled {
            interval_us: 20_000_000,
            throughput_bytes_per_s: 17.5 * 1_048_576.0,
            understated_ratio: 22.86,
        }],
    }
}

fn over_time(device: &mut DeviceProfile) {
    device.bursts = vec![burst(0.0), burst(20.0)];
    device.bursts_total = Bursts {
        gap_us: 100_000,
        count: 2,
        duration_us: 1_750_000.0,
        longest_us: 875_000.0,
        throughput_bytes_per_s: Some(400.0 * 1_048_576.0),
    };
    device.samplers = vec![Sampler {
        interval_us: 20_000_000,
        samples: 2,
        active: 2,
        highest_bytes_per_s: 17.5 * 1_048_576.0,
        latency_at_highest_us: Some(80_000.0),
        ..Sampler::default()
    }];
    device.queue_depth = Some(QueueDepth {
        mean: 1.4,
        mean_while_busy: 32.0,
        max: 32,
        busy_ratio: 0.044,
        ..QueueDepth::default()
    });
    device.littles_law = Some(LittlesLaw {
        iops: 17.5,
        latency_mean_us: 80_000.0,
        expected: 1.4,
        measured: 1.4,
        consistent: true,
        ..LittlesLaw::default()
    });
    device.intervals = Some(Intervals {
        asked_us: 1_000_000,
        interval_us: 2_000_000,
        rows: vec![interval(0), interval(4_000_000)],
    });
}

fn interval(start_us: u64) -> Interval {
    let busy = IntervalOp {
        ios: 700,
        iops: 123_456.0,
        bytes: 700 * MIB,
        throughput_bytes_per_s: 4096.0 * 1_048_576.0,
        mean_bytes: Some(1_048_576.0),
        merged_ratio: None,
        concurrency: Some(28.0),
        latency_mean_us: Some(80_000.0),
    };
    Interval {
        start_us,
        read: IntervalOp::default(),
        write: busy,
        busy_ratio: Some(0.875),
        in_progress: Some(32),
    }
}

fn sample() -> Profile {
    let owner = |pid, name: &str, op: &str| ProcessProfile {
        pid,
        name: name.to_owned(),
        op: op.to_owned(),
        ios: 5000,
        bytes: 40 * MIB,
        length_off_4096_ios: 10,
        start_pow2_histogram: vec![0; 64],
    };
    let mut device = DeviceProfile {
        device: "8:16".to_owned(),
        layer: Some("disk:sdb".to_owned()),
        by_op: BTreeMap::from([
            ("read".to_owned(), op(4000, 9)),
            ("write".to_owned(), op(6000, 9)),
        ]),
        grids: vec![
            grid("read", None),
            grid("write", None),
            grid(
                "write",
                Some("disk:a-long-name-of-a-multipath-device-somewhere"),
            ),
        ],
        processes: vec![
            owner(4711, "mysqld \u{1b}[31m", "write"),
            owner(0, "", "read"),
        ],
        ..DeviceProfile::default()
    };
    over_time(&mut device);
    let mut profile = Profile {
        source: "trace".to_owned(),
        duration_us: 40_000_000,
        events: 10_000,
        dropped: 3,
        files: vec![TraceFile {
            path: "db.csv".to_owned(),
            format: "msr".to_owned(),
            compression: Some("gzip".to_owned()),
            time_unit: "100 ns since 1601".to_owned(),
            offset_unit: "bytes".to_owned(),
            length_unit: "bytes".to_owned(),
            op_codes: "Read, Write".to_owned(),
            latency_source: "response time".to_owned(),
            skipped_rows: 1234,
            skipped_first: vec![SkippedRow {
                place: 17,
                text: "128166372003061629,usr,0,Raed,7014609920,24576,41286".to_owned(),
                why: "no operation".to_owned(),
            }],
            dropped: 3,
            ..TraceFile::default()
        }],
        devices: vec![device],
        ..Profile::default()
    };
    profile.judge();
    profile
}

fn many() -> Profile {
    let mut profile = sample();
    for i in 0..30 {
        let mut device = DeviceProfile {
            device: format!("volume-{i}"),
            by_op: BTreeMap::from([("read".to_owned(), op(i * 20, 12))]),
            ..DeviceProfile::default()
        };
        device
            .by_op
            .values_mut()
            .for_each(|op| op.start_mod_4096 = [op.ios, 0, 0, 0, 0, 0, 0, 0]);
        device
            .by_op
            .values_mut()
            .for_each(|op| op.whole_start_mod_4096 = op.start_mod_4096);
        profile.devices.push(device);
    }
    profile.judge();
    profile
}

#[test]
fn text_of_a_profile() {
    let plain = RenderOptions::default();
    golden::check("profile.txt", &profile::render(&sample(), &plain));
    golden::check("profile-many.txt", &profile::render(&many(), &plain));
}

#[test]
fn a_profile_never_leaves_the_page() {
    for (name, one) in [
        ("one", sample()),
        ("many", many()),
        ("none", Profile::default()),
    ] {
        for width in [40, 60, 80, 120] {
            for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
                for ascii in [false, true] {
                    let options = RenderOptions {
                        width,
                        verbosity,
                        ascii,
                        ..RenderOptions::default()
                    };
                    let text = profile::render(&one, &options);
                    assert!(!ascii || text.is_ascii(), "{name} is not ASCII: {text}");
                    assert!(!text.contains('\u{1b}'));
                    for line in text.lines() {
                        assert!(line.width() <= width, "{name} at {width}: {line}");
                    }
                }
            }
        }
    }
}

#[test]
fn check_json_is_read_back_to_the_same_maps() {
    for (name, report) in cases::all() {
        let text = ReportFormat::Json.render(&report, &RenderOptions::default());
        let read = json::read::stack(&text);
        if report.targets.iter().all(|target| target.stack.is_empty()) {
            assert!(read.is_err(), "{name}");
            continue;
        }
        let read = read.unwrap();
        let mut layers = read.layers();
        for target in &report.targets {
            for ((_, there), (_, here)) in target.stack.layers().zip(layers.by_ref()) {
                assert_eq!(
                    (here.kind, &here.name, here.size),
                    (there.kind, &there.name, there.size)
                );
                let maps = here.below.iter().zip(&there.below);
                maps.for_each(|(a, b)| assert_eq!(a.map, b.map, "{name}: {}", here.name));
                assert_eq!(here.below.len(), there.below.len());
            }
        }
        let grids: usize = report
            .targets
            .iter()
            .map(|target| target.stack.grids.len())
            .sum();
        assert_eq!(read.grids.len(), grids, "{name}");
    }
}

#[test]
fn a_damaged_document_is_an_error() {
    let good = ReportFormat::Json.render(
        &cases::report(vec![cases::raid5()]),
        &RenderOptions::default(),
    );
    assert!(json::read::stack(&good).is_ok());
    let other = good.replace("ioalign.check/1", "ioalign.check/9");
    assert!(json::read::stack(&other).unwrap_err().contains("check/9"));
    for cut in (0..good.len()).step_by(97) {
        assert!(json::read::stack(&good[..cut.min(good.len())]).is_err());
    }
    for bad in [
        "",
        "[]",
        "{}",
        "null",
        r#"{"schema":"ioalign.check/1","targets":[]}"#,
    ] {
        assert!(json::read::stack(bad).is_err(), "{bad}");
    }
}

/// Times that a trace does not have are not shown as nothing.
#[test]
fn a_trace_without_times_says_so() {
    let mut one = sample();
    one.duration_us = 0;
    let file = &mut one.files[0];
    file.time_unit = "none: only waits".to_owned();
    file.skipped_rows = 1;
    file.skipped_first.truncate(1);
    file.skipped_first[0].text.clear();
    for device in &mut one.devices {
        device.bursts_total.throughput_bytes_per_s = None;
    }
    let text = profile::render(&one, &RenderOptions::default());
    assert!(text.contains("times: none: only waits;"), "{text}");
    assert!(
        text.contains("! 1 row did not parse and is left out:"),
        "{text}"
    );
    assert!(text.contains("how long they last"), "{text}");
    assert!(
        !text.contains(" in 0 s") && !text.contains(";  within"),
        "{text}"
    );
    assert!(!text.lines().any(|line| line.ends_with(": ")), "{text}");
}
