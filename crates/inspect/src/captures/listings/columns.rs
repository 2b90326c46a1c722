//! Tables with a header line: which word of a row stands below which word of the header.
//!
//! Programs pad with spaces; people collapse them. A row with as many words as the header is read in
//! order, any other by position, where a cell ends or starts where its header does. If the header is collapsed too,
//! only the name of such a row is certain.

/// Words of a line that count: `lsblk -O` has seventy.
const MOST_WORDS: usize = 256;

/// A header's words, with the character positions of each.
pub(super) struct TableHeader {
    words: Vec<(String, usize, usize)>,
    line: String,
}

impl TableHeader {
    /// The words of `line`.
    pub(super) fn new(line: &str) -> Self {
        let words = spans(line);
        let words = words
            .into_iter()
            .map(|(word, from, to)| (word.to_owned(), from, to));
        Self {
            words: words.collect(),
            line: line.to_owned(),
        }
    }

    /// Characters before the first word.
    pub(super) fn indent(&self) -> usize {
        self.words.first().map_or(0, |(_, start, _)| *start)
    }

    /// The cells of a row, by the name of their column; empty ones are left out.
    pub(super) fn cells<'a>(&'a self, row: &'a str) -> Vec<(&'a str, &'a str)> {
        let spans = spans(row);
        let names = self.words.iter().map(|(word, _, _)| word.as_str());
        if spans.len() == self.words.len() && !self.stands_elsewhere(&spans) {
            return names.zip(spans.iter().map(|span| span.0)).collect();
        }
        if let Some(raw) = self.raw(row) {
            return names
                .zip(raw)
                .filter(|(_, cell)| !cell.is_empty())
                .collect();
        }
        // Where the padding was collapsed, places mean nothing, and an empty cell moves all that follow.
        let close =
            |pair: &[(&str, usize, usize)]| matches!(pair, [left, right] if left.2 + 1 == right.1);
        // The first gap may hold the glyphs of a tree.
        let mut gaps = spans.windows(2).skip(1);
        let collapsed = !self.line.contains("  ") && gaps.all(close);
        if collapsed && spans.iter().any(|span| self.at_edge(span).is_none()) {
            return names.zip(spans.iter().map(|span| span.0)).take(1).collect();
        }
        self.placed(row, &spans)
    }

    /// A row of `lsblk -r`: one space between cells, none in an empty one.
    fn raw<'a>(&self, row: &'a str) -> Option<Vec<&'a str>> {
        let cells: Vec<_> = row.split(' ').collect();
        let fits = !self.line.contains("  ") && cells.len() == self.words.len();
        fits.then_some(cells)
    }

    /// The column whose first or last character stands above that of a word.
    fn at_edge(&self, (_, from, to): &(&str, usize, usize)) -> Option<usize> {
        let mut columns = self.words.iter();
        columns.position(|(_, start, end)| from == start || to == end)
    }

    /// Whether the words stand below other columns than their order says: an empty cell, and a model of two words.
    fn stands_elsewhere(&self, spans: &[(&str, usize, usize)]) -> bool {
        let places: Vec<_> = spans.iter().map(|span| self.at_edge(span)).collect();
        let exact = places.iter().flatten().count();
        let differs = places.iter().enumerate();
        let differs = differs.filter(|(order, place)| place.is_some_and(|place| place != *order));
        exact + 2 >= spans.len() && differs.count() > 1
    }

    fn placed<'a>(
        &'a self,
        row: &'a str,
        spans: &[(&str, usize, usize)],
    ) -> Vec<(&'a str, &'a str)> {
        let mut cells: Vec<(&str, usize, usize)> = Vec::new();
        for span @ (_, from, to) in spans {
            let taken = |name: &str| cells.iter().any(|(known, _, _)| *known == name);
            let edge = self.at_edge(span).and_then(|at| self.words.get(at));
            let edge = edge.filter(|(name, _, _)| !taken(name));
            let column = edge.or_else(|| {
                let mut words = self.words.iter();
                words.find(|(_, start, end)| from < end && start < to)
            });
            let column = column.filter(|(name, _, _)| !taken(name));
            match (column, cells.last_mut()) {
                // One space before it: a further word of the same cell.
                (None, Some((_, _, end))) if edge.is_none() && *end + 1 == *from => *end = *to,
                (Some((name, _, _)), _) => cells.push((name, *from, *to)),
                (None, _) => {}
            }
        }
        let slice = |from: usize, to: usize| {
            let mut places = row.char_indices().map(|(at, _)| at).chain([row.len()]);
            let start = places.nth(from)?;
            let end = if to > from {
                places.nth(to - from - 1)?
            } else {
                start
            };
            row.get(start..end)
        };
        let cells = cells.into_iter();
        cells
            .filter_map(|(name, from, to)| Some((name, slice(from, to)?)))
            .collect()
    }
}

/// The words of a line with the character positions where they start and end.
fn spans(line: &str) -> Vec<(&str, usize, usize)> {
    let mut found = Vec::new();
    let (mut place, mut open) = (0, None);
    for (at, c) in line.char_indices() {
        if found.len() >= MOST_WORDS {
            return found;
        }
        match (c.is_whitespace(), open) {
            (false, None) => open = Some((at, place)),
            (true, Some((from, start))) => {
                found.push((line.get(from..at).unwrap_or_default(), start, place));
                open = None;
            }
            _ => {}
        }
        place += 1;
    }
    if let Some((from, start)) = open {
        found.push((line.get(from..).unwrap_or_default(), start, place));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_by_place_and_by_order() {
        let header = TableHeader::new("NAME      START  SIZE ALIGNMENT");
        assert_eq!(
            header.cells("loop0              3G         0"),
            [("NAME", "loop0"), ("SIZE", "3G"), ("ALIGNMENT", "0")]
        );
        assert_eq!(header.cells("a 1 2G 0").len(), 4);
        let models = TableHeader::new("NAME TYPE START ROTA MODEL");
        assert_eq!(
            models.cells("sda  disk          1 WDC WD10"),
            [
                ("NAME", "sda"),
                ("TYPE", "disk"),
                ("ROTA", "1"),
                ("MODEL", "WDC WD10")
            ]
        );
        let collapsed = TableHeader::new("NAME SIZE START PHY-SEC LOG-SEC");
        assert_eq!(collapsed.cells("sda1 100M 4096 512"), [("NAME", "sda1")]);
        let raw = TableHeader::new("NAME RM MOUNTPOINTS START");
        assert_eq!(raw.cells("sda 0  "), [("NAME", "sda"), ("RM", "0")]);
        assert_eq!(raw.cells("sda1 0  2048").last(), Some(&("START", "2048")));
    }
}
