//! The whole analysis against straightforward models.

use std::collections::BTreeMap;

use ioalign_core::profile::{GridProfile, Profile};
use ioalign_core::units::ratio;
use ioalign_core::{Bytes, GridClaim, Tier};
use proptest::prelude::*;

use super::{Analysis, AnalysisSettings};
use crate::record::{Io, NO_LATENCY, NameDirectory, Op};

fn grid(size: u64, phase: u64) -> GridClaim {
    GridClaim::new(Bytes::new(size), Bytes::new(phase), Tier::Rmw, "test").unwrap()
}

fn analysed(ios: &[Io], settings: &AnalysisSettings) -> Profile {
    let mut analysis = Analysis::new(settings);
    // In parts, as the pipeline does.
    ios.chunks(7).for_each(|some| analysis.add(some));
    analysis.profile(&NameDirectory::default())
}

/// I/Os in order of issue; a fifth has no latency.
fn ios() -> impl Strategy<Value = Vec<Io>> {
    let one = (
        0..400_000_u64,
        0..1_u64 << 24,
        1..300_000_u32,
        0..900_000_u64,
        0..5_u8,
    );
    proptest::collection::vec(one, 1..150).prop_map(|all| {
        let mut time = 0;
        let made = all.into_iter().map(|(gap, offset, len, latency, kind)| {
            // Mostly close together, at times far apart.
            time += i64::try_from(if gap < 350_000 { gap / 50 } else { gap * 20 }).unwrap();
            Io {
                time,
                offset,
                len,
                latency: if kind == 0 { NO_LATENCY } else { latency },
                op: if kind % 2 == 0 { Op::Read } else { Op::Write },
                ..Io::default()
            }
        });
        made.collect()
    })
}

/// The four counters, byte by byte as their definitions say.
fn counted(ios: &[Io], op: Op, size: u64, phase: u64) -> [u64; 5] {
    let cell = |at: u64| (u128::from(at) + u128::from(size) - u128::from(phase)) / u128::from(size);
    let mut out = [0; 5];
    for io in ios.iter().filter(|io| io.op == op) {
        let (len, last) = (u64::from(io.len), io.offset + u64::from(io.len) - 1);
        let touched = u64::try_from(cell(last) - cell(io.offset)).unwrap() + 1;
        out[0] += u64::from(!(io.offset + size - phase).is_multiple_of(size));
        out[1] += u64::from(len % size != 0);
        out[2] += u64::from(len <= size && touched == 2);
        out[3] += touched;
        out[4] += len.div_ceil(size);
    }
    out
}

const fn found(grid: &GridProfile) -> [u64; 5] {
    [
        grid.start_off_grid,
        grid.length_not_multiple,
        grid.straddling,
        grid.cells_touched,
        grid.cells_minimum,
    ]
}

fn end(io: &Io) -> i64 {
    match io.latency {
        NO_LATENCY => io.time,
        known => io.time + i64::try_from(known).unwrap(),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn counters_are_those_of_brute_force(
        ios in ios(), size in 1..700_000_u64, odd in 1..9_u64, phase in 0..1_u64 << 20,
    ) {
        for size in [size, (odd * 3 * 64) << 10, 4096] {
            let phase = phase % size;
            let settings = AnalysisSettings { grids: vec![grid(size, phase)], ..AnalysisSettings::default() };
            let profile = analysed(&ios, &settings);
            for op in [Op::Read, Op::Write] {
                let of = profile.devices[0].grids.iter().find(|grid| grid.op == op.name());
                if let Some(of) = of {
                    prop_assert_eq!(found(of), counted(&ios, op, size, phase));
                    prop_assert_eq!((of.size_bytes, of.phase_bytes), (size, phase));
                }
            }
        }
    }

    #[test]
    fn bursts_are_what_lies_between_idle_times(ios in ios(), gap in 1..2_000_000_u64) {
        let settings = AnalysisSettings { burst_gap: gap, ..AnalysisSettings::default() };
        let profile = analysed(&ios, &settings);
        let mut model: Vec<Vec<&Io>> = Vec::new();
        for io in &ios {
            let until = model.last().map(|burst| burst.iter().map(|io| end(io)).max().unwrap());
            let idle = until.map(|until| io.time - until);
            match (model.last_mut(), idle) {
                (Some(burst), Some(idle)) if idle < i64::try_from(gap).unwrap() => burst.push(io),
                _ => model.push(vec![io]),
            }
        }
        let device = &profile.devices[0];
        prop_assert_eq!(device.bursts_total.count, model.len() as u64);
        let origin = ios[0].time;
        let mut largest: Vec<u64> = model.iter().map(|b| b.iter().map(|io| u64::from(io.len)).sum()).collect();
        largest.sort_unstable();
        let kept = largest.split_off(largest.len().saturating_sub(32));
        let mut shown: Vec<u64> = device.bursts.iter().map(|burst| burst.bytes).collect();
        shown.sort_unstable();
        prop_assert_eq!(shown, kept);
        for burst in &device.bursts {
            let start = |b: &&Vec<&Io>| near(ratio(u64::try_from(b[0].time - origin).unwrap(), 1000), burst.start_us);
            let of = model.iter().find(start).unwrap();
            let last = of.iter().map(|io| end(io)).max().unwrap();
            let lasts = ratio(u64::try_from(last - of[0].time).unwrap(), 1000);
            prop_assert!(near(lasts, burst.duration_us));
            prop_assert_eq!(burst.ios, of.len() as u64);
            let known: Vec<u64> = of.iter().map(|io| io.latency).filter(|l| *l != NO_LATENCY).collect();
            let mean = (!known.is_empty()).then(|| ratio(known.iter().sum(), known.len() as u64) / 1e3);
            prop_assert_eq!(mean.is_some(), burst.latency_mean_us.is_some());
            prop_assert!(near(mean.unwrap_or(0.0), burst.latency_mean_us.unwrap_or(0.0)));
        }
    }

    #[test]
    fn samplers_show_bytes_by_interval_and_latency_by_io(ios in ios(), width in 1_000..3_000_000_u64) {
        let settings = AnalysisSettings { samplers: vec![width], ..AnalysisSettings::default() };
        let profile = analysed(&ios, &settings);
        let origin = ios[0].time;
        let mut model: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
        for io in &ios {
            let at = u64::try_from(end(io) - origin).unwrap() / width;
            let sample = model.entry(at).or_default();
            sample.0 += u64::from(io.len);
            if io.latency != NO_LATENCY {
                sample.1 += 1;
                sample.2 += io.latency;
            }
        }
        let sampler = &profile.devices[0].samplers[0];
        let highest = model.values().map(|sample| sample.0).max().unwrap();
        prop_assert!(near(sampler.highest_bytes_per_s, ratio(highest, width) * 1e9));
        prop_assert_eq!(sampler.active, model.len() as u64);
        prop_assert_eq!(sampler.samples, model.keys().max().unwrap() + 1);
        let means = model.values().filter(|s| s.1 > 0).map(|s| ratio(s.2, s.1) / 1e3);
        prop_assert!(near(means.fold(0.0, f64::max), sampler.highest_latency_us.unwrap_or(0.0)));
        let sum: u64 = model.values().map(|sample| sample.0).sum();
        let mean = ratio(sum, width) * 1e9 / ratio(model.len() as u64, 1);
        prop_assert!(near(sampler.active_mean_bytes_per_s, mean));
    }

    #[test]
    fn intervals_add_up(ios in ios(), width in 1_000..3_000_000_u64) {
        let width = width / 1000 * 1000;
        let settings = AnalysisSettings { interval: Some(width), ..AnalysisSettings::default() };
        let profile = analysed(&ios, &settings);
        let intervals = profile.devices[0].intervals.as_ref().unwrap();
        let (origin, width) = (ios[0].time, intervals.interval_us * 1000);
        let since = |time: i64| u64::try_from(time - origin).unwrap();
        let last = ios.iter().map(|io| since(end(io))).max().unwrap();
        let any = ios.iter().any(|io| io.latency != NO_LATENCY);
        for (i, row) in intervals.rows.iter().enumerate() {
            let (from, until) = (i as u64 * width, (i as u64 + 1) * width);
            let len = width.min(last.saturating_sub(from)).max(1);
            for (op, of) in [(Op::Read, &row.read), (Op::Write, &row.write)] {
                let mine = || ios.iter().filter(move |io| io.op == op);
                let ended = mine().filter(|io| (from..until).contains(&since(end(io))));
                prop_assert_eq!(of.ios, ended.count() as u64);
                let inside = |io: &Io| since(end(io)).min(until).saturating_sub(since(io.time).max(from));
                let area: u64 = mine().map(inside).sum();
                prop_assert!(near(of.concurrency.unwrap_or(0.0), ratio(area, len)));
            }
            let flight = ios.iter().filter(|io| since(io.time) < until && since(end(io)) >= until).count();
            if any {
                prop_assert_eq!(row.in_progress, Some(flight as u64));
            }
        }
    }

    #[test]
    fn littles_law_holds_by_area(ios in ios()) {
        let profile = analysed(&ios, &AnalysisSettings::default());
        let device = &profile.devices[0];
        let known: Vec<_> = ios.iter().filter(|io| io.latency != NO_LATENCY).collect();
        let (first, last) = (ios[0].time, ios.iter().map(end).max().unwrap());
        let duration = u64::try_from(last - first).unwrap();
        if let Some(law) = &device.littles_law {
            let area: u64 = known.iter().map(|io| io.latency).sum();
            prop_assert!(near(law.measured, ratio(area, duration)));
            let share = ratio(known.len() as u64, ios.len() as u64);
            let wanted = (area > 0).then_some(share);
            prop_assert!(near(law.ratio.unwrap_or(0.0), wanted.unwrap_or(0.0)));
        }
        if let Some(depth) = &device.queue_depth {
            let at = |t: i64| known.iter().filter(|io| io.time <= t && t < end(io)).count() as u64;
            prop_assert_eq!(depth.max, known.iter().map(|io| at(io.time)).max().unwrap());
        }
    }

    #[test]
    fn a_profile_survives_json(ios in ios()) {
        let settings = AnalysisSettings { interval: Some(1_000_000), ..AnalysisSettings::default() };
        let profile = analysed(&ios, &settings);
        let text = serde_json::to_string(&profile).unwrap();
        let back: Profile = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(back, profile);
    }
}

#[test]
fn a_burst_of_one_second_in_twenty_is_shown_as_seventeen_megabytes() {
    // 32 outstanding of 1 MiB at 80 ms for 0.875 s: 400 MiB/s, seen every 20 s.
    let one = |i: i64| Io {
        time: i * 2_500_000,
        offset: i.unsigned_abs() << 20,
        len: 1 << 20,
        latency: 80_000_000,
        op: Op::Write,
        ..Io::default()
    };
    let ios: Vec<_> = (0..350).map(one).collect();
    let profile = analysed(&ios, &AnalysisSettings::default());
    let device = &profile.devices[0];
    let mib = |rate: f64| rate / 1_048_576.0;
    let twenty = &device.samplers[1];
    assert!((mib(twenty.highest_bytes_per_s) - 17.5).abs() < 0.01);
    assert!((twenty.latency_at_highest_us.unwrap() - 80_000.0).abs() < 0.1);
    let burst = &device.bursts[0];
    // The last I/Os take 80 ms longer.
    assert!((mib(burst.throughput_bytes_per_s.unwrap()) - 367.0).abs() < 1.0);
    let law = burst.littles_law.as_ref().unwrap();
    assert!(
        law.consistent && (law.measured - 29.35).abs() < 0.1,
        "{law:?}"
    );
    assert_eq!(device.queue_depth.as_ref().unwrap().max, 32);
    assert_eq!(device.alignment.state.name(), "aligned");
}

/// At the ends of time and of addresses: damaged traces have them.
/// The latency of an I/O that hung longer than any window, once it is known.
#[test]
fn a_latency_that_comes_late_counts_with_its_operation() {
    let io = Io {
        len: 4096,
        latency: NO_LATENCY,
        op: Op::Write,
        ..Io::default()
    };
    let mut analysis = Analysis::new(&AnalysisSettings::default());
    analysis.add(&[io]);
    let directory = NameDirectory::default();
    let before = analysis.profile(&directory);
    assert_eq!(before.devices[0].by_op["write"].latency_us, None);
    let latency = 5_000_000;
    analysis.add_latency(&Io { latency, ..io });
    let after = analysis.profile(&directory);
    assert!(after.devices[0].by_op["write"].latency_us.is_some());
}

#[test]
fn nothing_overflows_at_the_ends() {
    let settings = AnalysisSettings {
        grids: vec![grid(4096, 0), grid(1, 0), grid(196_608, 65_536)],
        interval: Some(1_000_000_000),
        ..AnalysisSettings::default()
    };
    let one = |n: u64| Io {
        time: if n < 4 { 0 } else { i64::MAX },
        offset: u64::MAX - n % 3,
        len: if n.is_multiple_of(2) { 8192 } else { u32::MAX },
        latency: u64::try_from(i64::MAX).unwrap() + n,
        op: if n % 4 < 2 { Op::Read } else { Op::Write },
        ..Io::default()
    };
    let ios: Vec<_> = (0..600).map(one).collect();
    let profile = analysed(&ios, &settings);
    let by_op = &profile.devices[0].by_op;
    assert_eq!(by_op["read"].ios + by_op["write"].ios, 600);
}
