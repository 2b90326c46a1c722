//! What is generated is known: every format that can be written must give it back, to the last counter.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioalign_core::GridClaim;
use ioalign_core::profile::{DeviceProfile, GridProfile, OpProfile, Profile};
use ioalign_observe::generate::{
    self, BurstPlan, GeneratePlan, Random, Ratio, SizeMix, Truth, processes,
};
use ioalign_observe::write::{self, WritableFormat};
use ioalign_observe::{TraceProgress, TraceSettings, convert, summarize};

const GAP: u64 = 100_000_000;
const BURSTS: BurstPlan = BurstPlan {
    on: 20_000_000,
    every: 400_000_000,
};

pub fn grids() -> Vec<GridClaim> {
    let typed = ["4096:physical-block", "192k:stripe", "64k@63s:raid-chunk"];
    typed.iter().map(|text| text.parse().unwrap()).collect()
}

/// A plan of any kind that a seed says.
fn plan(seed: u64, target: &WritableFormat) -> GeneratePlan {
    let mut random = Random::new(seed);
    let mut pick = |end: u64| random.below(end);
    let unit = target.unit;
    let odd = if unit == 1 { 520 } else { 512 };
    let mixes: [&[(u32, u32)]; 5] = [
        &[(4096, 50), (8192, 30), (65536, 20)],
        &[(512, 1), (1536, 1), (4096, 2)],
        &[(odd, 3), (1 << 20, 1), (16384, 5)],
        &[(8192, 1)],
        &[(131_072, 2), (12288, 1), (2 << 20, 1)],
    ];
    let mix = mixes[usize::try_from(pick(5)).unwrap()];
    let share = |n: u64| Ratio::percent(u32::try_from(n).unwrap());
    let all_ops = target.all_ops;
    let plan = GeneratePlan {
        ios: 1 + pick(4000),
        seed,
        device_size: 1 << (27 + pick(20)),
        processes: processes(1 + u32::try_from(pick(9)).unwrap()),
        sizes: SizeMix::new(mix).unwrap(),
        align: 512 << pick(6),
        misaligned: share(pick(60)),
        shift: [0, 63, 2048, 34][usize::try_from(pick(4)).unwrap()] * 512,
        sequential: share(pick(101)),
        reads: share(pick(101)),
        discards: if all_ops { share(pick(20)) } else { share(0) },
        flushes: if all_ops { share(pick(10)) } else { share(0) },
        between: 1 + pick(300_000),
        bursts: (pick(2) == 0).then_some(BURSTS),
        depth: 1 + usize::try_from(pick(100)).unwrap(),
        latency: 1 + pick(3_000_000),
        ..GeneratePlan::default()
    };
    plan.for_target(target, 1 + u32::try_from(pick(3)).unwrap())
}

fn write(plan: &GeneratePlan, target: &WritableFormat, path: &Path) -> Profile {
    let out = Box::new(File::create(path).unwrap());
    let mut writer = (target.writer)(out, true).unwrap();
    let mut truth = Truth::new(plan, &grids(), GAP);
    let progress = TraceProgress::default();
    let written = generate::write(plan, &mut *writer, Some(&mut truth), &progress).unwrap();
    assert_eq!(
        (written.ios, written.left_out, written.cut),
        (plan.ios, 0, 0),
        "{}",
        target.name
    );
    truth.profile(plan)
}

pub fn read(path: &Path) -> Profile {
    let mut settings = TraceSettings::default();
    settings.analysis.grids = grids();
    settings.analysis.burst_gap = GAP;
    let summary = summarize(&[path.to_owned()], &settings, &TraceProgress::default()).unwrap();
    for file in &summary.files {
        assert_eq!(file.skipped.rows, 0, "{:?}", file.skipped);
    }
    summary.profile
}

fn counters(op: &OpProfile) -> OpProfile {
    OpProfile {
        sequential_ratio: None,
        ..op.clone()
    }
}

fn grid_counters(grid: &GridProfile) -> GridProfile {
    GridProfile {
        tier: String::new(),
        straddling_latency_us: None,
        clean_latency_us: None,
        latency_ratio: None,
        read_before_write: None,
        ..grid.clone()
    }
}

fn same_device(seen: &DeviceProfile, known: &DeviceProfile, what: &str) {
    assert_eq!(seen.device, known.device, "{what}");
    assert_eq!(seen.alignment, known.alignment, "{what}");
    assert_eq!(seen.by_op.len(), known.by_op.len(), "{what}");
    for (op, known) in &known.by_op {
        assert_eq!(counters(&seen.by_op[op]), counters(known), "{what}: {op}");
    }
    let grids = |device: &DeviceProfile| device.grids.iter().map(grid_counters).collect::<Vec<_>>();
    assert_eq!(grids(seen), grids(known), "{what}");
    if !known.processes.is_empty() {
        assert_eq!(seen.processes, known.processes, "{what}");
    }
    assert_eq!(seen.bursts_total, known.bursts_total, "{what}");
}

fn same(seen: &Profile, known: &Profile, what: &str) {
    assert_eq!(seen.events, known.events, "{what}");
    assert_eq!(seen.duration_us, known.duration_us, "{what}");
    assert_eq!(seen.alignment, known.alignment, "{what}");
    assert_eq!(seen.devices.len(), known.devices.len(), "{what}");
    for (seen, known) in seen.devices.iter().zip(&known.devices) {
        same_device(seen, known, what);
    }
}

#[test]
fn every_format_gives_back_what_was_generated() {
    let folder = tempfile::tempdir().unwrap();
    for target in write::TARGETS {
        for seed in 0..12 {
            let plan = plan(seed, target);
            assert_eq!(plan.fault(), None, "{plan:?}");
            let path = folder.path().join(target.name);
            let truth = write(&plan, target, &path);
            same(
                &read(&path),
                &truth,
                &format!("{} with {plan:?}", target.name),
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for target in write::TARGETS {
        let plan = plan(7, target);
        let paths: [PathBuf; 2] = ["a", "b"].map(|name| folder.path().join(name));
        let truths = paths.each_ref().map(|path| write(&plan, target, path));
        assert_eq!(truths[0], truths[1]);
        assert_eq!(
            std::fs::read(&paths[0]).unwrap(),
            std::fs::read(&paths[1]).unwrap()
        );
    }
}

fn converted(from: &Path, to: &WritableFormat, path: &Path) -> ioalign_observe::Converted {
    let writer = || (to.writer)(Box::new(File::create(path)?), false);
    convert(
        &[from.to_owned()],
        &TraceSettings::default(),
        &TraceProgress::default(),
        writer,
    )
    .unwrap()
}

/// The same, apart from what is said of the files.
fn without_files(mut profile: Profile) -> Profile {
    profile.files.clear();
    profile.unpaired = Default::default();
    profile
}

#[test]
fn a_converted_trace_has_the_profile_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let [blktrace, parquet] = ["blktrace", "parquet"].map(|name| write::named(name).unwrap());
    for seed in 100..108 {
        let plan = plan(seed, blktrace);
        write(&plan, blktrace, &at("source"));
        let source = without_files(read(&at("source")));
        let done = converted(&at("source"), parquet, &at("parquet"));
        assert_eq!((done.written.ios, done.late), (plan.ios, 0));
        assert_eq!(
            without_files(read(&at("parquet"))),
            source,
            "parquet of seed {seed}"
        );
        for name in ["blktrace", "blkparse", "parquet"] {
            let target = write::named(name).unwrap();
            let from = if name == "parquet" {
                "blktrace2"
            } else {
                "parquet"
            };
            let to = format!("{name}2");
            converted(&at(from), target, &at(&to));
            assert_eq!(without_files(read(&at(&to))), source, "{to} of seed {seed}");
        }
    }
}

#[test]
fn a_trace_of_row_groups_is_read_by_several_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let target = write::named("parquet").unwrap();
    let plan = GeneratePlan {
        ios: 300_000,
        ..plan(3, target)
    };
    let truth = write(&plan, target, &path);
    for threads in [1, 2, 5] {
        let mut settings = TraceSettings {
            threads: Some(threads),
            ..TraceSettings::default()
        };
        settings.analysis.grids = grids();
        let seen = summarize(
            std::slice::from_ref(&path),
            &settings,
            &TraceProgress::default(),
        )
        .unwrap();
        same(&seen.profile, &truth, &format!("{threads} threads"));
    }
}
