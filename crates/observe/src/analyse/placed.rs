//! A grid in the addresses of a device: its own, or one of a layer below that a plain shift reaches.

use std::sync::Arc;

use ioalign_core::profile::GridProfile;
use ioalign_core::{GridClaim, Origin, Tier};

use super::cells::GridCells;

/// A grid, and where the device's first byte lies in its address space.
#[derive(Clone, Debug)]
pub struct PlacedGrid {
    /// The grid.
    pub spec: GridClaim,
    /// The layer below that it belongs to, if any.
    pub layer: Option<Arc<str>>,
    /// The address of the device's first byte there.
    pub start: u64,
}

impl PlacedGrid {
    /// A grid in the device's own addresses.
    pub const fn own(spec: GridClaim) -> Self {
        Self {
            spec,
            layer: None,
            start: 0,
        }
    }

    /// The cells, in the device's addresses.
    pub fn cells(&self) -> GridCells {
        let size = self.spec.size.get().max(1);
        let (phase, start) = (self.spec.phase.get() % size, self.start % size);
        GridCells::new(
            size,
            if phase >= start {
                phase - start
            } else {
                size - (start - phase)
            },
        )
    }

    /// The part of the profile about the grid itself.
    pub fn profile(&self) -> GridProfile {
        GridProfile {
            layer: self.layer.as_deref().map(str::to_owned),
            kind: self.spec.kind.to_string(),
            size_bytes: self.spec.size.get(),
            phase_bytes: self.spec.phase.get(),
            tier: tier(self.spec.tier).to_owned(),
            declared: self.layer.is_none() && self.spec.origin == Origin::Declared,
            ..GridProfile::default()
        }
    }
}

/// As the profile names it.
pub const fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Validity => "validity",
        Tier::Rmw => "rmw",
        Tier::Preference => "preference",
    }
}
