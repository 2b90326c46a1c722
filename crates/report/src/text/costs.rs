//! The cost table of a finding, as compact as it can be read.

use ioalign_core::cost::CostRow;
use ioalign_core::{Bytes, Finding, Grid, Tier};

use super::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{percent, times, trimmed};

/// The sizes that tell the story: a sector, a page, a database page, a stripe, a stream.
const TELLING: [u64; 5] = [512, 4 << 10, 16 << 10, 64 << 10, 1 << 20];

const INDENT: &str = "   ";

/// What the second column counts.
const COUNTED: &str =
    "touch one more: share of the requests of this size that touch one block more than they must";

/// The rows that are shown: the telling ones, a request of exactly one cell, and the one that most often touches one cell
/// too many where no other shows that; the first few where none of them is there.
pub fn telling(rows: &[CostRow], unit: Option<Bytes>) -> Vec<&CostRow> {
    let known = |row: &CostRow| TELLING.contains(&row.io.get()) || Some(row.io) == unit;
    let shown = rows.iter().filter(|row| known(row));
    let seen = shown.fold(0.0, |most: f64, row| most.max(row.extra_cell_ratio));
    let worst = rows
        .iter()
        .max_by(|a, b| a.extra_cell_ratio.total_cmp(&b.extra_cell_ratio))
        .filter(|row| row.extra_cell_ratio > seen)
        .map(|row| row.io);
    let some: Vec<_> = rows
        .iter()
        .filter(|row| known(row) || Some(row.io) == worst)
        .collect();
    if some.is_empty() {
        rows.iter().take(TELLING.len()).collect()
    } else {
        some
    }
}

/// Head and rows; nothing for a finding without costs.
pub fn table(page: &mut TextPage, finding: &Finding, grid: Option<&Grid>) {
    let rows = &finding.cost;
    let narrow = page.width() < 64;
    // Only where a part of a cell cannot be written alone.
    let rewrites = grid.is_none_or(|grid| grid.tier == Tier::Rmw);
    let head = match (narrow, rewrites) {
        (true, true) => line("size", "1 more", "touched", "RMW each"),
        (true, false) => line("size", "1 more", "touched", "in part"),
        (false, true) => wide(
            "I/O size",
            "touch one more",
            "blocks touched",
            "read-modify-write",
        ),
        (false, false) => wide(
            "I/O size",
            "touch one more",
            "blocks touched",
            "touched in part",
        ),
    };
    page.put(INDENT, INDENT, 0, &[TextSpan::new(Style::Dim, COUNTED)]);
    page.put(INDENT, INDENT, 0, &[TextSpan::new(Style::Dim, head)]);
    for row in rows {
        let (size, cross) = (row.io.to_string(), percent(row.extra_cell_ratio));
        let (cells, rmw) = (times(row.cells_ratio), trimmed(row.rmw_ratio));
        let text = if narrow {
            line(&size, &cross, &cells, &rmw)
        } else {
            wide(&size, &cross, &cells, &format!("{rmw} each"))
        };
        page.put(INDENT, INDENT, 0, &[TextSpan::plain(text)]);
    }
}

fn wide(size: &str, cross: &str, cells: &str, rmw: &str) -> String {
    format!("{size:>8}  {cross:>16}  {cells:>13}  {rmw:>17}")
}

fn line(size: &str, cross: &str, cells: &str, rmw: &str) -> String {
    format!("{size:>7} {cross:>9} {cells:>8} {rmw:>9}")
}
