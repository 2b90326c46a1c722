//! Records in time order, for any order in the file.
//!
//! Per-CPU buffers that were joined, and events of several files, are out of order by a little.
//! A trace that is in order passes through untouched; from the first record that is not, records
//! are held back and sorted.

use crate::record::TraceRecord;

/// Records held back once a trace proves to be out of order.
const HELD: usize = 1 << 17;

/// Puts records in order.
#[derive(Debug, Default)]
pub struct RecordOrder {
    held: Vec<TraceRecord>,
    mixed: bool,
    last: Option<i64>,
    /// Records that came too late to be put in their place.
    pub late: u64,
}

impl RecordOrder {
    /// Whether I/Os of these times go straight on: they follow each other, and nothing is held.
    pub fn passes(&mut self, times: &[i64]) -> bool {
        let after = times.first().copied() >= self.last || times.is_empty();
        let passes = !self.mixed && after && times.is_sorted();
        if passes {
            self.last = times.last().copied().max(self.last);
        }
        passes
    }

    /// Takes records in file order; `emit` gets those whose turn it is.
    pub fn push(&mut self, rows: &[TraceRecord], emit: &mut dyn FnMut(&[TraceRecord])) {
        if !self.mixed && self.in_order(rows) {
            self.give(rows, emit);
            return;
        }
        self.mixed = true;
        self.held.extend_from_slice(rows);
        if self.held.len() >= HELD {
            self.sort();
            let rest = self.held.split_off(self.held.len() - HELD / 2);
            let ready = std::mem::replace(&mut self.held, rest);
            self.give(&ready, emit);
        }
    }

    /// The records that are still held.
    pub fn finish(&mut self, emit: &mut dyn FnMut(&[TraceRecord])) {
        self.sort();
        let ready = std::mem::take(&mut self.held);
        self.give(&ready, emit);
    }

    fn in_order(&self, rows: &[TraceRecord]) -> bool {
        let after = rows.is_empty() || rows.first().map(|row| row.io.time) >= self.last;
        after && rows.is_sorted_by_key(|row| row.io.time)
    }

    fn sort(&mut self) {
        // Stable, so that what happened in the same nanosecond stays in file order.
        self.held.sort_by_key(|row| row.io.time);
    }

    fn give(&mut self, rows: &[TraceRecord], emit: &mut dyn FnMut(&[TraceRecord])) {
        if let Some(last) = self.last {
            self.late += rows.iter().take_while(|row| row.io.time < last).count() as u64;
        }
        self.last = rows.last().map(|row| row.io.time).max(self.last);
        emit(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i64) -> TraceRecord {
        let mut record = TraceRecord::default();
        record.io.time = time;
        record
    }

    fn ordered(chunks: &[&[i64]]) -> (Vec<i64>, u64) {
        let mut order = RecordOrder::default();
        let mut out = Vec::new();
        let mut emit = |rows: &[TraceRecord]| out.extend(rows.iter().map(|row| row.io.time));
        for chunk in chunks {
            let rows: Vec<_> = chunk.iter().copied().map(at).collect();
            order.push(&rows, &mut emit);
        }
        order.finish(&mut emit);
        (out, order.late)
    }

    #[test]
    fn order_is_kept_or_made() {
        assert_eq!(ordered(&[&[1, 2], &[2, 3]]), (vec![1, 2, 2, 3], 0));
        assert_eq!(ordered(&[&[1, 5], &[6, 4], &[7]]), (vec![1, 5, 4, 6, 7], 1));
        assert_eq!(ordered(&[&[3, 1, 2]]), (vec![1, 2, 3], 0));
    }
}
