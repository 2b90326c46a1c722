//! Rows that do not parse: counted, and the first ones kept to be shown. Never dropped in silence.

/// The number of rows that are shown.
const SHOWN: usize = 5;
/// So much of each.
const SHOWN_BYTES: usize = 120;

/// A row that did not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRecord {
    /// Its line in the text, counted from 1, or its byte offset in a binary trace; within the chunk
    /// while it is parsed, within the file afterwards.
    pub place: u64,
    /// Its beginning.
    pub text: String,
    /// Its defect.
    pub why: &'static str,
}

/// All rows that did not parse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub rows: u64,
    /// The first of them.
    pub first: Vec<SkippedRecord>,
}

impl Skipped {
    /// Counts one.
    #[cold]
    pub fn add(&mut self, place: u64, row: &[u8], why: &'static str) {
        self.rows += 1;
        if self.first.len() < SHOWN {
            let shown = row.get(..SHOWN_BYTES.min(row.len())).unwrap_or_default();
            let text = String::from_utf8_lossy(shown)
                .chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c })
                .collect();
            self.first.push(SkippedRecord { place, text, why });
        }
    }

    /// Adds those of a later chunk that begins at `place`.
    pub fn merge(&mut self, later: Self, place: u64) {
        self.rows += later.rows;
        let room = SHOWN.saturating_sub(self.first.len());
        self.first
            .extend(later.first.into_iter().take(room).map(|mut row| {
                row.place += place;
                row
            }));
    }
}
