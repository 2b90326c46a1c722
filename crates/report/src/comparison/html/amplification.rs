//! What the drive's own counters say of the writes of each arm.

use ioalign_core::comparison::Comparison;

use crate::comparison::amplification::{self, HEAD};
use crate::svg::escape;

/// A table a kind of writes; nothing where none were counted.
pub fn put(out: &mut String, comparison: &Comparison) {
    for one in &comparison.write_amplification {
        out.push_str(&format!(
            "<h2>{}</h2>\n",
            escape(&amplification::title(one))
        ));
        let rows = amplification::rows(one);
        if !rows.is_empty() {
            table(out, &rows);
        }
        for note in amplification::notes(one) {
            out.push_str(&format!("<p class=\"quiet\">{}</p>\n", escape(&note)));
        }
    }
    if let Some(caveat) = amplification::caveat(&comparison.write_amplification) {
        out.push_str(&format!("<p class=\"quiet\">{caveat}</p>\n"));
    }
}

fn table(out: &mut String, rows: &[[String; 6]]) {
    out.push_str("<table class=\"results cards\">\n<thead><tr>");
    for name in HEAD {
        out.push_str(&format!("<th>{name}</th>"));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for [arm, numbers @ ..] in rows {
        out.push_str(&format!(
            "<tr><td class=\"name\"><b>{}</b></td>",
            escape(arm)
        ));
        for (label, number) in HEAD.iter().skip(1).zip(numbers) {
            let number = escape(number);
            out.push_str(&format!("<td data-label=\"{label}\">{number}</td>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}
