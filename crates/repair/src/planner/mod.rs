//! Computes the start of every layer from the request, by arithmetic over all grids, with the proof.

pub mod filesystems;
pub mod ground;
pub mod partitions;
pub mod seat;
pub mod volumes;
pub mod want;

use std::fmt;

use ioalign_core::grid::place::{Solution, solve};
use ioalign_core::{Bytes, GridKind, Kind};

pub use filesystems::BlockBelowUnit;
pub use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
pub use partitions::ExtendedPartition;
pub use seat::{Proof, Seat};
pub use volumes::LvmPlan;
pub use want::{
    Filesystem, PartRole, PlanRequest, PlannedDatabase, PlannedLabel, PlannedPartition,
    PlannedVolume,
};

/// A layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskPlan {
    /// What it was made from.
    pub want: PlanRequest,
    /// The boundaries that all layers start on.
    pub solution: Solution,
    /// The layers, lowest first.
    pub seats: Vec<Seat>,
    /// What logical partitions of an MBR lie in.
    pub extended: Option<ExtendedPartition>,
    /// LVM's numbers, where it is wanted.
    pub lvm: Option<LvmPlan>,
    /// Every start on every grid.
    pub proof: Vec<Proof>,
}

impl DiskPlan {
    /// A file system on top that writes less at a time than what lies below changes.
    pub fn block_below_unit(&self) -> Option<BlockBelowUnit> {
        filesystems::block_below_unit(&self.want, &self.solution.kept)
    }

    /// The grids that the uppermost layer is off although they were kept: what was there stays, and nothing above
    /// it makes up for where it is.
    pub fn missed(&self) -> Vec<&Proof> {
        let top = self.seats.len().saturating_sub(1);
        self.proof
            .iter()
            .filter(|line| line.seat == top && self.is_missed(line))
            .collect()
    }

    /// Whether a line of the proof names a grid that was kept, and a remainder.
    pub fn is_missed(&self, line: &Proof) -> bool {
        !line.remainder.is_zero() && self.solution.kept.contains(&line.grid)
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Plans every layer.
pub fn plan(want: &PlanRequest) -> Result<DiskPlan, Refusal> {
    if let Some(fault) = want.array.and_then(|array| array.fault()) {
        return Err(Refusal::new(fault));
    }
    let grids = ground::grids(want);
    let cell = solve(
        grids
            .iter()
            .filter(|grid| grid.kind != GridKind::Habit)
            .cloned()
            .collect(),
    )
    .period();
    let solution = solve(grids);
    let (mut seats, extended) = partitions::seats(want, &solution)?;
    let mut base = seats.last().map_or(Bytes::ZERO, |seat| seat.start);
    let mut lvm = None;
    for volume in &want.volumes {
        let (seat, numbers) = volumes::seat(*volume, &solution, cell, base, volume_name(*volume))?;
        base = seat.start;
        lvm = lvm.or(numbers);
        seats.push(seat);
    }
    if want.filesystem.is_some() {
        seats.push(Seat {
            kind: Kind::Filesystem,
            name: "data".to_owned(),
            offset: Bytes::ZERO,
            start: base,
            size: None,
        });
    }
    let proof = seat::prove(&seats, &solution);
    Ok(DiskPlan {
        want: want.clone(),
        solution,
        seats,
        extended,
        lvm,
        proof,
    })
}

const fn volume_name(volume: PlannedVolume) -> &'static str {
    match volume {
        PlannedVolume::Luks { .. } => "crypt0",
        PlannedVolume::Lvm { .. } => "vg0",
        PlannedVolume::Bcache => "bcache0",
    }
}
