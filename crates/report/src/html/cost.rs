//! The cost table: the sizes that tell the story, all others on demand.

use ioalign_core::cost::CostRow;
use ioalign_core::{Finding, Grid, Tier};

use crate::svg::escape;
use crate::text::costs::telling;
use crate::words::kinds;
use crate::words::numbers::{percent, times, trimmed};

/// A few rows, and the whole table folded away below them.
pub fn put(out: &mut String, finding: &Finding, grid: Option<&Grid>) {
    let few = telling(&finding.cost, finding.unit);
    table(out, &few, grid);
    if few.len() < finding.cost.len() {
        let all: Vec<_> = finding.cost.iter().collect();
        out.push_str("<details><summary>all sizes</summary>\n");
        table(out, &all, grid);
        out.push_str("</details>\n");
    }
}

/// Head and the given rows.
pub fn table(out: &mut String, rows: &[&CostRow], grid: Option<&Grid>) {
    let cells = grid.map_or_else(
        || "blocks".to_owned(),
        |grid| kinds::cells(grid.kind.name()),
    );
    let rewrites = grid.is_none_or(|grid| grid.tier == Tier::Rmw);
    let last = if rewrites {
        "read-modify-writes each"
    } else {
        "touched in part each"
    };
    out.push_str(&format!(
        "<table class=\"cost\">\n<thead><tr><th>I/O size</th><th>requests of this size that touch one block more than they must</th>\
         <th>{} touched, against the fewest possible</th><th>{last}</th></tr></thead>\n<tbody>\n",
        escape(&cells)
    ));
    for row in rows {
        let class = if row.cells_ratio > 1.005 {
            " class=\"costly\""
        } else {
            ""
        };
        out.push_str(&format!(
            "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            row.io,
            escape(&percent(row.extra_cell_ratio)),
            times(row.cells_ratio),
            trimmed(row.rmw_ratio)
        ));
    }
    out.push_str("</tbody>\n</table>\n");
}
