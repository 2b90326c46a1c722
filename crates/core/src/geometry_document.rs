//! The geometry of a device as its times show it.
//!
//! Its JSON is `ioalign.geometry/1`.

use serde::{Deserialize, Serialize};

use crate::grid::{Confidence, GridClaim, GridKind, Origin, Tier};
use crate::machine::Machine;
use crate::units::Bytes;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.geometry/1";

/// What a probe found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeometryDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: String,
    /// The machine that it ran on.
    pub machine: Machine,
    /// The device or file.
    pub target: String,
    /// How much of it was used.
    pub size_bytes: u64,
    /// The smallest I/O, by which phases are known.
    pub sector_bytes: u64,
    /// Whether a grid was found.
    pub found: bool,
    /// Distance of the boundaries of the first grid; `None`: none was found.
    pub unit_bytes: Option<u64>,
    /// The address of the first boundary, the phase of the grid.
    pub phase_bytes: Option<u64>,
    /// How far the first byte of the target is past the boundary before it, the phase of the target.
    pub start_offset_bytes: Option<u64>,
    /// Disks, or groups of disks, that take turns.
    pub columns: Option<u64>,
    /// `stripe`, `rmw-unit`, `none`.
    pub kind: String,
    /// The probability of the answer; of `none`, that nothing above the limit is there.
    pub confidence_ratio: f64,
    /// The smallest effect that would have been seen: 0.2 is a batch that takes a fifth longer. `None`: not known yet.
    pub detection_limit: Option<f64>,
    /// The same of writes.
    pub write_detection_limit: Option<f64>,
    /// Reads sent.
    pub reads: u64,
    /// Writes sent.
    pub writes: u64,
    /// How long it took.
    pub duration_us: u64,
    /// All grids that were found.
    pub grids: Vec<FoundGrid>,
    /// `none`, `mirror`, `parity`; `None`: not asked, or not known.
    pub redundancy: Option<String>,
    /// What the device says of itself.
    pub claims: Vec<ClaimedGrid>,
    /// Why it ended early; `None`: it did not.
    pub partial: Option<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// A grid that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundGrid {
    /// `stripe`, `rmw-unit`.
    pub kind: String,
    /// Distance of its boundaries.
    pub unit_bytes: u64,
    /// The first boundary.
    pub phase_bytes: u64,
    /// Disks, or groups of disks, that take turns; 1 for a unit of writes.
    pub columns: u64,
    /// The probability that all of it is right.
    pub confidence_ratio: f64,
    /// By how much I/O that meets on one disk, or covers a unit in part, takes longer: 1 is twice as long.
    pub effect_ratio: f64,
    /// The argument of `--grid` that declares it.
    pub grid: String,
}

/// A grid that the device claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimedGrid {
    /// As an argument of `--grid`.
    pub grid: String,
    /// Who says so.
    pub source: String,
    /// Whether it is as found; `None`: it claims something else than what was found.
    pub agrees: Option<bool>,
}

/// What a probe calls a stripe.
pub const STRIPE: &str = "stripe";
/// What it calls a unit of writes.
pub const RMW_UNIT: &str = "rmw-unit";
/// The largest block of a disk; a larger unit of writes is one of flash.
const MOST_BLOCK: u64 = 4096;

impl FoundGrid {
    /// How far the first byte of the target is past the boundary before it.
    pub const fn start_offset(&self) -> u64 {
        match self.phase_bytes {
            0 => 0,
            phase => self.unit_bytes.saturating_sub(phase),
        }
    }

    /// The claim about the target; `None` where the unit is 0.
    pub fn claim(&self) -> Option<GridClaim> {
        let (tier, kind) = match self.kind.as_str() {
            STRIPE => (Tier::Preference, GridKind::StripeUnit),
            _ if self.unit_bytes <= MOST_BLOCK => (Tier::Rmw, GridKind::PhysicalBlock),
            _ => (Tier::Rmw, GridKind::IndirectionUnit),
        };
        let (size, phase) = (Bytes::new(self.unit_bytes), Bytes::new(self.phase_bytes));
        let claim = GridClaim::new(size, phase, tier, kind)?;
        Some(claim.from(Origin::Reported, "probe", Confidence::High))
    }
}

impl GeometryDocument {
    /// Takes over the grids that were found, the first of which is the answer.
    pub fn set_grids(&mut self, mut grids: Vec<FoundGrid>) {
        for grid in &mut grids {
            grid.grid = grid
                .claim()
                .map_or_else(String::new, |claim| claim.as_argument());
        }
        let first = grids.first();
        self.found = first.is_some();
        self.unit_bytes = first.map(|grid| grid.unit_bytes);
        self.phase_bytes = first.map(|grid| grid.phase_bytes);
        self.start_offset_bytes = first.map(FoundGrid::start_offset);
        self.columns = first.map(|grid| grid.columns);
        self.kind = first.map_or_else(|| "none".to_owned(), |grid| grid.kind.clone());
        if let Some(first) = first {
            self.confidence_ratio = first.confidence_ratio;
        }
        self.grids = grids;
    }

    /// Whether what was found agrees with a claim about the same address space. A claim about units of writes is compared with the
    /// unit of writes, one about the parts or the whole of a stripe with the stripe; of what was not found nothing is said.
    pub fn agrees(&self, claim: &GridClaim) -> Option<bool> {
        let of_kind = |kind: &str| self.grids.iter().find(|grid| grid.kind == kind);
        let (stripe, unit) = (of_kind(STRIPE), of_kind(RMW_UNIT));
        let same = |grid: &FoundGrid| {
            (grid.unit_bytes, grid.phase_bytes) == (claim.size.get(), claim.phase.get())
        };
        match claim.kind {
            GridKind::PhysicalBlock | GridKind::IndirectionUnit => unit.map(same),
            GridKind::StripeUnit | GridKind::RaidChunk | GridKind::Element => stripe.map(same),
            // A controller may count parity disks or not: whole units are what is known.
            GridKind::FullStripe | GridKind::OptimalIo | GridKind::MinimumIo => {
                stripe.map(|grid| {
                    let first = claim.phase.get().checked_rem(grid.unit_bytes);
                    claim.size.get().is_multiple_of(grid.unit_bytes)
                        && first == Some(grid.phase_bytes)
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: &str, unit: u64, phase: u64) -> GeometryDocument {
        let mut document = GeometryDocument::default();
        document.set_grids(vec![FoundGrid {
            kind: kind.to_owned(),
            unit_bytes: unit,
            phase_bytes: phase,
            columns: 4,
            confidence_ratio: 0.99,
            ..FoundGrid::default()
        }]);
        document
    }

    #[test]
    fn a_found_grid_is_an_argument() {
        let argument = |kind, unit, phase| found(kind, unit, phase).grids[0].grid.clone();
        assert_eq!(
            argument(STRIPE, 65536, 512),
            "65536@512:stripe-unit:preference"
        );
        assert_eq!(
            argument(RMW_UNIT, 4096, 3584),
            "4096@3584:physical-block:rmw"
        );
        assert_eq!(argument(RMW_UNIT, 16384, 0), "16384@0:indirection-unit:rmw");
        let typed: GridClaim = argument(STRIPE, 65536, 512).parse().unwrap();
        assert_eq!((typed.size.get(), typed.phase.get()), (65536, 512));
        let none = GeometryDocument::default();
        let loop_device = found(RMW_UNIT, 4096, 512);
        assert_eq!(loop_device.start_offset_bytes, Some(32256 % 4096));
        assert!(!none.found && none.grids.is_empty());
    }

    #[test]
    fn claims_are_compared_with_what_they_are_about() {
        let says = |text: &str| text.parse::<GridClaim>().unwrap();
        let stripe = found(STRIPE, 65536, 512);
        assert_eq!(stripe.agrees(&says("64k@512:stripe-unit")), Some(true));
        assert_eq!(stripe.agrees(&says("64k:stripe-unit")), Some(false));
        assert_eq!(stripe.agrees(&says("192k@512:full-stripe")), Some(true));
        assert_eq!(stripe.agrees(&says("4k:physical-block")), None);
        let unit = found(RMW_UNIT, 4096, 3584);
        assert_eq!(unit.agrees(&says("512:physical-block")), Some(false));
    }
}
