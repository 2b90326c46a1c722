//! Tables with a line of headings, whose cells stand under or beside their heading.
//!
//! A cell touches the span of its heading: text begins where the heading begins, a number ends where
//! it ends. An element of a list that touches no heading continues the cell before it. Where a paste has
//! lost its spaces, rows of as many words as there are headings are still read by their order.

use std::collections::BTreeMap;

/// A heading with the columns of the screen that it covers.
struct Heading {
    name: String,
    start: usize,
    end: usize,
}

/// The headings of a table.
pub(crate) struct TableColumns {
    headings: Vec<Heading>,
}

/// A word with its place on the screen, in characters.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let (mut column, mut begun) = (0, None);
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (c.is_whitespace(), begun) {
            (false, None) => begun = Some((at, column)),
            (true, Some((from, start))) => {
                let text = line.get(from..at).unwrap_or_default();
                let end = column;
                found.push(Word { text, start, end });
                begun = None;
            }
            _ => {}
        }
        column = if c == '\t' {
            (column / 8 + 1) * 8
        } else {
            column + 1
        };
    }
    found
}

impl TableColumns {
    /// Reads a line of headings; `long` are those of several words, the longest first.
    pub fn new(line: &str, long: &[&str]) -> Self {
        let words = words(line);
        let mut headings = Vec::new();
        let mut rest = words.as_slice();
        while let Some(first) = rest.first() {
            let taken = long.iter().find_map(|name| matching(rest, name));
            let count = taken.unwrap_or(1);
            let (these, others) = rest.split_at(count.min(rest.len()));
            let name: Vec<_> = these.iter().map(|word| word.text).collect();
            headings.push(Heading {
                name: name.join(" "),
                start: first.start,
                end: these.last().map_or(first.end, |word| word.end),
            });
            rest = others;
        }
        Self { headings }
    }

    /// Whether there is such a heading.
    pub fn has(&self, name: &str) -> bool {
        self.headings.iter().any(|heading| heading.name == name)
    }

    /// The cells of a row by heading. Cells that are empty are missing.
    pub fn row(&self, line: &str) -> BTreeMap<&str, String> {
        let words = words(line);
        match self.by_place(&words) {
            Some(row) => row,
            None => self.by_order(&words),
        }
    }

    /// `None` when a word stands at no heading that is not of a list, or two stand at one.
    fn by_place(&self, words: &[Word<'_>]) -> Option<BTreeMap<&str, String>> {
        let mut row: BTreeMap<&str, String> = BTreeMap::new();
        let mut last: Option<&str> = None;
        for word in words {
            let touched = self.touched(word);
            match touched {
                Some(heading) if last == Some(&heading.name) && !listed(word) => return None,
                Some(heading) if last != Some(&heading.name) => {
                    last = Some(&heading.name);
                    row.insert(&heading.name, word.text.to_owned());
                }
                None if !listed(word) => return None,
                _ => {
                    let cell = row.get_mut(last?)?;
                    cell.push(' ');
                    cell.push_str(word.text);
                }
            }
        }
        Some(row)
    }

    /// The heading that a word stands at; a number may end one column beyond (`dmsetup info -c`).
    fn touched(&self, word: &Word<'_>) -> Option<&Heading> {
        let within = |slack: usize| {
            self.headings
                .iter()
                .find(|head| word.start < head.end + slack && head.start < word.end)
        };
        within(0).or_else(|| within(1))
    }

    fn by_order(&self, words: &[Word<'_>]) -> BTreeMap<&str, String> {
        if words.len() != self.headings.len() {
            return BTreeMap::new();
        }
        let names = self.headings.iter().map(|heading| heading.name.as_str());
        let texts = words.iter().map(|word| word.text.to_owned());
        names.zip(texts).collect()
    }
}

/// How many words `name` takes when the line goes on with it.
fn matching(words: &[Word<'_>], name: &str) -> Option<usize> {
    let parts: Vec<_> = name.split(' ').collect();
    let here = words.get(..parts.len())?;
    let same = here.iter().map(|word| word.text).eq(parts.iter().copied());
    same.then_some(parts.len())
}

/// An element of a list that may stand below a wide heading: `/dev/sda:0-3`.
fn listed(word: &Word<'_>) -> bool {
    word.text.contains([':', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &[&str] = &["1st PE", "PE Ranges"];

    #[test]
    fn empty_cells_and_lists_are_told_apart() {
        let head = "  LV    VG Attr       LSize Pool Origin PE Ranges                 #Str";
        let line = "  frozen vg swi      16777B      striped /dev/vda:0-3 /dev/vdb:0-3   1";
        let columns = TableColumns::new(head, LONG);
        let row = columns.row(line);
        assert_eq!(
            row.get("PE Ranges").map(String::as_str),
            Some("/dev/vda:0-3 /dev/vdb:0-3")
        );
        assert_eq!(row.get("Pool"), None);
        assert_eq!(row.get("Origin").map(String::as_str), Some("striped"));
        assert_eq!(row.get("#Str").map(String::as_str), Some("1"));
    }

    #[test]
    fn squeezed_rows_go_by_order() {
        let columns = TableColumns::new("PV VG Fmt 1st PE", LONG);
        let row = columns.row("/dev/mapper/something-long vg lvm2 2048S");
        assert_eq!(row.get("1st PE").map(String::as_str), Some("2048S"));
        assert!(columns.row("some other line of prose here").is_empty());
    }
}
