//! What somebody says of the boundaries in an address space.

use serde::Serialize;

use super::{Boundaries, Grid, GridKind};
use crate::layer_id::LayerId;
use crate::units::Bytes;

/// The consequence for I/O off the grid.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Logical sector: off it, I/O fails, or nothing boots, mounts or joins.
    Validity,
    /// Physical block, indirection unit, volume block: a partial write is read-modify-write.
    Rmw,
    /// Stripe element, full stripe, optimal I/O size, erase block: crossing costs more.
    Preference,
}

/// How far a grid is to be believed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A guess, or a hint that many devices get wrong.
    Low,
    /// Usual, or reported by a device of a kind that is mostly right.
    Medium,
    /// Written on disk, declared by the operator, or measured.
    High,
}

/// Where a grid comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Nothing said so: the default set for targets without a topology.
    Assumed,
    /// The operator said so (`--grid`, `--profile-grid`).
    Declared,
    /// The device or kernel reports it.
    Reported,
    /// Read from metadata on disk (md chunk, thin chunk, cluster size).
    OnDisk,
    /// From a table of known devices.
    Table,
}

/// Boundaries at `phase`, `phase + size`, `phase + 2 × size`, …, and who says so. In which address space they lie
/// is known to whoever holds the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridClaim {
    /// Distance between boundaries; never zero. Need not be a power of two.
    pub size: Bytes,
    /// The first boundary at or after address 0; less than `size`.
    pub phase: Bytes,
    /// What being off it costs.
    pub tier: Tier,
    /// What the cells are.
    pub kind: GridKind,
    /// Who says so.
    pub origin: Origin,
    /// How far it is believed.
    pub confidence: Confidence,
    /// Who says so, in words: `sysfs physical_block_size`, `md superblock`, `--grid 4k`.
    pub source: String,
}

impl GridClaim {
    /// A claim that is read from metadata on disk; `None` when `size` is zero. The phase is reduced modulo the size.
    pub fn new(size: Bytes, phase: Bytes, tier: Tier, kind: impl Into<GridKind>) -> Option<Self> {
        let phase = phase.get().checked_rem(size.get())?;
        Some(Self {
            size,
            phase: Bytes::new(phase),
            tier,
            kind: kind.into(),
            origin: Origin::OnDisk,
            confidence: Confidence::High,
            source: String::new(),
        })
    }

    /// A claim that the operator makes, with a boundary at 0. `size` is not zero.
    pub fn declared(size: Bytes, tier: Tier, kind: GridKind, source: &str) -> Self {
        Self {
            size,
            phase: Bytes::ZERO,
            tier,
            kind,
            origin: Origin::Declared,
            confidence: Confidence::High,
            source: source.to_owned(),
        }
    }

    /// Sets where it comes from and how far it is believed.
    #[must_use]
    pub fn from(
        mut self,
        origin: Origin,
        source: impl Into<String>,
        confidence: Confidence,
    ) -> Self {
        self.origin = origin;
        self.source = source.into();
        self.confidence = confidence;
        self
    }

    /// The same boundaries as seen from an address space in which the first one lies at `phase`.
    #[must_use]
    pub fn at_phase(mut self, phase: u64) -> Self {
        self.phase = Bytes::new(phase.checked_rem(self.size.get()).unwrap_or(0));
        self
    }

    /// The claim about a layer.
    pub const fn on(self, layer: LayerId) -> Grid {
        Grid {
            layer,
            claim: self,
            distrust: None,
        }
    }

    /// The boundaries alone.
    pub const fn boundaries(&self) -> Boundaries {
        Boundaries {
            period: self.size.get(),
            phase: self.phase.get(),
        }
    }

    /// How far `address` lies past the boundary at or before it.
    pub const fn offset_of(&self, address: Bytes) -> Bytes {
        Bytes::new(self.boundaries().past(address.get()))
    }
}
