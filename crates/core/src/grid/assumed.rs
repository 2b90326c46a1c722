//! What is assumed where nothing is stated.

use super::{Confidence, Grid, GridClaim, GridKind, Origin, Tier};
use crate::layer_id::LayerId;
use crate::units::Bytes;

/// The grids of a target that carries no topology of its own.
pub fn assumed(layer: LayerId) -> [Grid; 3] {
    [
        GridClaim {
            source: "assumed: nearly every disk since 2011".to_owned(),
            ..GridClaim::assumed_block()
        },
        guess(
            64 << 10,
            GridKind::StripeUnit,
            "assumed: common array element",
        ),
        guess(
            1 << 20,
            GridKind::Habit,
            "assumed: every partitioner's default",
        ),
    ]
    .map(|claim| claim.on(layer))
}

fn guess(size: u64, kind: GridKind, source: &str) -> GridClaim {
    GridClaim {
        size: Bytes::new(size),
        tier: Tier::Preference,
        kind,
        confidence: Confidence::Low,
        source: source.to_owned(),
        ..GridClaim::assumed_block()
    }
}

impl GridClaim {
    /// The block that nearly every disk has had since 2011, where nothing is known.
    pub fn assumed_block() -> Self {
        Self {
            size: Bytes::new(4096),
            phase: Bytes::ZERO,
            tier: Tier::Rmw,
            kind: GridKind::PhysicalBlock,
            origin: Origin::Assumed,
            confidence: Confidence::Medium,
            source: "assumed".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_an_array_element_and_the_mebibyte_are_assumed() {
        let grids = assumed(LayerId(3));
        let shown = grids.each_ref().map(|grid| {
            assert_eq!((grid.layer, grid.phase), (LayerId(3), Bytes::ZERO));
            assert_eq!(grid.origin, Origin::Assumed);
            (
                grid.size.get(),
                grid.tier,
                grid.kind.name(),
                grid.confidence,
            )
        });
        assert_eq!(
            shown,
            [
                (4096, Tier::Rmw, "physical-block", Confidence::Medium),
                (65536, Tier::Preference, "stripe-unit", Confidence::Low),
                (1_048_576, Tier::Preference, "habit", Confidence::Low),
            ]
        );
        let mut reasons = grids
            .iter()
            .map(|grid| grid.source.strip_prefix("assumed: "));
        assert!(reasons.all(|reason| reason.is_some()));
    }
}
