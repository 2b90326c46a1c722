//! The cost table of a finding, as compact as it can be read.

use ioalign_core::cost::CostRow;

use super::page::{Page, Span, Style};
use crate::words::numbers::{percent, times, trimmed};

/// The sizes that tell the story: a sector, a page, a database page, a stripe, a stream.
const TELLING: [u64; 5] = [512, 4 << 10, 16 << 10, 64 << 10, 1 << 20];

const INDENT: &str = "   ";

/// The rows that are shown: the telling ones, or all where none of them is there.
pub fn telling(rows: &[CostRow], all: bool) -> Vec<&CostRow> {
    let some: Vec<_> = rows
        .iter()
        .filter(|row| all || TELLING.contains(&row.io.get()))
        .collect();
    if some.is_empty() {
        rows.iter().take(TELLING.len()).collect()
    } else {
        some
    }
}

/// Head and rows; nothing for a finding without costs.
pub fn table(page: &mut Page, rows: &[CostRow]) {
    let rows = telling(rows, page.options().verbose());
    if rows.is_empty() {
        return;
    }
    let narrow = page.width() < 64;
    let head = if narrow {
        line("size", "crossing", "touched", "RMW each")
    } else {
        wide(
            "I/O size",
            "cross a boundary",
            "cells touched",
            "read-modify-write",
        )
    };
    page.put(INDENT, INDENT, 0, &[Span::new(Style::Dim, head)]);
    for row in rows {
        let (size, cross) = (row.io.to_string(), percent(row.straddle_ratio));
        let (cells, rmw) = (times(row.cells_ratio), trimmed(row.rmw_ratio));
        let text = if narrow {
            line(&size, &cross, &cells, &rmw)
        } else {
            wide(&size, &cross, &cells, &format!("{rmw} each"))
        };
        page.put(INDENT, INDENT, 0, &[Span::plain(text)]);
    }
}

fn wide(size: &str, cross: &str, cells: &str, rmw: &str) -> String {
    format!("{size:>8}  {cross:>16}  {cells:>13}  {rmw:>17}")
}

fn line(size: &str, cross: &str, cells: &str, rmw: &str) -> String {
    format!("{size:>7} {cross:>9} {cells:>8} {rmw:>9}")
}
