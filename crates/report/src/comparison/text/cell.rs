//! One cell in full: the arms in absolute numbers, every estimate, the placebo.

use ioalign_core::comparison::{ArmLevel, Cell, Comparison, Estimate, Metric};

use super::super::words;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{rate, thousands, time};

pub fn put(page: &mut TextPage, comparison: &Comparison, cell: &Cell) {
    let title = format!(
        "{}, {}",
        words::cell(cell),
        words::load(cell.queue_depth, cell.workers)
    );
    page.line(&[TextSpan::new(Style::Strong, title)]);
    levels(page, cell);
    estimates(page, comparison, cell);
    placebo(page, cell);
}

fn levels(page: &mut TextPage, cell: &Cell) {
    let head = ["arm", "p50", "mean", "p99", "I/Os/s", "bytes/s", "CPU/I/O"];
    let mut table = TextTable::new(1, &head);
    for level in &cell.levels {
        table.row(Style::Plain, level_row(level));
    }
    table.put(page);
}

fn level_row(level: &ArmLevel) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        level.arm.clone(),
        or_none(level.latency_p50_us.map(time)),
        or_none(level.latency_mean_us.map(time)),
        or_none(level.latency_p99_us.map(time)),
        or_none(level.iops.map(words::rate)),
        or_none(level.bytes_per_s.map(rate)),
        or_none(level.cpu_per_io_us.map(time)),
    ]
}

fn estimates(page: &mut TextPage, comparison: &Comparison, cell: &Cell) {
    let head = ["arm", "metric", "difference", "interval", "verdict"];
    let mut table = TextTable::new(2, &head);
    let mut last = "";
    let known = |one: &&Estimate| one.ratio.is_some() || page.options().verbose();
    for one in ordered(comparison, cell).into_iter().filter(known) {
        let arm = if last == one.arm { "" } else { &one.arm };
        last = &one.arm;
        table.row(words::style(one.verdict), row(arm, one));
    }
    if !table.is_empty() {
        page.blank();
    }
    table.put(page);
    for (note, which) in notes(cell) {
        let text = format!("{}: {note}", which.join(", "));
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Dim, text)]);
    }
}

/// Each note once, with the estimates that it is about.
fn notes(cell: &Cell) -> Vec<(&str, Vec<String>)> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for one in &cell.estimates {
        let Some(note) = one.note.as_deref() else {
            continue;
        };
        let name = format!("{} {}", one.arm, words::metric(one.metric));
        match all.iter_mut().find(|(known, _)| *known == note) {
            Some((_, which)) => which.push(name),
            None => all.push((note, vec![name])),
        }
    }
    all
}

/// By arm, and within it the metrics in their usual order.
fn ordered<'a>(comparison: &Comparison, cell: &'a Cell) -> Vec<&'a Estimate> {
    let place = |name: &str| comparison.arms.iter().position(|arm| arm.name == name);
    let mut all: Vec<_> = cell.estimates.iter().collect();
    let rank = |metric: Metric| match metric {
        Metric::LatencyMedian => 0,
        Metric::LatencyMean => 1,
        Metric::LatencyP99 => 2,
        Metric::Throughput => 3,
        Metric::CpuPerIo => 4,
    };
    all.sort_by_key(|one| (place(&one.arm), rank(one.metric)));
    all
}

fn row(arm: &str, one: &Estimate) -> Vec<String> {
    vec![
        arm.to_owned(),
        words::metric(one.metric).to_owned(),
        one.ratio.map_or_else(|| "-".to_owned(), words::difference),
        words::interval(one.ratio_low, one.ratio_high),
        one.verdict.word().to_owned(),
    ]
}

/// An interval up to so wide says that identical arms were alike; in a wider one much could hide.
const WIDEST: f64 = 0.1;

/// How far identical arms were apart: what the cell can resolve.
fn placebo(page: &mut TextPage, cell: &Cell) {
    let placebo = &cell.placebo;
    let Some(ratio) = placebo.ratio else { return };
    let rounds = cell.estimates.iter().map(|one| one.rounds).max();
    let confidence = cell.estimates.first().map_or(0.95, |one| one.confidence);
    let state = match (placebo.ratio_low, placebo.ratio_high) {
        _ if placebo.moved => "it moved, the cell is invalid",
        (Some(low), Some(high)) if high - low <= WIDEST => "it kept still",
        _ => "no move seen in so wide an interval",
    };
    let text = format!(
        "placebo {} ({}): {state}. {} I/Os, {} rounds, {}; intervals at {}",
        words::difference(ratio),
        words::interval(placebo.ratio_low, placebo.ratio_high),
        thousands(cell.ios),
        thousands(rounds.unwrap_or(0)),
        time(cell.duration_s * 1e6),
        words::share(confidence),
    );
    let style = if placebo.moved {
        Style::Odd
    } else {
        Style::Dim
    };
    page.put("  ", "  ", 2, &[TextSpan::new(style, text)]);
}
