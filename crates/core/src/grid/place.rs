//! Where something should start: the boundaries that as many claims as can be had together share.
//!
//! Every verb asks here: `check` for its good start, `plan` for its layout, `fix` for the destination of a move.
//! Claims are taken in order of what being off them costs: first those off which nothing works, then those that
//! cost a read-modify-write, then preferences; in each tier what is stated before what is assumed, and the surest and
//! finest first. A claim that shares no boundary with those taken before it is given up, and the claim that it
//! conflicts with is named.

use std::cmp::Reverse;

use super::{Boundaries, GridClaim, Origin};
use crate::units::Bytes;

/// Boundaries further apart than this are not asked for: no preference is worth a larger gap in front of the first
/// partition.
pub const LARGEST_PERIOD: u64 = 1 << 30;

/// The boundaries that the kept claims share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Good starts.
    pub starts: Boundaries,
    /// The claims that they are on, in the order they were taken.
    pub kept: Vec<GridClaim>,
    /// The claims that they are not on.
    pub given_up: Vec<GivenUp>,
}

/// A claim that could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The claim.
    pub claim: GridClaim,
    /// Index among the kept ones of the claim that it shares no boundary with; `None`: it meets each of
    /// them alone, and no boundary within reach is on all.
    pub against: Option<usize>,
    /// The boundaries that all share lie further apart than [`LARGEST_PERIOD`].
    pub too_far: bool,
}

/// The boundaries that are on as many of these claims as can be had together, the dearest first.
pub fn solve(claims: Vec<GridClaim>) -> Solution {
    let solution = Solution {
        starts: Boundaries::ANY,
        kept: Vec::new(),
        given_up: Vec::new(),
    };
    solution.and(claims)
}

impl Solution {
    /// Those of these boundaries that are on further claims as well, which matter less than those before.
    #[must_use]
    pub fn and(mut self, mut claims: Vec<GridClaim>) -> Self {
        claims.retain(|claim| !claim.size.is_zero());
        claims.sort_by_key(|claim| {
            let is_assumed = claim.origin == Origin::Assumed;
            // `Confidence` is ordered from low to high.
            (
                claim.tier,
                is_assumed,
                Reverse(claim.confidence),
                claim.size,
            )
        });
        for claim in claims {
            self.take(claim);
        }
        self
    }

    fn take(&mut self, claim: GridClaim) {
        match self.starts.shared_near(claim.boundaries()) {
            Some(starts) => {
                self.starts = starts;
                self.kept.push(claim);
            }
            None => self.give_up(claim),
        }
    }

    fn give_up(&mut self, claim: GridClaim) {
        let own = claim.boundaries();
        let conflicts = |kept: &GridClaim| kept.boundaries().shared(own).is_none();
        self.given_up.push(GivenUp {
            against: self.kept.iter().position(conflicts),
            too_far: self.starts.shared(own).is_some(),
            claim,
        });
    }

    /// The distance of good starts.
    pub const fn period(&self) -> Bytes {
        Bytes::new(self.starts.period)
    }

    /// The first good start.
    pub const fn phase(&self) -> Bytes {
        Bytes::new(self.starts.phase)
    }

    /// The first good start at or after `address`; `None` past 64 bits.
    pub fn at_or_after(&self, address: Bytes) -> Option<Bytes> {
        self.starts.at_or_after(address.get()).map(Bytes::new)
    }

    /// The last good start at or before `address`; `None` before the first.
    pub fn at_or_before(&self, address: Bytes) -> Option<Bytes> {
        self.starts.at_or_before(address.get()).map(Bytes::new)
    }
}

impl Boundaries {
    /// Those that are also among others, as long as they are no further apart than [`LARGEST_PERIOD`] or than these
    /// are already.
    pub fn shared_near(self, other: Self) -> Option<Self> {
        let near = |both: &Self| both.period <= LARGEST_PERIOD.max(self.period);
        self.shared(other).filter(near)
    }

    /// Those that are multiples of `habit`, or else as far from one as the first of them is; `None` where neither is
    /// within reach.
    pub fn by_habit(self, habit: u64) -> Option<Self> {
        let with = |phase| {
            self.shared_near(Self {
                period: habit.max(1),
                phase,
            })
        };
        with(0).or_else(|| with(self.phase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Confidence, Tier};

    fn grid(size: u64, phase: u64, tier: Tier) -> GridClaim {
        GridClaim::new(Bytes::new(size), Bytes::new(phase), tier, "test").unwrap()
    }

    #[test]
    fn a_stripe_of_three_disks_and_the_mebibyte_habit_share_three_mebibytes() {
        let solution = solve(vec![
            grid(1 << 20, 0, Tier::Preference),
            grid(192 << 10, 0, Tier::Preference),
            grid(4096, 0, Tier::Rmw),
        ]);
        assert_eq!(solution.period(), Bytes::new(3 << 20));
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
        let boundaries = |period, phase| Boundaries { period, phase };
        assert_eq!(solution.starts, boundaries(4096, 3584));
        let lost = solution.given_up.first().unwrap();
        assert_eq!(lost.claim.size, Bytes::new(1 << 20));
        assert_eq!((lost.against, lost.too_far), (Some(0), false));
        assert_eq!(
            (solution.period(), solution.phase()),
            (Bytes::new(4096), Bytes::new(3584))
        );
        // As far from a mebibyte as makes up for it.
        assert_eq!(
            solution.starts.by_habit(1 << 20),
            Some(boundaries(1 << 20, 3584))
        );
    }

    #[test]
    fn within_a_tier_the_surest_grid_is_kept() {
        let sure = grid(4096, 3584, Tier::Rmw);
        for confidence in [Confidence::Low, Confidence::Medium] {
            // Of the same size, finer, and coarser than the sure one: the size decides only among equals.
            for size in [1024, 4096, 16384] {
                let doubtful = GridClaim {
                    confidence,
                    ..grid(size, 0, Tier::Rmw)
                };
                let solution = solve(vec![doubtful.clone(), sure.clone()]);
                assert_eq!(solution.kept, vec![sure.clone()]);
                assert_eq!(solution.given_up.first().unwrap().claim, doubtful);
            }
        }
    }

    #[test]
    fn what_is_stated_comes_before_what_is_assumed() {
        let claim = |phase, origin, confidence| {
            grid(4096, phase, Tier::Rmw).from(origin, "test", confidence)
        };
        let assumed = claim(0, Origin::Assumed, Confidence::Medium);
        let reported = claim(3584, Origin::Reported, Confidence::Low);
        let solution = solve(vec![assumed.clone(), reported.clone()]);
        assert_eq!(solution.kept, [reported]);
        assert_eq!(solution.given_up[0].claim, assumed);
    }

    #[test]
    fn a_preference_a_terabyte_away_is_given_up() {
        let solution = solve(vec![
            grid(4096, 0, Tier::Rmw),
            grid((1 << 30) - 4096, 0, Tier::Preference),
            grid(1 << 29, 0, Tier::Preference),
        ]);
        assert_eq!(solution.period(), Bytes::new(1 << 29));
        assert!(solution.given_up.first().unwrap().too_far);
    }
}
