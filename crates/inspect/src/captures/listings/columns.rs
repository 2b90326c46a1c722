//! Tables with a header line: which word of a row stands below which word of the header.
//!
//! Programs pad with spaces; people collapse them. A row with as many words as the header is read in
//! order, any other by position, where a cell ends or starts where its header does.

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
        if spans.len() == self.words.len() {
            return names.zip(spans.iter().map(|span| span.0)).collect();
        }
        if let Some(raw) = self.raw(row) {
            return names
                .zip(raw)
                .filter(|(_, cell)| !cell.is_empty())
                .collect();
        }
        self.placed(&spans)
    }

    /// A row of `lsblk -r`: one space between cells, none in an empty one.
    fn raw<'a>(&self, row: &'a str) -> Option<Vec<&'a str>> {
        let cells: Vec<_> = row.split(' ').collect();
        let fits = !self.line.contains("  ") && cells.len() == self.words.len();
        fits.then_some(cells)
    }

    fn placed<'a>(&'a self, spans: &[(&'a str, usize, usize)]) -> Vec<(&'a str, &'a str)> {
        let mut cells: Vec<(&str, &str)> = Vec::new();
        for (cell, from, to) in spans {
            let column = self
                .words
                .iter()
                .find(|(_, start, end)| from == start || to == end)
                .or_else(|| {
                    self.words
                        .iter()
                        .find(|(_, start, end)| from < end && start < to)
                });
            let taken = |name: &str| cells.iter().any(|(known, _)| *known == name);
            if let Some((name, _, _)) = column.filter(|(name, _, _)| !taken(name)) {
                cells.push((name, cell));
            }
        }
        cells
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
        let raw = TableHeader::new("NAME RM MOUNTPOINTS START");
        assert_eq!(raw.cells("sda 0  "), [("NAME", "sda"), ("RM", "0")]);
        assert_eq!(raw.cells("sda1 0  2048").last(), Some(&("START", "2048")));
    }
}
