//! The answer in one sentence, and the table of least, average and most.

use ioalign_core::comparison::{Comparison, EstimateVerdict};

use super::badge;
use crate::comparison::gains::GainTable;
use crate::comparison::words;
use crate::svg::escape;
use crate::words::ended::ended;
use crate::words::numbers::count;

/// In the order in which they are counted up.
const ORDER: [EstimateVerdict; 5] = [
    EstimateVerdict::Slower,
    EstimateVerdict::NoDifference,
    EstimateVerdict::Faster,
    EstimateVerdict::Undecided,
    EstimateVerdict::Invalid,
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
    if let Some(why) = words::no_answer(comparison) {
        out.push_str(&format!(
            "<div class=\"verdict odd\">\n<p class=\"headline\">{}</p>\n</div>\n",
            escape(&ended(&why))
        ));
    }
    let (class, sentence) = headline(&verdicts);
    out.push_str(&format!(
        "<div class=\"verdict {class}\">\n<p class=\"headline\">{sentence}</p>\n</div>\n"
    ));
    table(out, comparison);
    tally(out, &verdicts);
    notes(out, &comparison.notes);
}

fn of(verdicts: &[EstimateVerdict], wanted: EstimateVerdict) -> usize {
    verdicts.iter().filter(|one| **one == wanted).count()
}

fn headline(verdicts: &[EstimateVerdict]) -> (&'static str, String) {
    let [slower, same, faster] = [
        EstimateVerdict::Slower,
        EstimateVerdict::NoDifference,
        EstimateVerdict::Faster,
    ]
    .map(|one| of(verdicts, one));
    let all = count(verdicts.len());
    let kinds = |n: usize| {
        let are = if n == 1 { "is" } else { "are" };
        format!("{} of {all} kinds of I/O {are}", count(n))
    };
    match (slower, same, faster) {
        (0, 0, 0) => (
            "odd",
            "Nothing is certain: no cell has a result.".to_owned(),
        ),
        (0, _, 0) => {
            let sentence = format!("{} as fast as the baseline, with certainty.", kinds(same));
            ("good", sentence)
        }
        (0, _, _) => {
            let sentence = format!(
                "{} faster than the baseline, with certainty.",
                kinds(faster)
            );
            ("good", sentence)
        }
        (_, _, 0) => {
            let sentence = format!(
                "{} slower than the baseline, with certainty.",
                kinds(slower)
            );
            ("bad", sentence)
        }
        _ => {
            let faster = count(faster);
            let sentence = format!(
                "{} slower than the baseline, {faster} faster.",
                kinds(slower)
            );
            ("warn", sentence)
        }
    }
}

/// One a cell and arm.
fn verdicts(comparison: &Comparison) -> impl Iterator<Item = EstimateVerdict> {
    comparison.cells.iter().flat_map(move |cell| {
        let arms = comparison.arms.iter().skip(1);
        arms.filter_map(|arm| cell.verdict(&arm.name))
    })
}

/// The same table as the published measurement of 2006 has.
fn table(out: &mut String, comparison: &Comparison) {
    let gains = GainTable::new(comparison);
    if gains.rows.is_empty() {
        return;
    }
    let title = if gains.is_gain {
        words::gained_by(comparison)
    } else if comparison.is_of_a_change() {
        "now against before".to_owned()
    } else {
        format!("{} against the others", gains.arm)
    };
    out.push_str(&format!(
        "<div class=\"wide\">\n<table class=\"summary\">\n<thead><tr><th>{}</th><th>least</th><th>average</th>\
         <th>most</th><th>decided</th></tr></thead>\n<tbody>\n",
        escape(&title)
    ));
    for one in &gains.rows {
        let name = match (one.is_throughput, gains.is_gain) {
            (true, true) => "throughput increase",
            (true, false) => "throughput",
            (false, true) => "latency decrease",
            (false, false) => "median latency",
        };
        let numbers = one.numbers.as_ref().map_or_else(
            || "<td>-</td>".repeat(3),
            |all| all.iter().map(|one| format!("<td>{one}</td>")).collect(),
        );
        out.push_str(&format!(
            "<tr><th scope=\"row\">{name}</th>{numbers}<td>{} of {}</td></tr>\n",
            one.points.decided,
            one.points.all()
        ));
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// How many of each verdict, invalid ones among them.
fn tally(out: &mut String, verdicts: &[EstimateVerdict]) {
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
