//! One grid that is on all grids, or the honest answer which of them cannot be had together.
//!
//! Grids are taken in order of what being off them costs: first those off which nothing works, then
//! those that cost a read-modify-write, then preferences, each tier from the surest and finest on. What does not meet the
//! grids taken before it is given up, and the grid that it conflicts with is named.

use ioalign_core::grid::{meet, residue};
use ioalign_core::{Bytes, Confidence, GridSpec, Tier};

/// Nobody leaves a larger gap in front of the first partition for the sake of a preference.
pub const LARGEST_PERIOD: Bytes = Bytes::new(1 << 30);

/// Where something has to start: at `phase`, `phase + size`, … of the address space that is planned in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Distance of the boundaries; never zero.
    pub size: Bytes,
    /// The first boundary.
    pub phase: Bytes,
    /// What being off it costs.
    pub tier: Tier,
    /// How far it is believed.
    pub confidence: Confidence,
    /// What its cells are: `physical-block`, `full-stripe`.
    pub kind: String,
    /// Who says so.
    pub source: String,
}

impl Constraint {
    /// How far `address` lies past the boundary at or before it.
    pub fn remainder(&self, address: Bytes) -> Bytes {
        Bytes::new(residue(
            address.get(),
            self.phase.get(),
            self.size.get().max(1),
        ))
    }

    const fn period(&self) -> (u64, u64) {
        (self.size.get(), self.phase.get())
    }
}

/// A grid that the operator declares is believed.
impl From<GridSpec> for Constraint {
    fn from(grid: GridSpec) -> Self {
        Self {
            size: grid.size,
            phase: grid.phase,
            tier: grid.tier,
            confidence: Confidence::High,
            kind: grid.kind,
            source: grid.source,
        }
    }
}

/// A grid that could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The grid.
    pub constraint: Constraint,
    /// Index among the kept ones of the grid that it shares no boundary with; `None`: it meets each of
    /// them alone, and no boundary within reach is on all.
    pub against: Option<usize>,
    /// The boundaries that all share lie further apart than [`LARGEST_PERIOD`].
    pub too_far: bool,
}

/// The boundaries that the kept grids share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Their distance.
    pub period: Bytes,
    /// The first.
    pub phase: Bytes,
    /// The grids that they are on, in the order they were taken.
    pub kept: Vec<Constraint>,
    /// The grids that they are not on.
    pub given_up: Vec<GivenUp>,
}

impl Solution {
    /// The first shared boundary at or after `address`; `None` past 64 bits.
    pub fn at_or_after(&self, address: Bytes) -> Option<Bytes> {
        match self.past(address) {
            0 => Some(address),
            past => address.checked_add(Bytes::new(self.period.get() - past)),
        }
    }

    /// The last shared boundary at or before `address`; `None` before the first.
    pub fn at_or_before(&self, address: Bytes) -> Option<Bytes> {
        address.checked_sub(Bytes::new(self.past(address)))
    }

    /// The longest length up to `length` that keeps a following start on the boundaries.
    pub fn whole(&self, length: Bytes) -> Bytes {
        Bytes::new(length.get() - length.get() % self.period.get())
    }

    fn past(&self, address: Bytes) -> u64 {
        residue(address.get(), self.phase.get(), self.period.get())
    }

    fn take(&mut self, constraint: Constraint) {
        let mine = (self.period.get(), self.phase.get());
        let both = meet(mine, constraint.period());
        match both.filter(|(size, _)| *size <= LARGEST_PERIOD.get().max(mine.0)) {
            Some((size, phase)) => {
                (self.period, self.phase) = (Bytes::new(size), Bytes::new(phase));
                self.kept.push(constraint);
            }
            None => self.give_up(constraint, both.is_some()),
        }
    }

    fn give_up(&mut self, constraint: Constraint, too_far: bool) {
        let conflicts = |kept: &Constraint| meet(kept.period(), constraint.period()).is_none();
        let against = self.kept.iter().position(conflicts);
        self.given_up.push(GivenUp {
            constraint,
            against,
            too_far,
        });
    }
}

/// The boundaries that are on as many of these grids as can be had together, the dearest first.
pub fn solve(mut constraints: Vec<Constraint>) -> Solution {
    constraints.retain(|constraint| !constraint.size.is_zero());
    // Surest first within a tier: `Confidence` is ordered from low to high.
    constraints.sort_by_key(|c| (c.tier, std::cmp::Reverse(c.confidence), c.size));
    let mut solution = Solution {
        period: Bytes::new(1),
        phase: Bytes::new(0),
        kept: Vec::new(),
        given_up: Vec::new(),
    };
    for constraint in constraints {
        solution.take(constraint);
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(size: u64, phase: u64, tier: Tier) -> Constraint {
        Constraint {
            size: Bytes::new(size),
            phase: Bytes::new(phase),
            tier,
            confidence: Confidence::High,
            kind: "test".to_owned(),
            source: String::new(),
        }
    }

    #[test]
    fn a_stripe_of_three_disks_and_the_mebibyte_habit_share_three_mebibytes() {
        let solution = solve(vec![
            grid(1 << 20, 0, Tier::Preference),
            grid(192 << 10, 0, Tier::Preference),
            grid(4096, 0, Tier::Rmw),
        ]);
        assert_eq!(solution.period, Bytes::new(3 << 20));
        assert!(solution.given_up.is_empty());
        assert_eq!(
            solution.at_or_after(Bytes::new(1 << 20)),
            Some(Bytes::new(3 << 20))
        );
        assert_eq!(
            solution.at_or_before(Bytes::new(7 << 20)),
            Some(Bytes::new(6 << 20))
        );
    }

    #[test]
    fn a_jumpered_drive_and_the_mebibyte_habit_cannot_both_be_had() {
        // Boundaries at 7 mod 8 sectors against starts at whole mebibytes.
        let solution = solve(vec![
            grid(1 << 20, 0, Tier::Preference),
            grid(4096, 3584, Tier::Rmw),
        ]);
        assert_eq!(
            (solution.period, solution.phase),
            (Bytes::new(4096), Bytes::new(3584))
        );
        let lost = solution.given_up.first().unwrap();
        assert_eq!(lost.constraint.size, Bytes::new(1 << 20));
        assert_eq!((lost.against, lost.too_far), (Some(0), false));
    }

    #[test]
    fn within_a_tier_the_surest_grid_is_kept() {
        let sure = grid(4096, 3584, Tier::Rmw);
        for confidence in [Confidence::Low, Confidence::Medium] {
            // Of the same size, finer, and coarser than the sure one: the size decides only among equals.
            for size in [1024, 4096, 16384] {
                let doubtful = Constraint {
                    confidence,
                    ..grid(size, 0, Tier::Rmw)
                };
                let solution = solve(vec![doubtful.clone(), sure.clone()]);
                assert_eq!(solution.kept, vec![sure.clone()]);
                assert_eq!(solution.given_up.first().unwrap().constraint, doubtful);
            }
        }
    }

    #[test]
    fn a_preference_a_terabyte_away_is_given_up() {
        let solution = solve(vec![
            grid(4096, 0, Tier::Rmw),
            grid((1 << 30) - 4096, 0, Tier::Preference),
            grid(1 << 29, 0, Tier::Preference),
        ]);
        assert_eq!(solution.period, Bytes::new(1 << 29));
        assert!(solution.given_up.first().unwrap().too_far);
    }
}
