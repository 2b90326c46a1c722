//! Then and now, where an earlier run was named.

use ioalign_core::comparison::{Change, Comparison, Metric};

use crate::comparison::words;
use crate::svg::escape;
use crate::words::numbers::time;

/// The table of changes; nothing without an earlier run.
pub fn put(out: &mut String, comparison: &Comparison) {
    let Some(before) = comparison.before.as_ref() else {
        return;
    };
    out.push_str(&format!(
        "<h2>Then and now</h2>\n<p class=\"quiet\">Against {} of {}. {}</p>\n",
        escape(&before.document),
        escape(&before.time),
        words::levels_of_two_times(before)
    ));
    out.push_str(
        "<table class=\"results cards\">\n<thead><tr><th>I/O</th><th>arm</th><th>metric</th>\
         <th>then</th><th>now</th></tr></thead>\n<tbody>\n",
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
         <td data-label=\"then\">{}</td><td data-label=\"now\">{}</td></tr>\n",
        escape(&cell.map_or_else(String::new, words::cell)),
        escape(&change.arm),
        words::metric(change.metric),
        value(change.before),
        value(change.after)
    ));
}
