//! The lines of the stack in columns: name, size, what it is, mark.

use super::layers::StackLine;
use crate::text::marks;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::clean::columns;
use crate::words::shorten_middle;

/// Between two columns.
const GAP: usize = 2;

/// With less room than this for what a layer is, it stands on a line of its own.
const LEAST_ROOM: usize = 24;

/// The widths that all lines share.
struct Columns {
    name: usize,
    size: usize,
    /// Where the mark begins, counted from what the layer is; 0 where the marks do not fit in a column.
    mark: usize,
    /// Up to what the layer is.
    lead: usize,
}

/// Puts all lines.
pub fn put(page: &mut TextPage<'_>, lines: &[StackLine]) {
    let cells: Vec<_> = lines.iter().map(|line| Cells::of(page, line)).collect();
    let widths = widths(page.width(), &cells);
    for cells in &cells {
        cells.put(page, &widths);
    }
}

/// The texts of a line as they are shown.
struct Cells<'a> {
    line: &'a StackLine,
    name: String,
    size: String,
    what: String,
    mark: String,
}

fn widths(page: usize, cells: &[Cells<'_>]) -> Columns {
    let full = cells
        .iter()
        .filter(|one| !one.what.is_empty() || !one.size.is_empty());
    let name = full
        .map(Cells::name_columns)
        .max()
        .unwrap_or(0)
        .min(page * 2 / 5);
    let size = cells
        .iter()
        .map(|one| columns(&one.size))
        .max()
        .unwrap_or(0);
    let lead = name + GAP + size + GAP;
    let room = page.saturating_sub(lead);
    let marked = || cells.iter().filter(|one| !one.mark.is_empty());
    let what = marked().map(|one| columns(&one.what)).max().unwrap_or(0);
    let mark = marked().map(|one| columns(&one.mark)).max().unwrap_or(0);
    Columns {
        name,
        size,
        mark: if what + GAP + mark <= room {
            what + GAP
        } else {
            0
        },
        lead,
    }
}

impl<'a> Cells<'a> {
    fn of(page: &TextPage<'_>, line: &'a StackLine) -> Self {
        let mark = line.mark.as_ref().map(|mark| {
            let text = format!("{} {}", page.glyphs().mark(mark.standing), mark.distance);
            page.safe(text.trim_end())
        });
        Self {
            line,
            name: page.safe(&line.name),
            size: page.safe(&line.size),
            what: page.safe(&line.what),
            mark: mark.unwrap_or_default(),
        }
    }

    fn name_columns(&self) -> usize {
        columns(&self.line.branch) + columns(&self.name)
    }

    fn put(&self, page: &mut TextPage<'_>, widths: &Columns) {
        if self.what.is_empty() && self.size.is_empty() {
            return page.put(
                &self.line.branch,
                &self.line.below,
                2,
                &[TextSpan::plain(&self.name)],
            );
        }
        let room = widths.name.saturating_sub(columns(&self.line.branch));
        let name = shorten_middle(&self.name, room.max(8), page.glyphs().ellipsis);
        let fill = room.saturating_sub(columns(&name))
            + GAP
            + widths.size.saturating_sub(columns(&self.size));
        let head = [
            TextSpan::new(Style::Strong, &name),
            TextSpan::plain(format!("{}{}", " ".repeat(fill), self.size)),
        ];
        let narrow = page.width().saturating_sub(widths.lead) < LEAST_ROOM;
        let indent = if narrow {
            columns(&self.line.below) + GAP
        } else {
            widths.lead
        };
        let rest = format!(
            "{:<indent$}",
            self.line.below,
            indent = indent + self.line.below.chars().count() - columns(&self.line.below)
        );
        if narrow {
            page.put(&self.line.branch, &rest, 0, &head);
            return self.put_what(page, &rest, &rest, Vec::new(), widths);
        }
        let mut head = head.to_vec();
        head.push(TextSpan::plain(" ".repeat(GAP)));
        self.put_what(page, &self.line.branch, &rest, head, widths);
    }

    /// What the layer is with its mark, which stands on a line of its own rather than broken.
    fn put_what(
        &self,
        page: &mut TextPage<'_>,
        first: &str,
        rest: &str,
        mut head: Vec<TextSpan>,
        widths: &Columns,
    ) {
        let room = page.width().saturating_sub(columns(rest));
        head.push(TextSpan::plain(&self.what));
        let what = columns(&self.what);
        let at = widths.mark.max(what + GAP);
        let beside = !self.mark.is_empty() && at + columns(&self.mark) <= room;
        if beside {
            head.push(TextSpan::plain(" ".repeat(at - what)));
            head.push(self.mark_span());
        }
        page.put(first, rest, 0, &head);
        if !beside && !self.mark.is_empty() {
            page.put(rest, rest, 2, &[self.mark_span()]);
        }
    }

    fn mark_span(&self) -> TextSpan {
        let standing = self.line.mark.as_ref().map(|mark| mark.standing);
        TextSpan::new(standing.map_or(Style::Plain, marks::style), &self.mark)
    }
}
