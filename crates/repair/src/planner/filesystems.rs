//! The geometry that a file system gets: only at mkfs time, for most of them.

use ioalign_core::{Bytes, GridClaim, GridKind, Tier};

use super::want::{Filesystem, PartRole, PlanRequest, PlannedDatabase};
use ioalign_core::array::RaidLevel;

/// Stripe unit and width in the terms of mkfs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MkfsStripe {
    /// Bytes on one disk: `su`, `stride`.
    pub unit: Bytes,
    /// Disks that bear data: `sw`.
    pub width: u32,
}

impl MkfsStripe {
    /// The array's, as far as a file system can use it: whole blocks of 4 KiB.
    pub fn of(want: &PlanRequest) -> Option<Self> {
        let array = want.array.filter(|array| array.level != RaidLevel::Raid1)?;
        let whole = array.element.is_multiple_of(BLOCK);
        whole.then_some(Self {
            unit: array.element,
            width: array.bearing(),
        })
    }

    /// Blocks of 4 KiB in a unit.
    pub const fn stride(&self) -> u64 {
        self.unit.get() / BLOCK.get()
    }

    /// Blocks of 4 KiB in a full stripe.
    pub fn blocks(&self) -> u64 {
        self.stride() * u64::from(self.width)
    }
}

/// The block of ext4 and XFS: what every architecture can mount.
pub const BLOCK: Bytes = Bytes::new(4096);
/// XFS takes a stripe unit of its log up to here (mkfs.xfs(8)).
pub const XFS_LOG_MOST: Bytes = Bytes::new(256 << 10);

/// What a write may not be smaller than, or it is read-modify-write below: the largest of all blocks of the
/// ground that are powers of two.
pub fn granule(want: &PlanRequest) -> Bytes {
    let declared = [
        Some(want.physical.size),
        want.indirection_unit,
        want.volume_block,
    ];
    let rmw = want.grids.iter().filter(|grid| grid.tier == Tier::Rmw);
    let sizes = declared.into_iter().flatten();
    sizes
        .chain(rmw.map(|grid| grid.size))
        .filter(|size| size.get().is_power_of_two())
        .max()
        .unwrap_or(want.physical.size)
}

/// A file system whose blocks are smaller than a unit below: a write of one of them is read-modify-write although
/// everything starts where it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockBelowUnit {
    /// The smallest piece that the file system allocates.
    pub block: Bytes,
    /// What is changed at a time below.
    pub unit: Bytes,
    /// What that is.
    pub kind: GridKind,
}

/// Whether the file system that is wanted has no blocks as large as the largest unit that was kept. A controller's
/// element is none: most of them hold writes back until it is whole.
pub fn block_below_unit(want: &PlanRequest, kept: &[GridClaim]) -> Option<BlockBelowUnit> {
    let boots = want
        .partitions
        .iter()
        .any(|part| part.role == PartRole::Boot);
    let boot = boots.then_some(Filesystem::Ext4);
    let made = want.filesystem.into_iter().chain(boot);
    let block = made.filter_map(|made| block(made, want)).min()?;
    let is_unit = |grid: &&GridClaim| grid.tier == Tier::Rmw && grid.kind != GridKind::Element;
    let larger = kept.iter().filter(is_unit).filter(|grid| grid.size > block);
    let largest = larger.max_by_key(|grid| grid.size)?;
    Some(BlockBelowUnit {
        block,
        unit: largest.size,
        kind: largest.kind.clone(),
    })
}

/// The smallest piece that a file system allocates when it is made as the plan says; paging space allocates none.
fn block(filesystem: Filesystem, want: &PlanRequest) -> Option<Bytes> {
    Some(match filesystem {
        Filesystem::Ext4 => cluster(want).unwrap_or(BLOCK),
        Filesystem::Xfs | Filesystem::Btrfs => BLOCK,
        Filesystem::Ntfs => allocation_unit(want),
        Filesystem::Zfs => Bytes::new(1 << ashift(want)),
        Filesystem::Vmfs => Bytes::MIB,
        Filesystem::Ufs => fragment(want),
        Filesystem::Swap => return None,
    })
}

/// UFS's fragment, an eighth of its block (newfs(8)).
pub fn fragment(want: &PlanRequest) -> Bytes {
    Bytes::new(granule(want).get().clamp(4096, 8192))
}

/// ZFS's `ashift` for the ground: between 9 and 16, which is all it takes.
pub fn ashift(want: &PlanRequest) -> u32 {
    granule(want).get().trailing_zeros().clamp(9, 16)
}

/// Bytes of the cluster that keeps allocations on the granule: ext4's bigalloc where it is above a block.
pub fn cluster(want: &PlanRequest) -> Option<Bytes> {
    let granule = granule(want);
    (granule > BLOCK && granule <= Bytes::new(1 << 16)).then_some(granule)
}

/// NTFS's allocation unit: the largest up to 64 KiB that divides the stripe unit into whole ones. For SQL Server
/// always 64 KiB, an extent of its files (Microsoft, "Disk Partition Alignment Best Practices for SQL Server").
pub fn allocation_unit(want: &PlanRequest) -> Bytes {
    if want.database == Some(PlannedDatabase::SqlServer) {
        return Bytes::new(1 << 16);
    }
    let unit = MkfsStripe::of(want).map_or(granule(want), |stripe| stripe.unit.max(granule(want)));
    let natural = unit.natural_alignment().unwrap_or(BLOCK);
    natural.clamp(BLOCK, Bytes::new(1 << 16))
}

/// Whether the geometry can be changed when it is there: XFS takes one at mount, for files to come.
pub const fn is_fixed(filesystem: Filesystem) -> bool {
    !matches!(filesystem, Filesystem::Swap)
}
