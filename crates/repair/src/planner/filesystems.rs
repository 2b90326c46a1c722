//! What a file system is told of the ground: only at mkfs time, for most of them.

use ioalign_core::Bytes;

use super::array::Level;
use super::want::{Filesystem, Want};

/// Stripe unit and width in the terms of mkfs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// Bytes on one disk: `su`, `stride`.
    pub unit: Bytes,
    /// Disks that bear data: `sw`.
    pub width: u32,
}

impl Stripe {
    /// The array's, as far as a file system can use it: whole blocks of 4 KiB.
    pub fn of(want: &Want) -> Option<Self> {
        let array = want.array.filter(|array| array.level != Level::Raid1)?;
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
pub fn granule(want: &Want) -> Bytes {
    let declared = [
        Some(want.physical),
        want.indirection_unit,
        want.volume_block,
    ];
    let all = declared.into_iter().flatten();
    all.filter(|size| size.get().is_power_of_two())
        .max()
        .unwrap_or(want.physical)
}

/// ZFS's `ashift` for the ground: between 9 and 16, which is all it takes.
pub fn ashift(want: &Want) -> u32 {
    granule(want).get().trailing_zeros().clamp(9, 16)
}

/// Bytes of the cluster that keeps allocations on the granule: ext4's bigalloc where it is above a block.
pub fn cluster(want: &Want) -> Option<Bytes> {
    let granule = granule(want);
    (granule > BLOCK && granule <= Bytes::new(1 << 16)).then_some(granule)
}

/// NTFS's allocation unit: the largest up to 64 KiB that divides the stripe unit into whole ones.
pub fn allocation_unit(want: &Want) -> Bytes {
    let unit = Stripe::of(want).map_or(granule(want), |stripe| stripe.unit);
    let natural = unit.natural_alignment().unwrap_or(BLOCK);
    natural.clamp(BLOCK, Bytes::new(1 << 16))
}

/// Whether the geometry can be changed when it is there: XFS takes one at mount, for files to come.
pub const fn is_fixed(filesystem: Filesystem) -> bool {
    !matches!(filesystem, Filesystem::Swap)
}
