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
