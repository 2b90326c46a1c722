//! The volumes: LUKS payload, LVM extents, bcache data, each moved so that what lies in it is on the
//! grids of the ground, also where the layer below is not.

use ioalign_core::grid::place::Solution;
use ioalign_core::units::lcm;
use ioalign_core::{Bytes, Kind};

use super::Refusal;
use super::seat::{Seat, offset};
use super::want::PlannedVolume;

/// cryptsetup's own payload offset of LUKS2: header, second header and key slots.
const LUKS2: Bytes = Bytes::new(16 << 20);
/// The same of LUKS1 with a key of 512 bits, rounded to whole mebibytes.
const LUKS1: Bytes = Bytes::new(2 << 20);
/// LVM's default for the first extent, behind the metadata area.
const FIRST_EXTENT: Bytes = Bytes::MIB;
/// bcache's default: 16 sectors.
const BCACHE: Bytes = Bytes::new(8192);
/// vgcreate's default.
const EXTENT: u64 = 4 << 20;
/// What an extent size must be a multiple of, where it is no power of two (lvm2, `vg_set_extent_size`).
const EXTENT_UNIT: u64 = 128 << 10;
/// What a thin chunk must be a multiple of, and how large it may be (lvmthin(7)).
const CHUNK_UNIT: u64 = 64 << 10;
const CHUNK_MOST: u64 = 1 << 30;

/// LVM's numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LvmPlan {
    /// `pvcreate --dataalignment`.
    pub alignment: Bytes,
    /// `pvcreate --dataalignmentoffset`: not zero where the partition itself is off the grid.
    pub alignment_offset: Bytes,
    /// `vgcreate --physicalextentsize`: a multiple of the grid, so that *every* volume starts on it.
    pub extent: Bytes,
    /// `lvcreate --chunksize` of a thin pool.
    pub chunk: Option<Bytes>,
}

/// The seat of a volume on what begins at `base` on the ground. `cell` is what a thin chunk has to hold whole
/// ones of: the common period of the grids without the habit, which would make chunks larger for nothing.
pub fn seat(
    volume: PlannedVolume,
    solution: &Solution,
    cell: Bytes,
    base: Bytes,
    name: &str,
) -> Result<(Seat, Option<LvmPlan>), Refusal> {
    let (kind, least) = match volume {
        PlannedVolume::Luks { version: 1 } => (Kind::Crypt, LUKS1),
        PlannedVolume::Luks { .. } => (Kind::Crypt, LUKS2),
        PlannedVolume::Lvm { .. } => (Kind::LvmPv, FIRST_EXTENT),
        PlannedVolume::Bcache => (Kind::Bcache, BCACHE),
    };
    let lvm = match volume {
        PlannedVolume::Lvm { thin, .. } => Some(lvm(solution, base, thin.then_some(cell))?),
        PlannedVolume::Luks { .. } | PlannedVolume::Bcache => None,
    };
    let into = match lvm {
        Some(lvm) => first_extent(&lvm, least),
        None => offset(solution, base, least),
    };
    let into = into.ok_or_else(|| Refusal::new("a volume would start past 64 bits"))?;
    let start = base.checked_add(into).unwrap_or(base);
    let seat = Seat {
        kind,
        name: name.to_owned(),
        offset: into,
        start,
        size: None,
    };
    Ok((seat, lvm))
}

/// Where pvcreate puts the first extent: behind the metadata, at a multiple of the alignment plus its
/// offset.
fn first_extent(lvm: &LvmPlan, least: Bytes) -> Option<Bytes> {
    let unit = lvm.alignment.get();
    let past = least.get().checked_next_multiple_of(unit)?;
    Bytes::new(past).checked_add(lvm.alignment_offset)
}

fn lvm(solution: &Solution, base: Bytes, cell: Option<Bytes>) -> Result<LvmPlan, Refusal> {
    let period = solution.period();
    let alignment_offset = offset(solution, base, Bytes::ZERO);
    let extent = extent(period.get());
    let chunk = match cell {
        Some(cell) => Some(chunk(cell.get())?),
        None => None,
    };
    Ok(LvmPlan {
        alignment: period,
        alignment_offset: alignment_offset.unwrap_or(Bytes::ZERO),
        extent: extent.ok_or_else(|| Refusal::new("no extent size is a multiple of all grids"))?,
        chunk,
    })
}

/// The least extent size from LVM's default on that the period divides.
fn extent(period: u64) -> Option<Bytes> {
    if period.is_power_of_two() {
        return Some(Bytes::new(period.max(EXTENT)));
    }
    let unit = lcm(period, EXTENT_UNIT)?;
    Some(Bytes::new(EXTENT.checked_next_multiple_of(unit)?))
}

/// The least chunk from 64 KiB on that the period divides, as long as that is a size that LVM takes.
fn chunk(period: u64) -> Result<Bytes, Refusal> {
    let unit = lcm(period, CHUNK_UNIT).filter(|unit| *unit <= CHUNK_MOST);
    unit.map(Bytes::new).ok_or_else(|| {
        Refusal::new(format!(
            "no thin chunk up to 1 GiB is a multiple of {period} bytes: thin volumes would start anywhere"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::grid::place::solve;
    use ioalign_core::{GridClaim, GridKind, Tier};

    fn on(size: u64) -> Solution {
        let element = GridKind::Element;
        let claim = GridClaim::new(Bytes::new(size), Bytes::ZERO, Tier::Preference, element);
        solve(claim.into_iter().collect())
    }

    #[test]
    fn eleven_sectors_ahead_want_an_offset_of_501() {
        let base = Bytes::new((1 << 20) + 11 * 512);
        let volume = PlannedVolume::Lvm {
            thin: false,
            stripes: 1,
        };
        let (seat, lvm) = seat(volume, &on(256 << 10), Bytes::new(4096), base, "vg0").unwrap();
        let lvm = lvm.unwrap();
        assert_eq!(lvm.alignment, Bytes::new(256 << 10));
        assert_eq!(lvm.alignment_offset, Bytes::new(501 * 512));
        assert!(seat.start.is_multiple_of(Bytes::new(256 << 10)));
    }

    #[test]
    fn extents_are_whole_stripes() {
        assert_eq!(extent(1 << 20), Some(Bytes::new(4 << 20)));
        assert_eq!(extent(8 << 20), Some(Bytes::new(8 << 20)));
        // Five elements of 64 KiB and the mebibyte: 5 MiB.
        assert_eq!(extent(5 << 20), Some(Bytes::new(5 << 20)));
        // Three elements alone: 11 times 384 KiB.
        assert_eq!(extent(192 << 10), Some(Bytes::new(4224 << 10)));
    }

    #[test]
    fn thin_chunks_are_whole_stripes_or_refused() {
        assert_eq!(chunk(1 << 20).unwrap(), Bytes::new(1 << 20));
        assert_eq!(chunk(96 << 10).unwrap(), Bytes::new(192 << 10));
        assert!(chunk((1 << 30) + 512).is_err());
    }

    #[test]
    fn payloads_lie_on_stripes() {
        let (seat, _) = seat(
            PlannedVolume::Luks { version: 2 },
            &on(192 << 10),
            Bytes::new(4096),
            Bytes::MIB,
            "luks",
        )
        .unwrap();
        assert!(seat.start.is_multiple_of(Bytes::new(192 << 10)));
        assert!(seat.offset >= LUKS2);
    }
}
