//! A set of byte ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges that neither overlap nor touch: start to end.
#[derive(Clone, Debug, Default)]
pub struct ByteRanges(BTreeMap<u64, u64>);

impl ByteRanges {
    /// Adds a range.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let Range { mut start, mut end } = range;
        while let Some((from, to)) = self.last_before(end + 1) {
            if to < start {
                break;
            }
            self.0.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.0.insert(start, end);
    }

    /// Cuts a range where it enters or leaves the set: pieces in order, and whether each one is inside.
    pub fn pieces(
        &self,
        range: Range<u64>,
        mut each: impl FnMut(Range<u64>, bool) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let Range { start: mut at, end } = range;
        while at < end {
            let inside = self.last_before(at + 1).filter(|(_, to)| *to > at);
            let stop = match inside {
                Some((_, to)) => to.min(end),
                None => self.0.range(at..end).next().map_or(end, |(from, _)| *from),
            };
            each(at..stop, inside.is_some())?;
            at = stop;
        }
        Ok(())
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn last_before(&self, place: u64) -> Option<(u64, u64)> {
        let last = self.0.range(..place).next_back();
        last.map(|(from, to)| (*from, *to))
    }
}

#[cfg(test)]
// Numbers up to 400.
#[allow(clippy::cast_possible_truncation)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_was_inserted(all in prop::collection::vec((0_u64..200, 0_u64..40), 0..20), asked in (0_u64..200, 0_u64..100)) {
            let mut set = ByteRanges::default();
            let mut bytes = [false; 400];
            for (at, len) in all {
                set.insert(at..at + len);
                bytes[at as usize..(at + len) as usize].fill(true);
            }
            let mut next = asked.0;
            let mut last = None;
            set.pieces(asked.0..asked.0 + asked.1, |piece, inside| {
                assert_eq!(piece.start, next);
                assert!(piece.start < piece.end && last != Some(inside));
                assert!(bytes[piece.start as usize..piece.end as usize].iter().all(|one| *one == inside));
                (next, last) = (piece.end, Some(inside));
                Ok(())
            }).unwrap();
            prop_assert_eq!(next, asked.0 + asked.1);
        }
    }
}
