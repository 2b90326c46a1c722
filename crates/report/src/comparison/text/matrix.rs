//! Many cells: a row each, in the order in which they were measured.

use ioalign_core::comparison::{Cell, Comparison, Estimate, Metric, Verdict};

use super::super::words;
use crate::profile::table::Table;
use crate::text::page::{Page, Style};
use crate::words::clean::columns;

/// All rows.
pub fn table(page: &mut Page, comparison: &Comparison) {
    let head = head(comparison);
    let head: Vec<_> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(1, &head);
    for cell in &comparison.cells {
        for (style, row) in rows(comparison, cell) {
            table.row(style, row);
        }
    }
    table.put(page);
}

/// The head of a table that grows while it is measured.
pub fn heading(comparison: &Comparison) -> String {
    line(&head(comparison))
}

/// The row or rows of a cell in it.
pub fn row(comparison: &Comparison, cell: &Cell) -> Vec<String> {
    let rows = rows(comparison, cell);
    rows.iter().map(|(_, row)| line(row)).collect()
}

/// Columns of fixed width, as what comes later is not known yet.
fn line(row: &[String]) -> String {
    const WIDTHS: [usize; 5] = [22, 12, 11, 18, 13];
    let mut out = String::new();
    for (column, (text, width)) in row.iter().zip(WIDTHS).enumerate() {
        let space = " ".repeat(width.saturating_sub(columns(text)));
        match column {
            0 => out.extend([text.as_str(), &space]),
            _ => out.extend([" ", space.as_str(), text]),
        }
    }
    out
}

fn head(comparison: &Comparison) -> [String; 5] {
    let [base, arm] = match comparison.arms.as_slice() {
        [base, arm] => [base.name.clone(), arm.name.clone()],
        _ => ["baseline".to_owned(), "arm".to_owned()],
    };
    let per_second = |name: String| format!("{} MB/s", short(&name));
    [
        String::new(),
        per_second(base),
        per_second(arm),
        "median latency".to_owned(),
        "verdict".to_owned(),
    ]
}

/// A name that leaves room for its unit.
fn short(name: &str) -> String {
    name.chars().take(10).collect()
}

fn rows(comparison: &Comparison, cell: &Cell) -> Vec<(Style, Vec<String>)> {
    let others = comparison.arms.iter().skip(1);
    let several = comparison.arms.len() > 2;
    let depths = comparison
        .cells
        .iter()
        .any(|one| (one.queue_depth, one.workers) != (cell.queue_depth, cell.workers));
    others
        .map(|arm| {
            let mut name = words::short_cell(cell);
            if depths {
                name = format!("{name} ×{}", cell.queue_depth * cell.workers.max(1));
            }
            if several {
                name = format!("{name} {}", arm.name);
            }
            arm_row(comparison, cell, &arm.name, name)
        })
        .collect()
}

fn arm_row(comparison: &Comparison, cell: &Cell, arm: &str, name: String) -> (Style, Vec<String>) {
    let of = |metric| find(cell, arm, metric);
    let median = of(Metric::LatencyMedian);
    let verdict = median
        .or_else(|| of(Metric::Throughput))
        .map_or(Verdict::Undecided, |one| one.verdict);
    let speed = |arm: &str| {
        let level = cell.levels.iter().find(|level| level.arm == arm);
        let bytes = level.and_then(|level| level.bytes_per_s);
        bytes.map_or_else(|| "-".to_owned(), |bytes| words::rate(bytes / 1e6))
    };
    let base = comparison.arms.first().map_or("", |arm| &arm.name);
    let row = vec![
        name,
        speed(base),
        speed(arm),
        median.map_or_else(|| "-".to_owned(), told),
        verdict.word().to_owned(),
    ];
    (words::style(verdict), row)
}

fn find<'a>(cell: &'a Cell, arm: &str, metric: Metric) -> Option<&'a Estimate> {
    let same = |one: &&Estimate| one.arm == arm && one.metric == metric;
    cell.estimates.iter().find(same)
}

/// `+8.8 (7.9 to 9.2) %`: the difference and its interval.
fn told(one: &Estimate) -> String {
    words::interval(one.ratio_low, one.ratio_high)
}
