//! A grid: equally spaced boundaries in one layer's address space.
//!
//! A [`GridClaim`] says where boundaries lie, what being off them costs, and who says so; a [`Grid`] is
//! such a claim about one layer. [`place`] finds the starts that many claims share.

mod argument;
mod assumed;
mod boundaries;
mod claim;
mod kind;
pub mod place;
mod profiles;

use std::ops::Deref;

use crate::layer_id::LayerId;
use crate::units::Bytes;

pub use argument::ParseGridError;
pub use assumed::assumed;
pub use boundaries::{Boundaries, residue};
pub use claim::{Confidence, GridClaim, Origin, Tier};
pub use kind::GridKind;
pub use profiles::{PROFILES, profile};

/// A claim about the boundaries in one layer's address space. Its claim is read through it: `grid.size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The layer in whose address space the boundaries lie.
    pub layer: LayerId,
    /// Where they lie, and who says so.
    pub claim: GridClaim,
    /// Why it is judged bogus; `None` for a trusted grid. An untrusted one judges nothing.
    pub distrust: Option<String>,
}

impl Deref for Grid {
    type Target = GridClaim;

    fn deref(&self) -> &GridClaim {
        &self.claim
    }
}

impl Grid {
    /// A trusted grid that is read from metadata on disk; `None` when `size` is zero. The phase is reduced modulo
    /// the size.
    pub fn new(
        layer: LayerId,
        size: Bytes,
        phase: Bytes,
        tier: Tier,
        kind: impl Into<GridKind>,
    ) -> Option<Self> {
        let claim = GridClaim::new(size, phase, tier, kind)?;
        Some(claim.on(layer))
    }

    /// Sets where it comes from and how far it is believed.
    #[must_use]
    pub fn from(self, origin: Origin, source: impl Into<String>, confidence: Confidence) -> Self {
        let claim = self.claim.from(origin, source, confidence);
        Self { claim, ..self }
    }

    /// Marks it as not believed.
    #[must_use]
    pub fn distrusted(mut self, why: impl Into<String>) -> Self {
        self.distrust = Some(why.into());
        self
    }

    /// Whether it may judge anything.
    pub const fn trusted(&self) -> bool {
        self.distrust.is_none()
    }

    /// A unit that the device may have although it reports a smaller one, and that nothing proves or disproves: what
    /// is off it is neither right nor wrong.
    pub fn is_open(&self) -> bool {
        !self.trusted() && self.origin == Origin::Assumed
    }

    /// A limit that the device reports and that is not believed.
    pub fn is_bogus(&self) -> bool {
        !self.trusted() && !self.is_open()
    }
}
