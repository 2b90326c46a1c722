//! Which cells price which I/O, and what is said where none does.

use ioalign_core::advice::{AdviceInput, Basis, Decision, Unmatched, strangers};
use ioalign_core::comparison::{Cell, Comparison, EstimateVerdict, Metric};
use ioalign_core::profile::Profile;

use super::advice::{
    advice, cell, checked, comparison, defect, half_and_half, kinds, loss, measured, near, op,
    profile,
};

/// Reads of one size and order, with this many in flight.
fn reads(bytes: u64, sequential: f64, depth: f64) -> Profile {
    let none = op(bytes, 0, 0.0);
    let mut load = profile(0.8, [("read", op(bytes, 100, sequential)), ("write", none)]);
    load.devices[0]
        .queue_depth
        .as_mut()
        .unwrap()
        .mean_while_busy = depth;
    load
}

fn at_depth(depth: u32, mut one: Cell) -> Cell {
    one.queue_depth = depth;
    one.levels[0].latency_mean_us = Some(100.0 * f64::from(depth));
    one
}

/// Reads of 4 KiB: 10 % dearer with one in flight, 50 % with 16.
fn by_depth() -> Comparison {
    comparison(vec![
        at_depth(1, cell("read", 4096, [1.1, 1.09, 1.11])),
        at_depth(16, cell("read", 4096, [1.5, 1.48, 1.52])),
    ])
}

#[test]
fn a_queue_is_priced_by_a_queue() {
    for (depth, wanted) in [
        (1.0, [0.09, 0.1, 0.11]),
        (15.2, [0.48, 0.5, 0.52]),
        // Between the two, and nothing in the middle of it is more likely than the rest.
        (6.0, [0.09, 0.3, 0.52]),
    ] {
        let load = reads(4096, 0.0, depth);
        let found = advice(defect(4096, true), Some(&load), Some(&by_depth()));
        near(loss(&found), wanted);
        assert_eq!(
            found.items[0].loss.as_ref().unwrap().basis,
            Basis::MeasuredAndWeighed
        );
        let between = found
            .assumed
            .iter()
            .any(|one| one.what.contains("both sides"));
        assert_eq!(between, depth == 6.0);
    }
}

#[test]
fn past_the_measured_depths_nothing_is_known() {
    let load = reads(4096, 0.0, 64.0);
    let found = advice(defect(4096, true), Some(&load), Some(&by_depth()));
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!((one.basis, one.covered_ratio), (Basis::Weighed, Some(0.0)));
    assert_eq!((one.low_ratio, one.high_ratio), (0.0, 1.0));
    assert_eq!(one.uncovered[0].unlike, Unmatched::QueueDepth);
    let reasons = &found.items[0].reasons;
    let text = &reasons
        .iter()
        .find(|one| one.kind == "not-covered")
        .unwrap()
        .text;
    assert!(
        text.contains(
            "random reads of 4 KiB (100 % of the crossing I/O: no cell with 64 in flight)"
        ),
        "{text}"
    );
    // The command that would settle it measures just that.
    let settle: Vec<_> = found
        .assumed
        .iter()
        .filter_map(|one| one.settle.as_deref())
        .collect();
    let wanted = "ioalign measure matrix TARGET --ramp 1s --time 10s --offsets 0,3584 --sizes 4096 --ops read \
                  --patterns random --depth 64 --json >cost.json";
    assert!(settle.contains(&wanted), "{settle:?}");
}

/// A profile without latencies does not know its depth: the range holds all of them.
#[test]
fn an_unknown_depth_may_be_any() {
    let mut load = reads(4096, 0.0, 1.0);
    load.devices[0].queue_depth = None;
    let found = advice(defect(4096, true), Some(&load), Some(&by_depth()));
    near(loss(&found), [0.09, 0.3, 0.52]);
    assert!(
        found
            .assumed
            .iter()
            .any(|one| one.what.contains("in flight"))
    );
}

/// Neither for its price nor for its time, which weighs what no cell speaks for.
#[test]
fn cells_of_other_depths_change_nothing() {
    for (write, bytes) in [(0, 4096), (0, 65536), (100, 4096)] {
        let ops = [
            ("read", op(4096, 100, 0.0)),
            ("write", op(4096, write, 0.0)),
        ];
        let mut load = profile(0.8, ops);
        let reads = load.devices[0].by_op.get_mut("read").unwrap();
        let other = op(bytes, 50, 0.0).size_histogram;
        reads.size_histogram.extend(other);
        reads.ios += 50;
        let priced = |cells: Vec<Cell>| {
            let found = advice(defect(4096, true), Some(&load), Some(&comparison(cells)));
            found.items[0].loss.clone().unwrap()
        };
        let all = by_depth().cells;
        assert_eq!(priced(all.clone()), priced(vec![all[0].clone()]));
    }
}

/// With a queue it is the full queue that counts: a closed batch waits for its slowest I/O.
#[test]
fn throughput_speaks_for_queues() {
    let mut one = at_depth(16, cell("read", 4096, [1.9, 1.89, 1.91]));
    let mut throughput = one.estimates[0].clone();
    throughput.metric = Metric::Throughput;
    [
        throughput.ratio,
        throughput.ratio_low,
        throughput.ratio_high,
    ] = [1.0 / 1.2, 1.0 / 1.25, 1.0 / 1.15].map(Some);
    one.estimates.push(throughput);
    let load = reads(4096, 0.0, 16.0);
    let found = advice(
        defect(4096, true),
        Some(&load),
        Some(&comparison(vec![one])),
    );
    near(loss(&found), [0.15, 0.2, 0.25]);
}

/// Sequential reads and the cells of random writes have nothing in common.
#[test]
fn a_sequential_read_is_not_priced_by_a_random_write() {
    let costly = comparison(vec![cell("write", 65536, [16.0, 15.0, 17.0])]);
    let found = advice(
        defect(65536, false),
        Some(&reads(65536, 1.0, 1.0)),
        Some(&costly),
    );
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!(one.basis, Basis::Weighed);
    assert_eq!((one.low_ratio, one.high_ratio), (0.0, 1.0));
    // Nor a random read by a sequential one.
    let mut sequential = cell("read", 65536, [1.5, 1.4, 1.6]);
    sequential.pattern = "sequential".to_owned();
    let found = advice(
        defect(65536, false),
        Some(&reads(65536, 0.0, 1.0)),
        Some(&comparison(vec![sequential])),
    );
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!(one.uncovered[0].unlike, Unmatched::Pattern);
    assert_eq!(one.basis, Basis::Weighed);
}

/// An interval without a verdict bounds the cost all the same.
#[test]
fn undecided_intervals_are_used() {
    let mut open = cell("read", 65536, [1.02, 0.98, 1.06]);
    open.pattern = "sequential".to_owned();
    open.estimates[0].verdict = EstimateVerdict::Undecided;
    let found = advice(
        defect(65536, false),
        Some(&reads(65536, 1.0, 1.0)),
        Some(&comparison(vec![open])),
    );
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!(
        (one.basis, one.undecided_ratio, one.likely_ratio),
        (Basis::MeasuredAndWeighed, Some(1.0), None)
    );
    assert!((one.low_ratio + 0.02).abs() < 1e-9 && (one.high_ratio - 0.06).abs() < 1e-9);
    let text = &found.items[0].reasons[0].text;
    assert!(
        text.contains("not decided") && !text.contains("as measured"),
        "{text}"
    );
    assert_eq!(found.cost.unwrap().cells_undecided, 1);
}

/// Between two sizes the price lies between theirs; past them it may differ as much as the sizes.
#[test]
fn sizes_between_and_beyond() {
    let cost = comparison(vec![
        cell("read", 4096, [1.4, 1.38, 1.42]),
        cell("read", 16384, [1.1, 1.09, 1.11]),
    ]);
    let found = |bytes| {
        let found = advice(
            defect(4096, true),
            Some(&reads(bytes, 0.0, 1.0)),
            Some(&cost),
        );
        found.items[0].loss.clone().unwrap()
    };
    let between = found(8192);
    assert!((between.low_ratio - 0.09).abs() < 1e-9 && (between.high_ratio - 0.42).abs() < 1e-9);
    assert_eq!(between.interpolated_ratio, Some(1.0));
    let beyond = found(32768);
    assert!((beyond.low_ratio - 0.045).abs() < 1e-9 && (beyond.high_ratio - 0.22).abs() < 1e-9);
    assert_eq!(found(65536).uncovered[0].unlike, Unmatched::Size);
    // Half a block is no small block: it is rewritten on the grid as well.
    assert_eq!(found(2048).uncovered[0].unlike, Unmatched::Size);
}

/// A write of a block and a half pays without touching a block more: it covers one less as a whole.
#[test]
fn a_write_may_cover_more_in_part_without_a_crossing() {
    let off = defect(4096, true);
    assert!((off.crossing(6144, true) - 1.0).abs() < 1e-9);
    assert!(off.crossing(6144, false) < 0.6);
    assert!((off.crossing(2048, true) - 0.5).abs() < 1e-9);
}

/// Where two metrics contradict each other the range holds both intervals.
#[test]
fn a_mean_that_contradicts_its_median_counts_as_a_whole() {
    let mut one = cell("read", 4096, [5.8, 5.7, 5.9]);
    let mut mean = one.estimates[0].clone();
    mean.metric = Metric::LatencyMean;
    [mean.ratio, mean.ratio_low, mean.ratio_high] = [Some(2.0), Some(1.5), Some(2.7)];
    one.estimates.push(mean);
    let load = reads(4096, 0.0, 1.0);
    let found = advice(
        defect(4096, true),
        Some(&load),
        Some(&comparison(vec![one])),
    );
    let [low, _, high] = loss(&found);
    assert!((low - 0.5).abs() < 1e-9 && (high - 4.9).abs() < 1e-9);
}

/// What decides is the time lost, and that grows with the time busy: one percent more or less of it turns nothing round.
#[test]
fn there_is_no_cliff_at_a_tenth_of_the_time() {
    let costly = comparison(vec![
        cell("read", 4096, [2.0, 1.9, 2.1]),
        cell("write", 4096, [2.0, 1.9, 2.1]),
    ]);
    for (busy, wanted) in [
        (0.002, Decision::Leave),
        (0.015, Decision::NextOutage),
        (0.09, Decision::FixNow),
        (0.099, Decision::FixNow),
        (0.101, Decision::FixNow),
    ] {
        let found = advice(
            defect(4096, true),
            Some(&half_and_half(busy)),
            Some(&costly),
        );
        assert_eq!(found.decision, wanted, "{busy}");
        let one = found.items[0].loss.clone().unwrap();
        let lost = one.lost_time_high_ratio.unwrap();
        assert!((lost - busy * 1.1 / 2.1).abs() < 1e-9);
        assert_eq!(kinds(&found)[0] == "light-load", wanted < Decision::FixNow);
    }
}

#[test]
fn documents_of_other_devices_are_strangers() {
    let targets = checked(defect(4096, true));
    let mut load = half_and_half(0.8);
    let mut cost = measured();
    let said = |load: &Profile, cost: &Comparison, assume_same| {
        let evidence = AdviceInput {
            targets: &targets,
            profile: Some(load),
            cost: Some(cost),
            assume_same,
        };
        strangers(&evidence)
            .iter()
            .map(|one| one.document)
            .collect::<Vec<_>>()
    };
    assert!(said(&load, &cost, false).is_empty());
    "loop5".clone_into(&mut load.devices[0].device);
    assert_eq!(said(&load, &cost, false), ["profile"]);
    "/mnt/scratch.dat".clone_into(&mut cost.target);
    assert_eq!(said(&load, &cost, false), ["profile", "measurement"]);
    assert!(said(&load, &cost, true).is_empty());
    // `trace summarize --stack` knows which layer it is, and a measurement the disks below its file.
    load.devices[0].layer = Some("sda".to_owned());
    cost.machine.disks = vec![ioalign_core::machine::MachineDisk {
        name: "sda".to_owned(),
        ..Default::default()
    }];
    assert!(said(&load, &cost, false).is_empty());
}

/// Said once more in the advice, for whoever reads that alone.
#[test]
fn what_was_assumed_to_be_the_same_is_said() {
    let targets = checked(defect(4096, true));
    let mut load = half_and_half(0.8);
    "loop5".clone_into(&mut load.devices[0].device);
    let mut cost = measured();
    "/mnt/scratch.dat".clone_into(&mut cost.target);
    let evidence = |assume_same| AdviceInput {
        targets: &targets,
        profile: Some(&load),
        cost: Some(&cost),
        assume_same,
    };
    let found = ioalign_core::advice::advise(&evidence(true), "test");
    let said = |part: &str| found.assumed.iter().any(|one| one.what.contains(part));
    assert!(said("does not name loop5") && said("does not name /mnt/scratch.dat"));
    assert!(!found.load.as_ref().unwrap().in_stack);
    assert!(found.cost.as_ref().unwrap().assumed_same);
    // Without it they say nothing of the stack, whoever calls.
    let found = ioalign_core::advice::advise(&evidence(false), "test");
    let one = found.items[0].loss.clone().unwrap();
    assert_eq!((one.basis, found.load), (Basis::Assumed, None));
}
