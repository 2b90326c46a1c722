//! Then and now, where an earlier run was named.

use ioalign_core::comparison::{Change, Comparison, Metric};

use super::badge;
use crate::comparison::words;
use crate::profile::units::time;
use crate::svg::escape;

/// The table of changes; nothing without an earlier run.
pub fn put(out: &mut String, comparison: &Comparison) {
    let Some(before) = comparison.before.as_ref() else {
        return;
    };
    out.push_str(&format!(
        "<h2>Then and now</h2>\n<p class=\"quiet\">Against {} of {}. Numbers of two times: the machine may \
         have been busier in one of them.{}</p>\n",
        escape(&before.document),
        escape(&before.time),
        if before.interleaved {
            " The layout of then is an arm of this run too: the figures and cells below do not depend \
             on that."
        } else {
            ""
        }
    ));
    out.push_str(
        "<table class=\"results cards\">\n<thead><tr><th>I/O</th><th>arm</th><th>metric</th>\
         <th>then → now</th><th>difference</th><th>verdict</th></tr></thead>\n<tbody>\n",
    );
    for change in &before.changes {
        row(out, comparison, change);
    }
    out.push_str("</tbody>\n</table>\n");
}

fn row(out: &mut String, comparison: &Comparison, change: &Change) {
    let cell = comparison.cells.get(change.cell);
    let value = |value: f64| match change.metric {
        Metric::Throughput => format!("{}/s", words::rate(value)),
        _ => time(value),
    };
    out.push_str(&format!(
        "<tr><td class=\"name\"><b>{}</b></td><td data-label=\"arm\">{}</td><td data-label=\"metric\">{}</td>\
         <td data-label=\"then → now\">{} → {}</td><td data-label=\"difference\"><b>{}</b> \
         <small>({})</small></td><td data-label=\"verdict\">{}</td></tr>\n",
        escape(&cell.map_or_else(String::new, words::cell)),
        escape(&change.arm),
        words::metric(change.metric),
        value(change.before),
        value(change.after),
        words::difference(change.ratio),
        words::interval(change.ratio_low, change.ratio_high),
        badge::verdict(change.verdict)
    ));
}
