//! All geometries that are considered: units, columns, orders of chunks.

use super::layout::{ChunkOrder, SharedDisk};
use crate::stats::real;

/// The smallest unit.
pub(super) const LEAST_UNIT: u64 = 4096;
/// The largest unit.
pub(super) const MOST_UNIT: u64 = 4 << 20;
/// A unit is one of these times a power of two; what each costs in the logarithm of a probability.
const ODD: [(u64, f64); 8] = [
    (1, 0.0),
    (3, 1.0),
    (5, 6.0),
    (7, 6.0),
    (9, 6.0),
    (11, 6.0),
    (13, 6.0),
    (15, 6.0),
];
/// The same of a layout that is not a plain turn.
const RARE: f64 = 2.0;

/// One geometry.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct StripeHypothesis {
    pub(super) unit: u64,
    pub(super) columns: u64,
    /// Logarithm of its probability before anything is measured.
    pub(super) prior: f64,
    /// Whether it repeats itself often enough on the device to be checked. The others are there so that none is taken for another.
    pub(super) fits: bool,
    layout: usize,
}

impl StripeHypothesis {
    /// Whether both have the same unit and columns: other orders of chunks are no other grid.
    pub(super) fn is_grid_of(&self, other: &Self) -> bool {
        (self.unit, self.columns) == (other.unit, other.columns)
    }
}

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct StripeFamily {
    pub(super) all: Vec<StripeHypothesis>,
    layouts: Vec<SharedDisk>,
}

impl StripeFamily {
    /// Those that may lie on a device of this size.
    pub(super) fn new(size: u64) -> Self {
        let (mut all, mut layouts) = (Vec::new(), Vec::new());
        for order in ChunkOrder::ALL {
            let rare = if order == ChunkOrder::Turn { 0.0 } else { RARE };
            for columns in order.columns() {
                let shared = SharedDisk::new(order, columns);
                let most = (size / columns).min(MOST_UNIT);
                let longest = size / 4 / shared.period();
                all.extend(units(most).map(|(unit, odd)| StripeHypothesis {
                    unit,
                    columns,
                    prior: -rare - odd,
                    fits: unit <= longest,
                    layout: layouts.len(),
                }));
                layouts.push(shared);
            }
        }
        Self { all, layouts }
    }

    /// The share of pairs at this distance, at any place, that lie on one disk.
    #[inline]
    pub(super) fn share(&self, one: &StripeHypothesis, distance: u64) -> f64 {
        let Some(shared) = self.layouts.get(one.layout) else {
            return 0.0;
        };
        let (chunks, past) = (distance / one.unit, distance % one.unit);
        let past = real(past) / real(one.unit);
        shared.at(chunks) * (1.0 - past) + shared.at(chunks + 1) * past
    }

    /// Bytes after which a geometry repeats itself.
    pub(super) fn turn(&self, one: &StripeHypothesis) -> u64 {
        let layout = self.layouts.get(one.layout);
        one.unit * layout.map_or(1, SharedDisk::period)
    }
}

/// Units up to this size.
fn units(most: u64) -> impl Iterator<Item = (u64, f64)> {
    ODD.into_iter().flat_map(move |(odd, cost)| {
        let sizes = (9..=22).map(move |power| odd << power);
        let fits = move |unit: &u64| (LEAST_UNIT..=most).contains(unit);
        sizes.filter(fits).map(move |unit| (unit, cost))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_triangles_around_the_period() {
        let family = StripeFamily::new(1 << 30);
        let find = |unit: u64, columns: u64| {
            let mut all = family.all.iter();
            *all.find(|one| (one.unit, one.columns) == (unit, columns))
                .unwrap()
        };
        let four = find(65536, 4);
        let share = |distance: u64| family.share(&four, distance);
        assert_eq!(share(0), 1.0);
        assert_eq!(share(16384), 0.75);
        assert_eq!(share(65536), 0.0);
        assert_eq!(share(4 * 65536 - 32768), 0.5);
        assert_eq!(share((4 * 1000 + 1) * 65536 - 16384), 0.25);
        assert!(family.all.iter().any(|one| one.unit == 3 * 65536));
    }
}
