//! Then and now.

use ioalign_core::comparison::{Before, Change, Comparison, Metric};

use super::super::words;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::time;

pub fn put(page: &mut TextPage, comparison: &Comparison) {
    let Some(before) = &comparison.before else {
        return;
    };
    page.blank();
    page.put("", "", 2, &[TextSpan::new(Style::Strong, title(before))]);
    let head = ["", "then", "now"];
    let mut table = TextTable::new(1, &head);
    for change in &before.changes {
        let name = name(comparison, before, change);
        table.row(Style::Plain, row(name, change));
    }
    table.put(page);
    let text = words::levels_of_two_times(before);
    page.put("  ", "  ", 0, &[TextSpan::new(Style::Dim, text)]);
}

fn title(before: &Before) -> String {
    let load = before
        .load_average
        .map_or_else(String::new, |load| format!(", load {load:.1}"));
    format!("Against {} of {}{load}", before.document, before.time)
}

/// The cell, with what distinguishes it from the others: how many are in flight, the arm.
fn name(comparison: &Comparison, before: &Before, change: &Change) -> String {
    let cell = comparison.cells.get(change.cell);
    let depths = words::depths_differ(&comparison.cells);
    let mut name = cell.map_or_else(String::new, |cell| words::numbered_cell(cell, depths));
    if before.changes.iter().any(|other| other.arm != change.arm) {
        name = format!("{name} {}", change.arm);
    }
    name
}

fn row(name: String, change: &Change) -> Vec<String> {
    let value = |value: f64| match change.metric {
        Metric::Throughput => format!("{}/s", words::rate(value)),
        _ => time(value),
    };
    vec![name, value(change.before), value(change.after)]
}
