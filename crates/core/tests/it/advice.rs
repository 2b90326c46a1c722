//! Advice: the arithmetic of a loss, what counts and what does not, and which decision follows.

use ioalign_core::advice::{
    Advice, AdviceInput, Basis, CheckedTarget, Decision, Defect, Unmatched, advise,
};
use ioalign_core::comparison::{
    Arm, ArmLevel, Cell, Comparison, Estimate, EstimateVerdict, Metric,
};
use ioalign_core::cost;
use ioalign_core::profile::{
    DeviceProfile, GridProfile, OpProfile, Profile, QueueDepth, SizeCount,
};
use ioalign_core::{Bytes, Phase, PhaseSet, Severity};
use proptest::prelude::*;

/// A partition at sector 63, on a grid that rewrites or one that does not.
pub fn defect(unit: u64, rewrites: bool) -> Defect {
    let offset = 32256 % unit;
    let phases = PhaseSet {
        phases: vec![Phase {
            offset,
            weight: 1.0,
        }],
    };
    Defect {
        rule: "start-misaligned".to_owned(),
        severity: if rewrites {
            Severity::Misaligned
        } else {
            Severity::Suboptimal
        },
        layer: Some("partition:sda1".to_owned()),
        devices: vec!["sda".to_owned(), "sda1".to_owned()],
        unit_bytes: Some(unit),
        offset_bytes: Some(offset),
        rewrites,
        rows: cost::table(Bytes::new(unit), &phases),
        fixable_in_place: Some(false),
        ..Defect::default()
    }
}

pub fn checked(defect: Defect) -> Vec<CheckedTarget> {
    vec![CheckedTarget {
        name: "/dev/sda".to_owned(),
        verdict: defect.severity,
        devices: defect.devices.clone(),
        defects: vec![defect],
        unread: false,
    }]
}

/// I/Os of one size and order.
pub fn op(bytes: u64, ios: u64, sequential: f64) -> OpProfile {
    OpProfile {
        ios,
        size_histogram: vec![SizeCount {
            bytes,
            ios,
            ..SizeCount::default()
        }],
        sequential_ratio: Some(sequential),
        ..OpProfile::default()
    }
}

pub fn profile(busy: f64, ops: [(&str, OpProfile); 2]) -> Profile {
    let by_op = ops.into_iter().map(|(name, op)| (name.to_owned(), op));
    Profile {
        devices: vec![DeviceProfile {
            device: "sda1".to_owned(),
            by_op: by_op.collect(),
            queue_depth: Some(QueueDepth {
                busy_ratio: busy,
                mean_while_busy: 1.0,
                ..QueueDepth::default()
            }),
            ..DeviceProfile::default()
        }],
        ..Profile::default()
    }
}

/// Half random reads and half random writes of 4 KiB.
pub fn half_and_half(busy: f64) -> Profile {
    profile(
        busy,
        [("read", op(4096, 500, 0.0)), ("write", op(4096, 500, 0.0))],
    )
}

pub fn cell(op: &str, bytes: u64, [ratio, low, high]: [f64; 3]) -> Cell {
    let estimate = Estimate {
        metric: Metric::LatencyMedian,
        arm: "+512".to_owned(),
        baseline: "+0".to_owned(),
        ratio: Some(ratio),
        ratio_low: Some(low),
        ratio_high: Some(high),
        verdict: EstimateVerdict::Slower,
        ..Estimate::default()
    };
    let level = ArmLevel {
        arm: "+0".to_owned(),
        latency_mean_us: Some(100.0),
        ..ArmLevel::default()
    };
    Cell {
        block_bytes: bytes,
        op: op.to_owned(),
        pattern: "random".to_owned(),
        queue_depth: 1,
        workers: 1,
        levels: vec![level],
        estimates: vec![estimate],
        ..Cell::default()
    }
}

pub fn comparison(cells: Vec<Cell>) -> Comparison {
    let arm = |name: &str, offset_bytes| Arm {
        name: name.to_owned(),
        offset_bytes,
        ..Arm::default()
    };
    Comparison {
        target: "/dev/sda".to_owned(),
        arms: vec![arm("+0", 0), arm("+512", 512)],
        cells,
        ..Comparison::default()
    }
}

/// Reads 10 % slower, writes twice as slow.
pub fn measured() -> Comparison {
    comparison(vec![
        cell("read", 4096, [1.1, 1.05, 1.15]),
        cell("write", 4096, [2.0, 1.9, 2.1]),
    ])
}

pub fn advice(defect: Defect, profile: Option<&Profile>, cost: Option<&Comparison>) -> Advice {
    let targets = checked(defect);
    let evidence = AdviceInput {
        targets: &targets,
        profile,
        cost,
        assume_same: false,
    };
    advise(&evidence, "test")
}

/// Low, likely, high of the only item.
pub fn loss(advice: &Advice) -> [f64; 3] {
    let loss = advice.items[0].loss.clone().unwrap();
    [
        loss.low_ratio,
        loss.likely_ratio.unwrap_or(f64::NAN),
        loss.high_ratio,
    ]
}

pub fn near(found: [f64; 3], wanted: [f64; 3]) {
    let far = found.iter().zip(wanted).any(|(a, b)| (a - b).abs() > 1e-9);
    assert!(!far, "{found:?}, not {wanted:?}");
}

pub fn kinds(advice: &Advice) -> Vec<&str> {
    advice.items[0].reasons.iter().map(|one| one.kind).collect()
}

#[test]
fn a_loss_is_the_mean_over_the_workload() {
    let found = advice(
        defect(4096, true),
        Some(&half_and_half(0.8)),
        Some(&measured()),
    );
    near(loss(&found), [0.475, 0.55, 0.625]);
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!(
        (one.basis, one.covered_ratio),
        (Basis::MeasuredAndWeighed, Some(1.0))
    );
    assert_eq!(
        (found.decision, one.crossing_ratio),
        (Decision::FixNow, Some(1.0))
    );
    assert_eq!(kinds(&found), ["loss-measured", "crossing", "not-in-place"]);
}

/// A cell that sends both is the sum of its parts.
#[test]
fn a_mix_is_priced_by_its_own_cell() {
    let mut mix = cell("read-50", 4096, [1.5, 1.4, 1.6]);
    mix.estimates[0].metric = Metric::LatencyMean;
    let cost = comparison(vec![mix.clone()]);
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&cost));
    near(loss(&found), [0.4, 0.5, 0.6]);
    assert_eq!(
        found.items[0].loss.clone().unwrap().covered_ratio,
        Some(1.0)
    );
    // Writes alone are another mix: nothing was measured of them.
    let writes = profile(
        0.8,
        [("read", op(4096, 0, 0.0)), ("write", op(4096, 500, 0.0))],
    );
    let found = advice(defect(4096, true), Some(&writes), Some(&cost));
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!((one.basis, one.likely_ratio), (Basis::Weighed, None));
    assert_eq!((one.low_ratio, one.high_ratio), (0.0, 3.0));
    assert_eq!(one.uncovered[0].unlike, Unmatched::Operation);
    // They have a cell of their own; the mix has one too, and that was measured as a whole.
    let both = comparison(vec![mix, cell("write", 4096, [2.0, 1.9, 2.1])]);
    let found = advice(defect(4096, true), Some(&writes), Some(&both));
    near(loss(&found), [0.9, 1.0, 1.1]);
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&both));
    near(loss(&found), [0.4, 0.5, 0.6]);
}

/// Of 90 % reads the median is that of a read, whatever writes pay.
#[test]
fn the_median_of_a_mix_has_no_price() {
    let mix = comparison(vec![cell("read-90", 4096, [1.0, 0.999, 1.001])]);
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&mix));
    assert_eq!(found.items[0].loss.clone().unwrap().basis, Basis::Weighed);
}

/// A profile in which nothing was sent weighs no cell.
#[test]
fn an_empty_profile_makes_nothing_urgent() {
    let mut idle = half_and_half(0.8);
    for op in idle.devices[0].by_op.values_mut() {
        op.size_histogram.clear();
    }
    let costly = comparison(vec![cell("write", 4096, [2.0, 1.9, 2.1])]);
    let found = advice(defect(4096, true), Some(&idle), Some(&costly));
    assert_eq!(found.items[0].loss.clone().unwrap().basis, Basis::Measured);
    assert_eq!(
        (found.decision, kinds(&found)[0]),
        (Decision::NextOutage, "load-unknown")
    );
}

#[test]
fn slow_io_weighs_more() {
    let mut cost = measured();
    cost.cells[0].levels[0].latency_mean_us = Some(300.0);
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&cost));
    // Three quarters of the time are reads.
    near(loss(&found), [0.2625, 0.325, 0.3875]);
}

#[test]
fn a_light_load_waits() {
    let found = advice(
        defect(4096, true),
        Some(&half_and_half(0.03)),
        Some(&measured()),
    );
    assert_eq!(found.decision, Decision::NextOutage);
    assert_eq!(kinds(&found)[0], "light-load");
    let cheap = comparison(vec![
        cell("read", 4096, [1.04, 1.03, 1.05]),
        cell("write", 4096, [1.04, 1.03, 1.05]),
    ]);
    let found = advice(defect(4096, true), Some(&half_and_half(0.03)), Some(&cheap));
    assert_eq!(found.decision, Decision::Leave);
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&cheap));
    assert_eq!(found.decision, Decision::NextOutage);
}

#[test]
fn a_part_of_the_io_does_not_show_a_light_load() {
    let mut profile = half_and_half(0.03);
    profile.only = vec!["file /var/lib/mysql".to_owned()];
    let found = advice(defect(4096, true), Some(&profile), Some(&measured()));
    assert!(
        !kinds(&found).contains(&"light-load"),
        "{:?}",
        kinds(&found)
    );
    let mut assumed = found.assumed.iter();
    let what = "The profile has the I/O of file /var/lib/mysql alone";
    assert!(assumed.any(|one| one.what.starts_with(what)));
}

#[test]
fn what_costs_next_to_nothing_is_left() {
    let same = comparison(vec![
        cell("read", 4096, [1.001, 0.998, 1.004]),
        cell("write", 4096, [1.002, 0.999, 1.005]),
    ]);
    let found = advice(defect(4096, true), Some(&half_and_half(0.9)), Some(&same));
    assert_eq!(
        (found.decision, kinds(&found)[0]),
        (Decision::Leave, "costs-little")
    );
    assert!(
        found.items[0]
            .reasons
            .iter()
            .any(|one| one.kind == "not-in-place")
    );
}

#[test]
fn data_at_risk_are_fixed_whatever_it_costs() {
    for severity in [Severity::DataRisk, Severity::Broken] {
        let mut risky = defect(4096, true);
        risky.severity = severity;
        let free = comparison(vec![cell("write", 4096, [1.0, 1.0, 1.0])]);
        let found = advice(risky, Some(&half_and_half(0.01)), Some(&free));
        assert_eq!(found.decision, Decision::FixNow);
        assert_eq!(kinds(&found)[0], "data-at-risk");
    }
}

#[test]
fn notes_and_waived_findings_are_no_defects() {
    let mut note = defect(4096, true);
    note.severity = Severity::Note;
    let mut waived = defect(4096, true);
    waived.waived = true;
    for one in [note, waived] {
        let found = advice(one, None, None);
        assert!(found.items.is_empty() && found.assumed.is_empty());
        assert_eq!(found.decision, Decision::Leave);
    }
}

/// An invalid cell, whatever its number, only makes the range wider.
#[test]
fn cells_without_a_result_do_not_count() {
    let sound = comparison(vec![cell("read", 4096, [1.1, 1.05, 1.15])]);
    let load = half_and_half(0.8);
    let wanted = loss(&advice(defect(4096, true), Some(&load), Some(&sound)));
    assert!(wanted[1].is_nan(), "half of the I/O has no middle");
    for spoil in [
        (|cell: &mut Cell| cell.placebo.moved = true) as fn(&mut Cell),
        |cell| cell.estimates[0].verdict = EstimateVerdict::Invalid,
        |cell| cell.estimates[0].ratio_low = None,
        |cell| cell.estimates[0].ratio = Some(f64::NAN),
    ] {
        let mut spoiled = measured();
        spoiled.cells[1] = cell("write", 4096, [50.0, 40.0, 60.0]);
        spoil(&mut spoiled.cells[1]);
        let found = advice(defect(4096, true), Some(&load), Some(&spoiled));
        let [low, _, high] = loss(&found);
        near([low, 0.0, high], [wanted[0], 0.0, wanted[2]]);
        let one = found.items[0].loss.clone().unwrap();
        assert_eq!(
            (one.basis, one.covered_ratio),
            (Basis::PartlyMeasured, Some(0.5))
        );
        assert!(!found.items[0].reasons[0].text.contains("as measured"));
        assert_eq!(found.cost.as_ref().unwrap().cells_left_out, 1);
        let said = |part: &str| found.assumed.iter().any(|one| one.what.contains(part));
        assert!(said("left out") && said("speak for 50 %"));
    }
}

/// 4 KiB I/O at +512 crosses a 64 KiB boundary once in 16: what it loses is paid by that one.
#[test]
fn a_price_is_that_of_a_crossing() {
    let mut one = cell("read", 4096, [1.0 / 1.05, 1.0 / 1.06, 1.0 / 1.04]);
    one.estimates[0].metric = Metric::Throughput;
    let cost = comparison(vec![one]);
    // Followed down: every second I/O of the workload crosses.
    let mut load = profile(
        0.5,
        [("read", op(4096, 100, 0.0)), ("write", op(4096, 0, 0.0))],
    );
    load.devices[0].grids = vec![GridProfile {
        op: "read".to_owned(),
        layer: Some("disk:sda".to_owned()),
        size_bytes: 65536,
        pieces: 100,
        cells_touched: 150,
        cells_minimum: 100,
        ..GridProfile::default()
    }];
    let found = advice(defect(65536, false), Some(&load), Some(&cost));
    near(loss(&found), [0.32, 0.4, 0.48]);
    // By arithmetic alone it would be one in 16.
    load.devices[0].grids.clear();
    let found = advice(defect(65536, false), Some(&load), Some(&cost));
    near(loss(&found), [0.04, 0.05, 0.06]);
}

/// The median does not see what happens to one I/O of 16.
#[test]
fn a_median_does_not_hide_rare_crossings() {
    let mut one = cell("read", 4096, [1.0, 0.999, 1.001]);
    let mut mean = one.estimates[0].clone();
    mean.metric = Metric::LatencyMean;
    [mean.ratio, mean.ratio_low, mean.ratio_high] = [Some(1.05), Some(1.04), Some(1.06)];
    one.estimates.push(mean);
    let load = profile(
        0.5,
        [("read", op(4096, 100, 0.0)), ("write", op(4096, 0, 0.0))],
    );
    let found = advice(
        defect(65536, false),
        Some(&load),
        Some(&comparison(vec![one])),
    );
    near(loss(&found), [0.04, 0.05, 0.06]);
}

/// After a repair the layout of before is the baseline: the loss is the same.
#[test]
fn a_baseline_off_the_grid_is_turned_round() {
    let mut cost = measured();
    cost.arms[0].offset_bytes = 32256;
    cost.arms[1].offset_bytes = 0;
    for (cell, ratio) in cost.cells.iter_mut().zip([1.1, 2.0]) {
        let one = &mut cell.estimates[0];
        [one.ratio, one.ratio_low, one.ratio_high] =
            [1.0, 0.98, 1.02].map(|factor| Some(factor / ratio));
        one.verdict = EstimateVerdict::Faster;
        cell.levels[0].arm = "+512".to_owned();
    }
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&cost));
    let [low, likely, high] = loss(&found);
    assert!(
        (likely - 0.55).abs() < 1e-9 && low < 0.55 && high > 0.55,
        "{low} {likely} {high}"
    );
}

/// A target that itself begins off the grid: where its I/O begins on the disk decides.
#[test]
fn arms_are_judged_by_where_they_lie_on_the_disk() {
    let mut cost = measured();
    cost.arms[0].start_bytes = Some(32256);
    cost.arms[1].start_bytes = Some(32256 + 512);
    // 32768 is on the grid: the arm is faster than the baseline would be, yet measured slower.
    let found = advice(defect(4096, true), Some(&half_and_half(0.8)), Some(&cost));
    assert!(loss(&found)[1] < 0.0, "{:?}", loss(&found));
    assert_eq!(found.decision, Decision::Leave);
}

#[test]
fn without_a_profile_nothing_is_urgent() {
    let found = advice(defect(4096, true), None, Some(&measured()));
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!((one.basis, one.likely_ratio), (Basis::Measured, None));
    assert!((one.low_ratio - 0.05).abs() < 1e-9 && (one.high_ratio - 1.1).abs() < 1e-9);
    assert_eq!(found.decision, Decision::NextOutage);
    let settle = found.assumed.iter().filter_map(|one| one.settle.as_deref());
    assert!(
        settle
            .into_iter()
            .any(|one| one.starts_with("ioalign watch"))
    );
}

#[test]
fn without_anything_the_range_begins_at_nothing() {
    let found = advice(defect(4096, true), None, None);
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!(
        (one.basis, one.low_ratio, one.likely_ratio),
        (Basis::Assumed, 0.0, None)
    );
    assert_eq!(found.decision, Decision::NextOutage);
    assert!(kinds(&found).contains(&"flash-cache"));
    let settle: Vec<_> = found
        .assumed
        .iter()
        .filter_map(|one| one.settle.clone())
        .collect();
    assert_eq!(
        settle[1],
        "ioalign measure matrix TARGET --ramp 1s --time 10s --offsets 0,3584 --json >cost.json"
    );
}

/// The recommendations of the VMFS paper, where nothing was measured.
#[test]
fn sequential_readers_gain_most_and_random_writers_wait() {
    let reads = profile(
        0.9,
        [("read", op(65536, 90, 0.95)), ("write", op(4096, 10, 0.0))],
    );
    let found = advice(defect(65536, false), Some(&reads), None);
    assert_eq!(found.decision, Decision::NextOutage);
    assert!(
        kinds(&found).contains(&"sequential-reads"),
        "{:?}",
        kinds(&found)
    );
    let writes = profile(
        0.9,
        [("read", op(65536, 10, 0.0)), ("write", op(65536, 90, 0.0))],
    );
    let found = advice(defect(65536, false), Some(&writes), None);
    assert_eq!(
        (found.decision, kinds(&found)[0]),
        (Decision::Leave, "random-writes")
    );
    // On blocks that are rewritten each of them costs: it waits, and is not forgotten.
    let small = profile(
        0.9,
        [("read", op(4096, 10, 0.0)), ("write", op(4096, 90, 0.0))],
    );
    let found = advice(defect(4096, true), Some(&small), None);
    assert_eq!(found.decision, Decision::NextOutage);
    assert!(kinds(&found).contains(&"random-writes"));
}

#[test]
fn a_target_that_nothing_was_recognised_in_is_named() {
    let targets = [CheckedTarget {
        name: "disk.img".to_owned(),
        verdict: Severity::Unknown,
        ..CheckedTarget::default()
    }];
    let evidence = AdviceInput {
        targets: &targets,
        profile: None,
        cost: None,
        assume_same: false,
    };
    let found = advise(&evidence, "test");
    assert!(found.assumed[0].what.starts_with("disk.img:"));
    assert_eq!(found.decision, Decision::Leave);
}

prop_compose! {
    fn any_cell()(
        write: bool,
        power in 9_u32..21,
        ratio in 0.3_f64..8.0,
        wide in 1.0_f64..1.5,
        verdict in 0_usize..5,
        moved: bool,
    ) -> Cell {
        let op = if write { "write" } else { "read" };
        let mut cell = cell(op, 1 << power, [ratio, ratio / wide, ratio * wide]);
        cell.estimates[0].verdict = [
            EstimateVerdict::Slower, EstimateVerdict::Faster, EstimateVerdict::NoDifference, EstimateVerdict::Undecided, EstimateVerdict::Invalid,
        ][verdict];
        cell.placebo.moved = moved;
        cell
    }
}

proptest! {
    /// A range is one, its middle lies in it, and nothing that was not measured is urgent.
    #[test]
    fn ranges_are_honest(
        cells in proptest::collection::vec(any_cell(), 0..6),
        reads in 0_u64..1000,
        writes in 0_u64..1000,
        read_power in 9_u32..21,
        write_power in 9_u32..21,
        sequential in 0.0_f64..1.0,
        busy in 0.0_f64..1.0,
        unit in proptest::sample::select(vec![4096_u64, 16384, 65536, 196_608]),
        rewrites: bool,
    ) {
        let load = profile(busy, [
            ("read", op(1 << read_power, reads, sequential)),
            ("write", op(1 << write_power, writes, sequential)),
        ]);
        let cost = comparison(cells);
        let none: Option<&Comparison> = None;
        for cost in [Some(&cost), none] {
            for load in [Some(&load), None] {
                let found = advice(defect(unit, rewrites), load, cost);
                let item = &found.items[0];
                let one = item.loss.clone().unwrap();
                prop_assert!(one.low_ratio.is_finite() && one.high_ratio.is_finite());
                prop_assert!(one.low_ratio <= one.high_ratio);
                if let Some(likely) = one.likely_ratio {
                    prop_assert!((one.low_ratio..=one.high_ratio).contains(&likely));
                }
                let measured = one.basis.is_measured() || one.basis == Basis::PartlyMeasured;
                if load.is_none() || !measured || busy < 0.01 {
                    prop_assert!(item.decision < Decision::FixNow);
                }
                if matches!(one.basis, Basis::Weighed | Basis::Assumed) {
                    prop_assert_eq!(one.low_ratio, 0.0);
                }
                if !one.basis.is_measured() {
                    prop_assert_eq!(one.likely_ratio, None);
                    prop_assert!(!item.reasons[0].text.contains("as measured"));
                }
                prop_assert!(!item.reasons.is_empty());
            }
        }
    }
}
