//! Where bytes are after moves.

use std::ops::Range;

use super::{Arrival, Moved};

/// Where bytes are after the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Where they were: no partition that moves has them.
    Stay,
    /// There, with their partition.
    Go(u64),
    /// Some here, some there; or in a file system whose files go to other places.
    Torn,
}

/// Where a range is after moves.
pub fn fate(moved: &[Moved], range: &Range<u64>) -> Fate {
    for one in moved {
        let end = one.from.saturating_add(one.bytes);
        if range.end <= one.from || end <= range.start {
            continue;
        }
        let inside = one.from <= range.start && range.end <= end && one.arrival != Arrival::LaidOut;
        let there = one.to.checked_add(range.start.saturating_sub(one.from));
        return there.filter(|_| inside).map_or(Fate::Torn, Fate::Go);
    }
    Fate::Stay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_goes_with_its_partition_or_is_torn() {
        let moved = [Moved {
            number: 1,
            from: 1000,
            to: 4000,
            bytes: 100,
            arrival: Arrival::Same,
        }];
        assert_eq!(fate(&moved, &(1000..1100)), Fate::Go(4000));
        assert_eq!(fate(&moved, &(1010..1020)), Fate::Go(4010));
        assert_eq!(fate(&moved, &(990..1000)), Fate::Stay);
        assert_eq!(fate(&moved, &(1100..1101)), Fate::Stay);
        assert_eq!(fate(&moved, &(990..1010)), Fate::Torn);
        let laid = moved.map(|one| Moved {
            arrival: Arrival::LaidOut,
            ..one
        });
        assert_eq!(fate(&laid, &(1010..1020)), Fate::Torn);
        assert_eq!(fate(&laid, &(1100..1101)), Fate::Stay);
    }
}
