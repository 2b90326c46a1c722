//! All results as tables: one row a kind of I/O and arm; every metric on demand.

use ioalign_core::comparison::{Cell, Comparison, Estimate, EstimateVerdict, Metric, Placebo};

use super::badge;
use crate::comparison::words;
use crate::svg::escape;
use crate::words::numbers::{rate, time};

/// Rows beyond this are in the JSON alone.
const MOST_ROWS: usize = 2000;

/// The table of medians and throughput, and that of everything folded away.
pub fn put(out: &mut String, comparison: &Comparison) {
    let Some(baseline) = comparison.arms.first() else {
        return;
    };
    out.push_str("<h2>Every cell</h2>\n<div class=\"wide\">\n<table class=\"results cards\">\n");
    out.push_str(
        "<thead><tr><th>I/O</th><th>arm</th><th>verdict</th>\
         <th>median latency: baseline → arm</th><th>throughput: baseline → arm</th></tr>\
         </thead>\n<tbody>\n",
    );
    let rows = comparison.cells.iter().flat_map(|cell| {
        let arms = comparison.arms.iter().skip(1);
        arms.map(move |arm| (cell, arm.name.as_str()))
    });
    for (cell, arm) in rows.take(MOST_ROWS) {
        row(out, cell, arm, &baseline.name);
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    all(out, comparison);
}

fn row(out: &mut String, cell: &Cell, arm: &str, baseline: &str) {
    let Some(verdict) = cell.verdict(arm) else {
        return;
    };
    first(out, cell, arm, verdict);
    if verdict == EstimateVerdict::Invalid {
        out.push_str(&format!(
            "<td colspan=\"2\" class=\"invalid\">no result: {}</td></tr>\n",
            escape(&moved(&cell.placebo))
        ));
        return;
    }
    for metric in [Metric::LatencyMedian, Metric::Throughput] {
        out.push_str(&format!(
            "<td data-label=\"{}\">{} <span class=\"difference\">{}</span></td>",
            words::metric(metric),
            levels(cell, metric, (baseline, arm)),
            cell.estimate(arm, metric)
                .map_or_else(String::new, difference)
        ));
    }
    out.push_str("</tr>\n");
}

/// The I/O, the arm, and the verdict.
fn first(out: &mut String, cell: &Cell, arm: &str, verdict: EstimateVerdict) {
    out.push_str(&format!(
        "<tr><td class=\"name\"><b>{}</b> <small>{}</small></td><td data-label=\"arm\">{}</td>\
         <td data-label=\"verdict\">{}</td>",
        escape(&words::cell(cell)),
        words::load(cell.queue_depth, cell.workers),
        escape(arm),
        badge::verdict(verdict)
    ));
}

/// Why a cell is invalid, for those who do not know what a placebo is here.
fn moved(placebo: &Placebo) -> String {
    match placebo.ratio {
        Some(ratio) if placebo.moved => format!(
            "the baseline differed from its own duplicate by {} ({})",
            words::difference(ratio),
            words::interval(placebo.ratio_low, placebo.ratio_high)
        ),
        _ => "something other than the arms differed".to_owned(),
    }
}

/// `15 µs → 94 µs`.
fn levels(cell: &Cell, metric: Metric, (baseline, arm): (&str, &str)) -> String {
    let of = |name: &str| {
        let value = cell.level(name)?.of(metric)?;
        Some(shown(metric, value, cell))
    };
    let both = [of(baseline), of(arm)];
    both.into_iter().flatten().collect::<Vec<_>>().join(" → ")
}

#[expect(clippy::cast_precision_loss, reason = "sizes of I/Os are small")]
fn shown(metric: Metric, value: f64, cell: &Cell) -> String {
    match metric {
        Metric::Throughput => rate(value * cell.block_bytes as f64),
        _ => time(value),
    }
}

/// `+528 % (+409 to +659 %)`; what is not certain says so.
fn difference(one: &Estimate) -> String {
    let Some(ratio) = one
        .ratio
        .filter(|_| one.verdict != EstimateVerdict::Invalid)
    else {
        return "no result".to_owned();
    };
    let open = match one.verdict {
        EstimateVerdict::Undecided => "undecided: ",
        _ => "",
    };
    let note = one.note.as_ref().map_or_else(String::new, |note| {
        format!("<span class=\"note\">{}</span>", escape(note))
    });
    format!(
        "{open}<b>{}</b> <small>({})</small>{note}",
        words::difference(ratio),
        words::interval(one.ratio_low, one.ratio_high)
    )
}

/// Every metric of every cell, with what the engine noted.
fn all(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<details><summary>all metrics, with method and rounds</summary>\n<div class=\"wide\">\n\
         <table class=\"results cards\">\n<thead><tr><th>I/O</th><th>arm</th><th>verdict</th>\
         <th>metric</th><th>difference</th><th>made by</th></tr></thead>\n<tbody>\n",
    );
    let estimates = comparison.cells.iter().flat_map(|cell| {
        let estimates = cell.estimates.iter();
        estimates.map(move |one| (cell, one))
    });
    for (cell, one) in estimates.take(MOST_ROWS) {
        estimate(out, cell, one);
    }
    out.push_str("</tbody>\n</table>\n</div>\n</details>\n");
}

fn estimate(out: &mut String, cell: &Cell, one: &Estimate) {
    let (verdict, shown) = match cell.placebo.moved {
        true => (EstimateVerdict::Invalid, "no result".to_owned()),
        false => (one.verdict, difference(one)),
    };
    first(out, cell, &one.arm, verdict);
    out.push_str(&format!(
        "<td data-label=\"metric\">{}</td><td data-label=\"difference\">{shown}</td>\
         <td data-label=\"made by\">{}</td></tr>\n",
        words::metric(one.metric),
        escape(&made(one))
    ));
}

fn made(one: &Estimate) -> String {
    let method = Some(one.method.clone()).filter(|method| !method.is_empty());
    let rounds = Some(format!("{} rounds", one.rounds));
    let parts = [method, rounds];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
