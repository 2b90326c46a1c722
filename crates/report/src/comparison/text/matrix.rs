//! Many cells: a row each, in the order in which they were measured.

use ioalign_core::comparison::{Cell, Comparison, Estimate, Metric};

use super::super::words;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage};
use crate::words::clean::columns;

/// All rows.
pub fn table(page: &mut TextPage, comparison: &Comparison) {
    let head = head(comparison);
    let head: Vec<_> = head.iter().map(String::as_str).collect();
    let mut table = TextTable::new(1, &head);
    let depths = words::depths_differ(&comparison.cells);
    for cell in &comparison.cells {
        for (style, row) in rows(comparison, cell, depths) {
            table.row(style, row);
        }
    }
    table.put(page);
}

/// The head of a table that grows while it is measured.
pub fn heading(comparison: &Comparison) -> String {
    line(&head(comparison))
}

/// The row or rows of a cell in it. The number in flight is always shown, because later cells may have
/// more.
pub fn row(comparison: &Comparison, cell: &Cell) -> Vec<String> {
    let rows = rows(comparison, cell, true);
    rows.iter().map(|(_, row)| line(row)).collect()
}

/// Columns that end at fixed places, as what comes later is not known yet; a long name takes of the room of
/// the next ones.
fn line(row: &[String]) -> String {
    const ENDS: [usize; 5] = [0, 35, 48, 66, 80];
    let mut out = String::new();
    for (text, end) in row.iter().zip(ENDS) {
        let least = usize::from(!out.is_empty());
        let space = end.saturating_sub(columns(&out) + columns(text));
        out.extend([" ".repeat(space.max(least)).as_str(), text]);
    }
    out
}

fn head(comparison: &Comparison) -> [String; 5] {
    let [base, arm] = match comparison.arms.as_slice() {
        [base, arm] => [base.name.clone(), arm.name.clone()],
        _ => ["baseline".to_owned(), "arm".to_owned()],
    };
    let per_second = |name: String| format!("{} MiB/s", short(&name));
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

fn rows(comparison: &Comparison, cell: &Cell, depths: bool) -> Vec<(Style, Vec<String>)> {
    let others = comparison.arms.iter().skip(1);
    let several = comparison.arms.len() > 2;
    others
        .map(|arm| {
            let mut name = words::numbered_cell(cell, depths);
            if several {
                name = format!("{name} {}", arm.name);
            }
            arm_row(comparison, cell, &arm.name, name)
        })
        .collect()
}

fn arm_row(comparison: &Comparison, cell: &Cell, arm: &str, name: String) -> (Style, Vec<String>) {
    let verdict = cell.verdict(arm).unwrap_or_default();
    let speed = |arm: &str| {
        let bytes = cell.level(arm).and_then(|level| level.bytes_per_s);
        bytes.map_or_else(|| "-".to_owned(), |bytes| words::rate(bytes / 1_048_576.0))
    };
    let base = comparison.arms.first().map_or("", |arm| &arm.name);
    let median = cell.estimate(arm, Metric::LatencyMedian);
    let row = vec![
        name,
        speed(base),
        speed(arm),
        median.map_or_else(|| "-".to_owned(), interval),
        verdict.word().to_owned(),
    ];
    (words::style(verdict), row)
}

/// `+7.9 to +9.2 %`.
fn interval(one: &Estimate) -> String {
    words::interval(one.ratio_low, one.ratio_high)
}
