//! Tables that fit the page: numbers to the right, the first column shortened where it must.

use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::clean::{columns, shorten_end};

/// Space between columns, and before the first.
const GAP: usize = 2;
const INDENT: usize = 2;
/// The first column is not made narrower than this.
const NARROWEST: usize = 8;

/// Rows under a head. The first `left` columns are text, the others numbers.
pub struct TextTable {
    left: usize,
    rows: Vec<(Style, Vec<String>)>,
}

impl TextTable {
    pub fn new(left: usize, head: &[&str]) -> Self {
        let head = head.iter().map(ToString::to_string).collect();
        Self {
            left,
            rows: vec![(Style::Dim, head)],
        }
    }

    pub fn row(&mut self, style: Style, cells: Vec<String>) {
        self.rows.push((style, cells));
    }

    pub fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    pub fn put(&self, page: &mut TextPage) {
        if self.is_empty() {
            return;
        }
        let widths = self.widths(page);
        for (style, cells) in &self.rows {
            let mut line = " ".repeat(INDENT);
            for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let text = shorten_end(&page.safe(cell), *width, page.glyphs().ellipsis);
                let space = " ".repeat(width.saturating_sub(columns(&text)));
                let gap = if column == 0 { "" } else { "  " };
                line.push_str(gap);
                if column < self.left {
                    line.push_str(&text);
                    line.push_str(&space);
                } else {
                    line.push_str(&space);
                    line.push_str(&text);
                }
            }
            page.line(&[TextSpan::new(*style, line)]);
        }
    }

    fn widths(&self, page: &TextPage) -> Vec<usize> {
        let count = self.rows.first().map_or(0, |(_, cells)| cells.len());
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
            cells
                .map(|cell| columns(&page.safe(cell)))
                .max()
                .unwrap_or(0)
        };
        let mut widths: Vec<_> = (0..count).map(widest).collect();
        let total = widths.iter().sum::<usize>() + GAP * count.saturating_sub(1) + INDENT;
        let over = total.saturating_sub(page.width());
        if let Some(first) = widths.first_mut() {
            *first = first.saturating_sub(over).max(NARROWEST.min(*first));
        }
        widths
    }
}
