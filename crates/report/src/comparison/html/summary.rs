//! The answer in one sentence, and the table of least, average and most.

use ioalign_core::comparison::{Cell, Comparison, Metric, Spread, Verdict};

use super::badge;
use crate::comparison::words::share;
use crate::svg::escape;
use crate::words::ended::ended;
use crate::words::numbers::count;

/// In the order in which they are counted up.
const ORDER: [Verdict; 5] = [
    Verdict::Slower,
    Verdict::NoDifference,
    Verdict::Faster,
    Verdict::Undecided,
    Verdict::Invalid,
];

/// Verdict, table, and what the reader has to know.
pub fn put(out: &mut String, comparison: &Comparison) {
    if let Some(why) = &comparison.partial {
        out.push_str(&format!(
            "<div class=\"partial\"><p><b>Partial.</b> {}</p></div>\n",
            escape(&ended(why))
        ));
    }
    let verdicts: Vec<_> = verdicts(comparison).collect();
    let (class, sentence) = headline(&verdicts);
    out.push_str(&format!(
        "<div class=\"verdict {class}\">\n<p class=\"headline\">{sentence}</p>\n</div>\n"
    ));
    table(out, comparison);
    tally(out, &verdicts);
    notes(out, &comparison.notes);
}

fn of(verdicts: &[Verdict], wanted: Verdict) -> usize {
    verdicts.iter().filter(|one| **one == wanted).count()
}

fn headline(verdicts: &[Verdict]) -> (&'static str, String) {
    let slower = of(verdicts, Verdict::Slower);
    let others = of(verdicts, Verdict::NoDifference) + of(verdicts, Verdict::Faster);
    let all = count(verdicts.len());
    if slower + others == 0 {
        return (
            "odd",
            "Nothing is certain: no cell has a result.".to_owned(),
        );
    }
    if slower == 0 {
        let results = count(others);
        let sentence =
            format!("Nothing is slower than the baseline: {results} of {all} results are certain.");
        return ("good", sentence);
    }
    let are = if slower == 1 { "is" } else { "are" };
    let slower = count(slower);
    let sentence =
        format!("{slower} of {all} kinds of I/O {are} slower off the grid, with certainty.");
    ("bad", sentence)
}

/// One a cell and arm.
fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    comparison.cells.iter().flat_map(move |cell| {
        let arms = comparison.arms.iter().skip(1);
        arms.filter_map(|arm| verdict(cell, &arm.name))
    })
}

/// The verdict of a cell's arm: that of the median, else of the throughput, else of the first metric.
pub fn verdict(cell: &Cell, arm: &str) -> Option<Verdict> {
    let of_arm = || cell.estimates.iter().filter(|one| one.arm == arm);
    let of = |metric: Metric| of_arm().find(|one| one.metric == metric);
    let found = of(Metric::LatencyMedian)
        .or_else(|| of(Metric::Throughput))
        .or_else(|| of_arm().next())?;
    Some(if cell.placebo.moved {
        Verdict::Invalid
    } else {
        found.verdict
    })
}

/// The same table as the published measurement of 2006 has.
fn table(out: &mut String, comparison: &Comparison) {
    let summary = &comparison.summary;
    let rows = [
        ("throughput increase", summary.throughput_gain_ratio),
        ("latency decrease", summary.latency_drop_ratio),
    ];
    if rows.iter().all(|(_, spread)| spread.is_none()) {
        return;
    }
    out.push_str(
        "<table class=\"summary\">\n<thead><tr><th>by alignment</th><th>least</th><th>average</th>\
         <th>most</th></tr></thead>\n<tbody>\n",
    );
    for (name, spread) in rows {
        let Some(Spread { min, mean, max }) = spread else {
            continue;
        };
        let cells = [min, mean, max].map(|ratio| format!("<td>{}</td>", share(ratio)));
        out.push_str(&format!(
            "<tr><th scope=\"row\">{name}</th>{}</tr>\n",
            cells.concat()
        ));
    }
    out.push_str("</tbody>\n</table>\n");
}

/// How many of each verdict, invalid ones among them.
fn tally(out: &mut String, verdicts: &[Verdict]) {
    out.push_str("<p class=\"tally\">");
    for wanted in ORDER {
        let n = of(verdicts, wanted);
        if n > 0 {
            out.push_str(&format!(
                "<span>{} {}</span> ",
                count(n),
                badge::verdict(wanted)
            ));
        }
    }
    out.push_str("</p>\n");
}

fn notes(out: &mut String, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    out.push_str("<ul class=\"quiet\">\n");
    for note in notes {
        out.push_str(&format!("<li>{}</li>\n", escape(&ended(note))));
    }
    out.push_str("</ul>\n");
}
