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

    /// One table, or several below each other where the page is too narrow: each has the first column.
    pub fn put(&self, page: &mut TextPage) {
        if self.is_empty() {
            return;
        }
        let mut widths = self.widths(page);
        let (narrower, pieces) = fitted(&widths, page.width());
        if let Some(first) = widths.first_mut() {
            *first = narrower;
        }
        for piece in pieces {
            for (style, cells) in &self.rows {
                let line = self.line(page, cells, &piece, &widths);
                page.line(&[TextSpan::new(*style, line)]);
            }
        }
    }

    fn line(&self, page: &TextPage, cells: &[String], piece: &[usize], widths: &[usize]) -> String {
        let mut line = " ".repeat(INDENT);
        for &column in piece {
            let width = widths.get(column).copied().unwrap_or(0);
            let cell = cells.get(column).map_or("", String::as_str);
            let text = shorten_end(&page.safe(cell), width, page.glyphs().ellipsis);
            let space = " ".repeat(width.saturating_sub(columns(&text)));
            line.push_str(if column == 0 { "" } else { "  " });
            if column < self.left {
                line.push_str(&text);
                line.push_str(&space);
            } else {
                line.push_str(&space);
                line.push_str(&text);
            }
        }
        line
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
        (0..count).map(widest).collect()
    }
}

/// The width of the first column, and the columns of each piece that fits: the first column is made narrower if that is
/// enough.
fn fitted(widths: &[usize], page: usize) -> (usize, Vec<Vec<usize>>) {
    let first = widths.first().copied().unwrap_or(0);
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1) + INDENT;
    let over = total.saturating_sub(page);
    let narrower = first.saturating_sub(over);
    if over == 0 || narrower >= NARROWEST {
        return (narrower, vec![(0..widths.len()).collect()]);
    }
    let mut pieces = vec![vec![0]];
    let mut used = INDENT + first;
    for (column, width) in widths.iter().enumerate().skip(1) {
        if used + GAP + width > page && pieces.last().is_some_and(|piece| piece.len() > 1) {
            pieces.push(vec![0]);
            used = INDENT + first;
        }
        used += GAP + width;
        if let Some(piece) = pieces.last_mut() {
            piece.push(column);
        }
    }
    (first, pieces)
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn a_narrow_page_has_the_first_column_in_every_piece() {
        assert_eq!(fitted(&[12, 6, 9], 60), (12, vec![vec![0, 1, 2]]));
        // Two columns too wide: the first gives them.
        assert_eq!(fitted(&[12, 20, 20], 56), (10, vec![vec![0, 1, 2]]));
        let (first, pieces) = fitted(&[12, 20, 20, 20], 60);
        assert_eq!((first, pieces), (12, vec![vec![0, 1, 2], vec![0, 3]]));
        // One that never fits is there all the same.
        assert_eq!(fitted(&[12, 90], 60), (12, vec![vec![0, 1]]));
    }
}
