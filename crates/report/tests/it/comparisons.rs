//! Comparisons and loads: golden texts, the schemas, rows of a spreadsheet, the width of the page.

use std::path::Path;

use ioalign_core::comparison::{
    Arm, ArmLevel, Before, Cell, Change, Comparison, ComparisonSummary, CountedArm, Estimate,
    EstimateVerdict, Metric, Placebo, WriteAmplification, WrittenPart,
};
use ioalign_core::load::{self, Load, LoadLatency, LoadStep, Percentile, Second, SentOperation};
use ioalign_core::machine::Machine;
use ioalign_core::workload::{Pattern, Workload};
use ioalign_core::write_counters::CountedBytes;
use ioalign_report::comparison::{ComparisonFormat, heading, row};
use ioalign_report::{RenderOptions, Verbosity};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::golden::check;

const ARMS: [(&str, u64); 3] = [("aligned", 0), ("+512", 512), ("+32256", 32256)];

/// A cell in which every arm but the first is slower by the factor, known to a tenth of its effect.
fn cell(
    bytes: u64,
    op: &str,
    pattern: &str,
    factor: f64,
    arms: usize,
    verdict: EstimateVerdict,
) -> Cell {
    let us = 15.0 + f64::from(u32::try_from(bytes).unwrap()) / 1000.0;
    let level = |index: usize| {
        let slow = if index == 0 { 1.0 } else { factor };
        let iops = 1e6 / us / slow;
        ArmLevel {
            arm: ARMS[index].0.to_owned(),
            latency_p50_us: Some(us * slow),
            latency_mean_us: Some(us * slow * 1.1),
            latency_p99_us: Some(us * slow * 4.0),
            iops: Some(iops),
            bytes_per_s: Some(iops * f64::from(u32::try_from(bytes).unwrap())),
            cpu_per_io_us: (index != 2).then_some(2.5),
        }
    };
    let levels: Vec<_> = (0..arms).map(level).collect();
    let estimate = |arm: &str, metric: Metric| {
        let ratio = if metric == Metric::Throughput {
            1.0 / factor
        } else {
            factor
        };
        let half = (ratio.ln().abs() / 10.0).max(0.002);
        Estimate {
            metric,
            arm: arm.to_owned(),
            baseline: "aligned".to_owned(),
            ratio: Some(ratio),
            ratio_low: Some(ratio * (-half).exp()),
            ratio_high: Some(ratio * half.exp()),
            confidence: 0.95,
            method: "asymptotic confidence sequence".to_owned(),
            rounds: 412,
            verdict,
            note: None,
        }
    };
    let mut estimates = Vec::new();
    for (arm, _) in &ARMS[1..arms] {
        estimates.push(estimate(arm, Metric::LatencyMedian));
        estimates.push(estimate(arm, Metric::Throughput));
    }
    Cell {
        block_bytes: bytes,
        op: op.to_owned(),
        pattern: pattern.to_owned(),
        queue_depth: 16,
        workers: 1,
        levels,
        estimates,
        placebo: Placebo {
            ratio: Some(1.0007),
            ratio_low: Some(0.998),
            ratio_high: Some(1.0034),
            moved: verdict == EstimateVerdict::Invalid,
        },
        ios: 65_920,
        duration_s: 4.2,
    }
}

fn comparison(cells: Vec<Cell>, arms: usize) -> Comparison {
    let arm = |(name, offset): &(&str, u64)| Arm {
        name: (*name).to_owned(),
        offset_bytes: *offset,
        target: None,
        start_bytes: Some(offset + (1 << 20)),
    };
    Comparison {
        schema: ioalign_core::comparison::SCHEMA.to_owned(),
        tool: "ioalign 0.1.0".to_owned(),
        machine: Machine {
            cpu_model: "AMD EPYC".to_owned(),
            cpus: 2,
            kernel: "6.18.0".to_owned(),
            platform: "kvm".to_owned(),
            load_average: Some(3.25),
            time: "2026-11-21T17:03:01Z".to_owned(),
            ..Machine::default()
        },
        target: "/dev/sdb".to_owned(),
        subject: ioalign_core::comparison::ComparisonSubject::default(),
        arms: ARMS[..arms].iter().map(arm).collect(),
        summary: ComparisonSummary::of(&cells),
        cells,
        conditions: None,
        duration_s: 12.6,
        partial: None,
        notes: vec![
            "io_uring is forbidden here: pread and pwrite, one in flight a worker".to_owned(),
        ],
        before: None,
        write_amplification: Vec::new(),
        simulated: false,
    }
}

fn matrix() -> Comparison {
    let mut cells = Vec::new();
    for pattern in ["random", "sequential"] {
        for (kib, factor) in [(1, 1.09), (4, 1.62), (72, 1.12), (128, 1.004)] {
            let verdict = if factor > 1.005 {
                EstimateVerdict::Slower
            } else {
                EstimateVerdict::NoDifference
            };
            cells.push(cell(kib << 10, "write", pattern, factor, 2, verdict));
        }
    }
    cells.push(cell(
        4096,
        "read-70",
        "random",
        1.3,
        2,
        EstimateVerdict::Invalid,
    ));
    comparison(cells, 2)
}

fn before() -> Comparison {
    let mut out = comparison(
        vec![cell(
            8192,
            "read",
            "random",
            0.81,
            2,
            EstimateVerdict::Faster,
        )],
        2,
    );
    let change = |metric, before, after| Change {
        metric,
        arm: "aligned".to_owned(),
        before,
        after,
        ratio: after / before,
        ..Change::default()
    };
    out.before = Some(Before {
        document: "before.json".to_owned(),
        time: "2026-11-20T08:00:00Z".to_owned(),
        load_average: Some(2.0),
        start_bytes: Some(17408),
        interleaved: true,
        changes: vec![
            change(Metric::LatencyMedian, 3900.0, 3300.0),
            change(Metric::Throughput, 15_900.0, 20_200.0),
        ],
    });
    out
}

/// One kind of writes that was counted, and one that was not.
fn amplification() -> Comparison {
    let half = |media: u64, host: u64| WrittenPart {
        written_bytes: 4 << 30,
        host: Some(CountedBytes {
            low: host - 512_000,
            high: host + 512_000,
        }),
        media: CountedBytes {
            low: media - 1,
            high: media + 1,
        },
    };
    let arm = |name: &str, halves: [WrittenPart; 2]| CountedArm {
        arm: name.to_owned(),
        drive: "nvme0n1".to_owned(),
        counter: "OCP log page C0h".to_owned(),
        halves: halves.to_vec(),
    };
    let aligned = [half(4_600_000_000, 4 << 30), half(4_700_000_000, 4 << 30)];
    let others = [half(9_800_000_000, 9 << 29), half(6_500_000_000, 4 << 30)];
    let writes = |block_bytes| WriteAmplification {
        block_bytes,
        pattern: "random".to_owned(),
        queue_depth: 16,
        workers: 1,
        bytes_per_arm: 8 << 30,
        ..WriteAmplification::default()
    };
    let mut found = comparison(Vec::new(), 2);
    found.write_amplification = vec![
        writes(4096).counted(&[arm("aligned", aligned), arm("+512", others)]),
        WriteAmplification {
            unknown: Some("nvme0n1: the drive counts no writes to its media".to_owned()),
            ..writes(65536)
        },
    ];
    found
}

pub fn all() -> Vec<(&'static str, Comparison)> {
    let mut partial = comparison(
        vec![cell(
            4096,
            "write",
            "random",
            6.25,
            3,
            EstimateVerdict::Slower,
        )],
        3,
    );
    partial.partial = Some("interrupted".to_owned());
    vec![
        (
            "compare",
            comparison(
                vec![cell(
                    4096,
                    "write",
                    "random",
                    6.25,
                    3,
                    EstimateVerdict::Slower,
                )],
                3,
            ),
        ),
        ("compare-partial", partial),
        (
            "compare-same",
            comparison(
                vec![cell(
                    65536,
                    "read",
                    "sequential",
                    1.0002,
                    2,
                    EstimateVerdict::NoDifference,
                )],
                2,
            ),
        ),
        (
            "compare-invalid",
            comparison(
                vec![cell(
                    65536,
                    "read",
                    "sequential",
                    1.2,
                    2,
                    EstimateVerdict::Invalid,
                )],
                2,
            ),
        ),
        ("compare-before", before()),
        ("compare-amplification", amplification()),
        ("compare-nothing", comparison(Vec::new(), 2)),
        ("matrix", matrix()),
    ]
}

fn load() -> Load {
    let percentiles = [(50.0, 120.0), (90.0, 300.0), (99.0, 900.0), (99.9, 2100.0)];
    let sent = SentOperation {
        ios: 61_234,
        bytes: 61_234 * 4096,
        iops: 6123.4,
        bytes_per_s: 6123.4 * 4096.0,
        latency_us: Some(LoadLatency {
            min: 40.0,
            mean: 163.2,
            stddev: 91.0,
            max: 12_345.0,
            percentiles: percentiles
                .map(|(percent, us)| Percentile { percent, us })
                .to_vec(),
        }),
    };
    let step = LoadStep {
        workload: Workload {
            name: "blender".to_owned(),
            read_ratio: 0.7,
            pattern: Pattern::Zipf { theta: 1.2 },
            offset_bytes: 512,
            queue_depth: 64,
            ..Workload::default()
        },
        by_op: [("read", sent.clone()), ("write", sent)]
            .map(|(op, sent)| (op.to_owned(), sent))
            .into(),
        duration_s: 10.0,
        user_ratio: Some(0.14),
        system_ratio: Some(0.22),
        flushes: 12,
        errors: 0,
        seconds: vec![Second {
            at_s: 1.0,
            reads: 6000,
            writes: 6000,
            bytes: 12_000 * 4096,
            latency_us: Some(1300.0),
        }],
        partial: None,
    };
    Load {
        schema: load::SCHEMA.to_owned(),
        tool: "ioalign 0.1.0".to_owned(),
        targets: vec!["/dev/sdb".to_owned()],
        job: "blender-70-30".to_owned(),
        steps: vec![step],
        ..Load::default()
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/schema")
        .join(name);
    let text: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::meta::validate(&text).unwrap();
    jsonschema::draft202012::new(&text).unwrap()
}

fn json(comparison: &Comparison) -> Value {
    serde_json::from_str(&ComparisonFormat::Json.render(comparison, &RenderOptions::default()))
        .unwrap()
}

#[test]
fn texts_are_as_committed() {
    for (name, comparison) in all() {
        check(
            &format!("{name}.txt"),
            &ComparisonFormat::Text.render(&comparison, &RenderOptions::default()),
        );
    }
    check(
        "load.txt",
        &ioalign_report::load::text(&load(), &RenderOptions::default()),
    );
}

#[test]
fn rows_are_as_committed() {
    check(
        "matrix.csv",
        &ComparisonFormat::Csv.render(&matrix(), &RenderOptions::default()),
    );
}

#[test]
fn no_line_is_wider_than_the_page() {
    for (name, comparison) in all() {
        for (width, verbosity, ascii) in [
            (40, Verbosity::Verbose, false),
            (60, Verbosity::Normal, true),
            (80, Verbosity::Normal, false),
            (80, Verbosity::Verbose, true),
            (80, Verbosity::Quiet, false),
            (120, Verbosity::Verbose, false),
        ] {
            let options = RenderOptions {
                width,
                verbosity,
                ascii,
                ..RenderOptions::default()
            };
            let text = ComparisonFormat::Text.render(&comparison, &options);
            assert!(!ascii || text.is_ascii(), "{name}: {text}");
            for line in text.lines() {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
            if verbosity == Verbosity::Quiet {
                assert!(text.lines().count() <= 3, "{name}: {text}");
            }
        }
    }
}

#[test]
fn rows_of_the_live_table_fit_its_head() {
    let matrix = matrix();
    assert!(heading(&matrix).width() <= 80);
    let first = Comparison {
        cells: Vec::new(),
        ..matrix.clone()
    };
    for cell in &matrix.cells {
        let lines = row(&matrix, cell);
        // Whatever has been measured so far, a row is named in the same way.
        assert_eq!(lines, row(&first, cell));
        for line in lines {
            assert!(line.width() <= 80, "{line}");
            assert!(line.contains(" ×"), "{line}");
        }
    }
}

#[test]
fn every_document_is_valid_and_reads_back() {
    let validator = schema("comparison-1.schema.json");
    for (name, comparison) in all() {
        let value = json(&comparison);
        let errors: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let back: Comparison = serde_json::from_value(value).unwrap();
        assert_eq!(back, comparison, "{name}");
    }
    let value: Value = serde_json::from_str(&ioalign_report::load::json(&load())).unwrap();
    let validator = schema("load-1.schema.json");
    assert!(
        validator.is_valid(&value),
        "{:#?}",
        validator.iter_errors(&value).next()
    );
}

/// An unchanged target on a machine that was busy then: two levels, and no word, percentage or interval about them.
#[test]
fn levels_of_two_times_have_no_word() {
    let mut one = before();
    let cells = vec![cell(
        8192,
        "read",
        "random",
        1.0,
        2,
        EstimateVerdict::NoDifference,
    )];
    one.cells = cells;
    let earlier = one.before.as_mut().unwrap();
    earlier.interleaved = false;
    earlier.changes[0].before = 117_000.0;
    let shown = ComparisonFormat::Text.render(&one, &RenderOptions::default());
    let (table, _) = shown.split_once("8 KiB random read, ").unwrap();
    assert!(
        table.contains("117 ms") && table.contains("3.3 ms"),
        "{table}"
    );
    assert!(table.contains("undecided: nothing says"), "{table}");
    let page = ComparisonFormat::Html.render(&one, &RenderOptions::default());
    let table = page.split_once("<h2>Then and now</h2>").unwrap().1;
    let html = table.split_once("</table>").unwrap().0;
    assert!(html.contains("117 ms"), "{html}");
    for text in [
        shown
            .split_once("Against")
            .unwrap()
            .1
            .split_once("random read, ")
            .unwrap()
            .0,
        html,
    ] {
        for word in ["slower", "faster", "%", "interval", "verdict"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}

/// A partition at sector 63, measured as it lies: the baseline is the arm that loses.
#[test]
fn a_baseline_that_is_worse_gives_nothing() {
    let cells =
        [4096, 8192].map(|size| cell(size, "write", "random", 0.16, 2, EstimateVerdict::Faster));
    let mut one = comparison(cells.to_vec(), 2);
    "+0".clone_into(&mut one.arms[0].name);
    one.arms[0].start_bytes = Some(32256);
    one.arms[1].start_bytes = Some(32768);
    let text = ComparisonFormat::Text.render(&one, &RenderOptions::default());
    assert!(text.contains("`+0` against the others"), "{text}");
    let row = text
        .lines()
        .find(|line| line.starts_with("  median latency  "));
    assert!(row.unwrap().contains("+525 %"), "{text}");
    assert!(!text.contains("gives") && !text.contains("less"), "{text}");
    let page = ComparisonFormat::Html.render(&one, &RenderOptions::default());
    for words in [
        "<th>+0 against the others</th>",
        "gained with +0, writes",
        "unaligned (+0)",
        "aligned (+512)",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("by alignment") && !page.contains("decrease"));
}

/// The columns of the summary do not fit into a small screen side by side: they can be scrolled there.
#[test]
fn the_summary_is_not_cut_on_a_small_screen() {
    let page = ComparisonFormat::Html.render(&matrix(), &RenderOptions::default());
    assert!(page.contains("<div class=\"wide\">\n<table class=\"summary\">"));
}

#[test]
fn the_schema_is_strict() {
    let validator = schema("comparison-1.schema.json");
    let good = json(&before());
    for (pointer, wrong) in [
        ("/schema", Value::from("ioalign.comparison/2")),
        ("/cells/0/block_bytes", Value::from("4k")),
        ("/cells/0/op", Value::from("trim")),
        ("/cells/0/estimates/0/verdict", Value::from("significant")),
        ("/cells/0/estimates/0/metric", Value::from("p50")),
        ("/cells/0/estimates/0/confidence", Value::from(95)),
        ("/arms/0/offset_bytes", Value::from(-1)),
        ("/before/changes/0/verdict", Value::Null),
        ("/summary", Value::Null),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = wrong;
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
}

#[test]
fn a_row_has_as_many_fields_as_the_head() {
    let mut odd = matrix();
    odd.target = "/mnt/a,b \"c\"/disk".to_owned();
    let text = ComparisonFormat::Csv.render(&odd, &RenderOptions::default());
    let mut lines = text.lines();
    let fields = lines.next().unwrap().split(',').count();
    assert_eq!(lines.clone().count(), odd.cells.len() * 2);
    for line in lines {
        // The one comma in quotes.
        assert!(line.starts_with("\"/mnt/a,b \"\"c\"\"/disk\","), "{line}");
        assert_eq!(line.split(',').count(), fields + 1, "{line}");
    }
}
