//! The page of a comparison: what stands on it, what must not, and that names cannot attack it.

use std::collections::HashSet;

use ioalign_core::comparison::{
    Arm, ArmLevel, Cell, Comparison, ComparisonSummary, Estimate, EstimateVerdict, Metric, Placebo,
    SCHEMA,
};
use ioalign_core::machine::{Machine, MachineDisk};
use ioalign_report::comparison::{html, svg};

use super::golden;

const SIZES: [u64; 8] = [1, 4, 8, 16, 32, 64, 72, 128];
/// A slowdown that stands nowhere else.
const OF_INVALID: f64 = 7.77;

fn estimate(metric: Metric, ratio: f64, verdict: EstimateVerdict) -> Estimate {
    Estimate {
        metric,
        arm: "+512".to_owned(),
        baseline: "aligned".to_owned(),
        ratio: Some(ratio),
        ratio_low: Some(ratio * 0.96),
        ratio_high: Some(ratio * 1.04),
        confidence: 0.95,
        method: "confidence sequence".to_owned(),
        rounds: 60,
        verdict,
        note: None,
    }
}

/// The slowdown of made-up hardware: writes lose most, sequential reads nothing.
fn slowdown(op: &str, pattern: &str, kib: u64) -> f64 {
    let share = 4.0 / f64::from(u32::try_from(kib).unwrap());
    match (op, pattern) {
        ("read", "random") => 1.0 + 0.12 * share.min(1.0),
        ("write", "random") => 1.0 + 0.62 * share.sqrt().min(1.0),
        ("write", _) => 1.0 + 0.3 * share.sqrt().min(1.0),
        _ => 1.001,
    }
}

fn cell(op: &str, pattern: &str, kib: u64) -> Cell {
    let slower = slowdown(op, pattern, kib);
    let verdict = match (op, pattern, kib) {
        ("write", "random", 72) => EstimateVerdict::Invalid,
        ("read", "random", 128) => EstimateVerdict::Undecided,
        _ if slower > 1.005 => EstimateVerdict::Slower,
        _ => EstimateVerdict::NoDifference,
    };
    let ratio = if verdict == EstimateVerdict::Invalid {
        OF_INVALID
    } else {
        slower
    };
    let size = f64::from(u32::try_from(kib).unwrap());
    let us = if pattern == "random" { 60.0 } else { 25.0 } + size * 0.9;
    let level = |arm: &str, slower: f64| ArmLevel {
        arm: arm.to_owned(),
        latency_p50_us: Some(us * slower),
        iops: Some(16e6 / us / slower),
        bytes_per_s: Some(16e6 / us / slower * size * 1024.0),
        ..ArmLevel::default()
    };
    let moved = verdict == EstimateVerdict::Invalid;
    Cell {
        block_bytes: kib * 1024,
        op: op.to_owned(),
        pattern: pattern.to_owned(),
        queue_depth: 16,
        workers: 1,
        levels: vec![level("aligned", 1.0), level("+512", ratio)],
        estimates: vec![
            estimate(Metric::LatencyMedian, ratio, verdict),
            estimate(Metric::Throughput, 1.0 / ratio, verdict),
        ],
        placebo: Placebo {
            ratio: Some(if moved { 1.045 } else { 1.0002 }),
            ratio_low: Some(if moved { 1.019 } else { 0.999 }),
            ratio_high: Some(if moved { 1.085 } else { 1.001 }),
            moved,
        },
        ios: 40_000,
        duration_s: 4.0,
    }
}

fn machine() -> Machine {
    Machine {
        host: "storage1".to_owned(),
        platform: "Dell Inc. PowerEdge R740".to_owned(),
        kernel: "6.1.0-18-amd64 x86_64".to_owned(),
        system: "Debian GNU/Linux 12 (bookworm)".to_owned(),
        cpu_model: "AMD EPYC 7302".to_owned(),
        cpus: 32,
        memory_bytes: Some(128 << 30),
        time: "2026-03-01T12:00:00Z".to_owned(),
        load_average: Some(0.52),
        controllers: vec!["RAID: Broadcom / LSI MegaRAID SAS-3 3108 (megaraid_sas)".to_owned()],
        disks: vec![MachineDisk {
            name: "sdb".to_owned(),
            model: "DELL PERC H740P".to_owned(),
            size_bytes: Some(2_000_398_934_016),
            logical_bytes: Some(512),
            physical_bytes: Some(4096),
            rotational: Some(true),
            scheduler: "mq-deadline".to_owned(),
            write_cache: "write back".to_owned(),
            raid: "RAID 5".to_owned(),
        }],
    }
}

fn arm(name: &str, offset_bytes: u64) -> Arm {
    Arm {
        name: name.to_owned(),
        offset_bytes,
        ..Arm::default()
    }
}

/// The 32 points of the published matrix.
pub fn matrix() -> Comparison {
    let mut cells = Vec::new();
    for kib in SIZES {
        for op in ["read", "write"] {
            for pattern in ["random", "sequential"] {
                cells.push(cell(op, pattern, kib));
            }
        }
    }
    Comparison {
        schema: SCHEMA.to_owned(),
        tool: "ioalign 0.1.0".to_owned(),
        machine: machine(),
        target: "/dev/sdb".to_owned(),
        arms: vec![arm("aligned", 0), arm("+512", 512)],
        summary: ComparisonSummary::of(&cells),
        cells,
        duration_s: 128.4,
        notes: vec!["the device has no poll queues, so completions are interrupts".to_owned()],
        ..Comparison::default()
    }
}

#[test]
fn the_page_of_a_matrix() {
    golden::check("comparison.html", &html(&matrix()));
}

#[test]
fn the_figures_of_a_matrix_alone() {
    let drawing = svg(&matrix());
    golden::check("comparison.svg", &drawing);
    for title in [
        "Throughput gained by alignment, reads",
        "Throughput in MiB/s, aligned",
    ] {
        assert!(drawing.contains(title), "{title}");
    }
    // Viewers of drawings know no variables.
    assert!(!drawing.contains("var(") && !drawing.contains("677"));
    svg(&Comparison::default());
}

#[test]
fn the_machine_comes_first_and_four_figures_follow() {
    let page = html(&matrix());
    let at = |what: &str| {
        page.find(what)
            .unwrap_or_else(|| panic!("{what} is not there"))
    };
    let order = [
        "<h1>What misalignment costs on /dev/sdb</h1>",
        "Dell Inc. PowerEdge R740",
        "mq-deadline",
        "throughput increase",
        "Figure 1. Throughput gained by alignment, reads",
        "Figure 2. Throughput gained by alignment, writes",
        "Figure 3. Throughput in MiB/s, unaligned (+512)",
        "Figure 4. Throughput in MiB/s, aligned",
        "<h2>Every cell</h2>",
    ];
    let places: Vec<_> = order.iter().map(|what| at(what)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!page.contains("Figure 5."));
}

#[test]
fn nothing_is_brought_by_the_network_and_nothing_runs() {
    let page = html(&matrix());
    for word in [
        "<script", "http:", "https:", "@import", "src=", "<link", "onload",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn an_invalid_cell_has_no_number() {
    let page = html(&matrix());
    for number in ["+677", "677 %", "0.129", "87 %"] {
        assert!(!page.contains(number), "{number} is of the invalid cell");
    }
    let why = "no result: the baseline differed from its own duplicate by +4.5 % (+1.9 to +8.5 %)";
    assert!(page.contains(why));
    assert!(page.contains(">×</text>"));
    // And neither has one in which only the placebo says so.
    let mut silent = matrix();
    for estimate in silent.cells.iter_mut().flat_map(|cell| &mut cell.estimates) {
        if estimate.verdict == EstimateVerdict::Invalid {
            estimate.verdict = EstimateVerdict::Slower;
        }
    }
    assert!(!html(&silent).contains("677"));
}

#[test]
fn an_undecided_cell_has_an_interval_and_no_bar() {
    let bars = |page: &str| page.matches("class=\"pl-bar ").count();
    let mut decided = matrix();
    let undecided = html(&decided);
    assert!(undecided.contains("pl-open") && undecided.contains(">?</text>"));
    for cell in &mut decided.cells {
        for estimate in &mut cell.estimates {
            if estimate.verdict == EstimateVerdict::Undecided {
                estimate.verdict = EstimateVerdict::Slower;
            }
        }
    }
    assert_eq!(bars(&html(&decided)), bars(&undecided) + 1);
}

#[test]
fn one_size_at_several_offsets_is_drawn_by_arm() {
    let mut one = matrix();
    one.cells.retain(|cell| cell.block_bytes == 4096);
    one.arms.push(arm("+32256", 32256));
    let page = html(&one);
    assert!(page.contains("Throughput in MiB/s of each arm"));
    assert!(page.contains(">+32256</text>"));
}

#[test]
fn without_throughput_the_figures_are_of_latency() {
    let mut slow = matrix();
    for cell in &mut slow.cells {
        cell.estimates
            .retain(|one| one.metric == Metric::LatencyMedian);
    }
    let page = html(&slow);
    assert!(page.contains("Figure 1. Latency saved by alignment, reads"));
    assert!(page.contains("Figure 4. Median latency in µs, aligned"));
}

/// A short run: ten rounds of full queues are not there yet, medians are.
#[test]
fn throughput_without_intervals_is_not_drawn() {
    let mut short = matrix();
    for cell in &mut short.cells {
        for one in &mut cell.estimates {
            if one.metric == Metric::Throughput {
                (one.ratio_low, one.ratio_high) = (None, None);
                one.verdict = EstimateVerdict::Undecided;
            }
        }
    }
    assert!(html(&short).contains("Figure 1. Latency saved by alignment, reads"));
}

#[test]
fn a_partial_run_says_so_before_its_answer() {
    let mut part = matrix();
    part.partial = Some("stopped after 12 of 32 cells".to_owned());
    let page = html(&part);
    let said = page
        .find("<b>Partial.</b> stopped after 12 of 32 cells.")
        .unwrap();
    assert!(said < page.find("class=\"headline\"").unwrap());
}

#[test]
fn ids_are_unique_and_tags_are_closed() {
    let mut many = matrix();
    many.arms.push(arm("+1536", 1536));
    let page = html(&many);
    let ids: Vec<_> = page
        .split(" id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    for tag in [
        "svg", "table", "tr", "td", "figure", "div", "span", "dl", "text", "small", "p",
    ] {
        let open =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn hostile_documents_make_a_harmless_page() {
    const EVIL: &str =
        "x\u{1b}[2J</td></svg><script>alert(1)</script>\"' onload=\"a\" \u{202e}\u{0}";
    let mut evil = matrix();
    evil.target = EVIL.to_owned();
    evil.tool = EVIL.to_owned();
    evil.machine.host = EVIL.to_owned();
    evil.machine.disks[0].model = EVIL.to_owned();
    evil.notes = vec![EVIL.to_owned()];
    evil.partial = Some(EVIL.to_owned());
    evil.arms[1].name = EVIL.to_owned();
    evil.duration_s = f64::NAN;
    for (i, cell) in evil.cells.iter_mut().enumerate() {
        cell.levels[1].arm = EVIL.to_owned();
        if i % 3 == 0 {
            cell.op = EVIL.to_owned();
            cell.pattern = EVIL.to_owned();
        }
        for estimate in &mut cell.estimates {
            estimate.arm = EVIL.to_owned();
            estimate.note = Some(EVIL.to_owned());
            estimate.ratio = [Some(f64::NAN), Some(0.0), Some(-1.0), Some(1e300), None][i % 5];
        }
    }
    for page in [html(&evil), svg(&evil)] {
        assert!(!page.contains("<script") && !page.contains("\" onload"));
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'));
        assert!(
            !page.contains("NaN\"") && !page.contains("inf\""),
            "numbers of drawings are numbers"
        );
    }
    html(&Comparison::default());
}
