//! Then and now.

use ioalign_core::comparison::{Before, Change, Comparison, Metric};

use super::super::words;
use crate::profile::table::Table;
use crate::profile::units::time;
use crate::text::page::{Page, Span, Style};

pub fn put(page: &mut Page, comparison: &Comparison) {
    let Some(before) = &comparison.before else {
        return;
    };
    page.blank();
    page.put("", "", 2, &[Span::new(Style::Strong, title(before))]);
    let head = ["", "then", "now", "difference", "interval", "verdict"];
    let mut table = Table::new(1, &head);
    for change in &before.changes {
        let name = name(comparison, before, change);
        table.row(words::style(change.verdict), row(name, change));
    }
    table.put(page);
    let text = if before.interleaved {
        "Numbers of two times. The layout of then is an arm of this run too, so that the estimates \
         below do not depend on how busy the machine was."
    } else {
        "Numbers of two times: the machine may have been busier in one of them."
    };
    page.put("  ", "  ", 0, &[Span::new(Style::Dim, text)]);
}

fn title(before: &Before) -> String {
    let load = before
        .load_average
        .map_or_else(String::new, |load| format!(", load {load:.1}"));
    format!("Against {} of {}{load}", before.document, before.time)
}

/// The cell, with what tells it from the others: how many are in flight, the arm.
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
    vec![
        name,
        value(change.before),
        value(change.after),
        words::difference(change.ratio),
        words::interval(change.ratio_low, change.ratio_high),
        change.verdict.word().to_owned(),
    ]
}
