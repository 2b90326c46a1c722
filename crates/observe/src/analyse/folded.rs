//! Rows of time in bounded number: when they overflow, neighbours are joined and the width doubles.

/// A row of counters.
pub trait Fold: Default + Clone {
    /// Adds the row that follows in time.
    fn fold(&mut self, later: &Self);
}

impl Fold for u64 {
    fn fold(&mut self, later: &Self) {
        *self = self.saturating_add(*later);
    }
}

/// Rows of equal width, from time 0 on.
#[derive(Clone, Debug)]
pub struct Folded<T> {
    rows: Vec<T>,
    width: u64,
    most: usize,
    /// The row that was used last: beginning, end, index.
    last: (u64, u64, usize),
}

impl<T: Fold> Folded<T> {
    /// Rows of `width`, `most` of them.
    pub fn new(width: u64, most: usize) -> Self {
        Self {
            rows: Vec::new(),
            width: width.max(1),
            most: most.max(2),
            last: (0, 0, 0),
        }
    }

    /// The present width of a row.
    pub const fn width(&self) -> u64 {
        self.width
    }

    /// The rows, up to the last one that was used.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// Whether `[start, end)` is within the row that was used last.
    #[inline]
    pub const fn holds(&self, start: u64, end: u64) -> bool {
        start >= self.last.0 && end <= self.last.1
    }

    /// The row of a time.
    #[inline]
    pub fn at(&mut self, time: u64) -> &mut T {
        if time < self.last.0 || time >= self.last.1 {
            self.find(time);
        }
        // `find` saw to it that the row is there.
        #[allow(clippy::indexing_slicing)]
        &mut self.rows[self.last.2]
    }

    fn find(&mut self, time: u64) {
        while time / self.width >= self.most as u64 && self.width < u64::MAX / 2 {
            self.double();
        }
        let index = usize::try_from(time / self.width).unwrap_or(self.most - 1);
        let index = index.min(self.most - 1);
        if index >= self.rows.len() {
            self.rows.resize(index + 1, T::default());
        }
        let start = index as u64 * self.width;
        self.last = (start, start.saturating_add(self.width), index);
    }

    fn double(&mut self) {
        let joined = self.rows.chunks(2).map(|pair| {
            let mut row = T::default();
            pair.iter().for_each(|one| row.fold(one));
            row
        });
        self.rows = joined.collect();
        self.width = self.width.saturating_mul(2);
        self.last = (0, 0, 0);
    }

    /// For every row that `[start, end)` overlaps, the row and how long.
    #[inline]
    pub fn spread(&mut self, start: u64, end: u64, mut add: impl FnMut(&mut T, u64)) {
        if self.holds(start, end) {
            return add(self.at(start), end.saturating_sub(start));
        }
        // The end first: it settles the width.
        self.at(end.saturating_sub(1).max(start));
        let mut from = start;
        while from < end {
            self.at(from);
            let until = self.last.1.min(end);
            add(self.at(from), until - from);
            from = until;
        }
    }

    /// The rows that end after `start` and not after `end`.
    pub fn crossed(&mut self, start: u64, end: u64, mut add: impl FnMut(&mut T)) {
        self.at(end);
        let index = |time: u64| usize::try_from(time / self.width).unwrap_or(usize::MAX);
        let (first, last) = (index(start), index(end).min(self.most - 1));
        if let Some(rows) = self.rows.get_mut(first..last) {
            rows.iter_mut().for_each(&mut add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_by_folding(spans in proptest::collection::vec((0..100_000_u64, 0..5000_u64), 1..200)) {
            let mut rows = Folded::<u64>::new(10, 16);
            for (start, len) in &spans {
                rows.spread(*start, start + len, |row, time| *row += time);
            }
            let width = rows.width();
            prop_assert!(rows.rows().len() <= 16);
            for (i, row) in rows.rows().iter().enumerate() {
                let (from, until) = (i as u64 * width, (i as u64 + 1) * width);
                let inside = |(start, len): &(u64, u64)| (start + len).min(until).saturating_sub(*start.max(&from));
                prop_assert_eq!(*row, spans.iter().map(inside).sum::<u64>());
            }
        }
    }
}
