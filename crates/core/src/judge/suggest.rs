//! Better values, and what to type to get there.

use super::Case;
use crate::finding::Suggestion;
use crate::grid::{Grid, meet};
use crate::layer::{Kind, LayerId};
use crate::map::Map;
use crate::role::Role;
use crate::units::{Bytes, Sectors};

/// No start is suggested on a common period above this: nobody wants a 3 TiB gap.
const LARGEST_PERIOD: u64 = 1 << 30;

/// A start for `guilty` that is on `grid` and on every other trusted grid that agrees with it.
///
/// The 1 MiB habit is kept where it fits: every partitioning tool of the last fifteen years keeps it.
pub(super) fn start(case: &Case<'_>, guilty: LayerId, grid: &Grid) -> Suggestion {
    let layer = case.stack.layer(guilty);
    let Some((below, now)) = layer.below.first().and_then(|edge| match edge.map {
        Map::Shift { start } | Map::Mirror { start } => Some((edge.below, start)),
        _ => None,
    }) else {
        return Suggestion::default();
    };
    let mut period = (grid.size.get(), phase_in(case, below, grid));
    // A partition is placed once and for all grids; other layers move the least that helps.
    let others = if layer.kind == Kind::Partition {
        companions(case, below, grid)
    } else {
        Vec::new()
    };
    for (other, phase) in others {
        if let Some(both) = meet(period, (other, phase)).filter(|(size, _)| *size <= LARGEST_PERIOD)
        {
            period = both;
        }
    }
    let (size, phase) = period;
    let past = crate::grid::residue(now.get(), phase, size);
    let after = now.get().checked_add((size - past) % size);
    let before = now.get().checked_sub(past).filter(|before| *before > 0);
    let before = before.and_then(|before| {
        let free = case.room().free_from(below, now).get();
        let nearer = least(case, below, grid, now);
        [Some(before), nearer]
            .into_iter()
            .flatten()
            .find(|start| *start >= free)
    });
    let sectors = |bytes: u64| {
        let sector = layer.start_sectors?.size();
        let each = u64::from(sector.get());
        if bytes.is_multiple_of(each) {
            Sectors::new(bytes / each, sector)
        } else {
            None
        }
    };
    Suggestion {
        start: after.map(Bytes::new),
        start_sectors: after.and_then(sectors),
        start_before: before.map(Bytes::new),
        size: None,
    }
}

/// The start on this grid alone that lies nearest before the present one: where there is no room for
/// more, the smallest move that helps.
fn least(case: &Case<'_>, below: LayerId, grid: &Grid, now: Bytes) -> Option<u64> {
    let past = crate::grid::residue(now.get(), phase_in(case, below, grid), grid.size.get());
    now.get().checked_sub(past).filter(|before| *before > 0)
}

/// The grid's phase as seen in the address space of `layer`, which lies on the grid's layer.
fn phase_in(case: &Case<'_>, layer: LayerId, grid: &Grid) -> u64 {
    let offset = case
        .phases_for(layer, grid)
        .and_then(|phases| phases.phases.first())
        .map_or(0, |phase| phase.offset);
    let here = if layer == grid.layer {
        grid.phase.get()
    } else {
        0
    };
    let size = grid.size.get();
    (here + (size - offset) % size) % size
}

/// The other grids worth being on: trusted ones, smallest first, then the 1 MiB habit.
fn companions(case: &Case<'_>, below: LayerId, grid: &Grid) -> Vec<(u64, u64)> {
    let mut grids: Vec<_> = case
        .grids_under(below)
        .filter(|other| other.trusted() && !std::ptr::eq(*other, grid))
        .collect();
    grids.sort_by_key(|other| (other.tier, other.size));
    let mut out: Vec<_> = grids
        .iter()
        .map(|other| (other.size.get(), phase_in(case, below, other)))
        .collect();
    out.push((Bytes::MIB.get(), 0));
    out
}

/// Whether it can be put right where it is, and how.
pub(super) fn remedy(
    case: &Case<'_>,
    guilty: LayerId,
    grid: &Grid,
    suggestion: &Suggestion,
) -> (Option<bool>, Vec<String>) {
    let layer = case.stack.layer(guilty);
    let to = suggestion.start_sectors.map_or_else(
        || {
            suggestion
                .start
                .map_or_else(String::new, |start| format!(" at byte {}", start.get()))
        },
        |start| format!(" at sector {}", start.count()),
    );
    let swap = layer.role == Role::Swap || layer.kind == Kind::Swap;
    let line = |text: &str| vec![text.to_owned()];
    match layer.kind {
        Kind::Partition if swap => (
            Some(true),
            vec![format!(
                "swapoff, make partition {} anew{to}, mkswap, swapon: swap holds no data",
                layer.name
            )],
        ),
        Kind::Partition if rebuilds(case, guilty) => (
            Some(true),
            vec![format!(
                "one member at a time: mdadm --fail and --remove {}, make the partition anew{to} and no \
                 smaller than its data, mdadm --add, wait for the rebuild",
                layer.name
            )],
        ),
        Kind::Partition => (
            Some(true),
            vec![format!(
                "back up, make partition {} anew{to} (sfdisk, parted: unit s), restore; or move it \
                 while it is not in use",
                layer.name
            )],
        ),
        Kind::LvmPv => (
            Some(false),
            vec![format!(
                "the extents area is fixed by pvcreate: move the volumes to a PV made with \
                 --dataalignment {}",
                lvm_size(grid.size)
            )],
        ),
        Kind::LvmLv => (
            Some(false),
            line(
                "use an extent size that is a multiple of the stripe (vgcreate -s), or allocate \
                  the volume in whole stripes",
            ),
        ),
        Kind::Md => (
            Some(false),
            line("the data offset is fixed at mdadm --create (--data-offset)"),
        ),
        Kind::Crypt => (
            Some(false),
            line("the payload offset is fixed at luksFormat (--offset in 512-byte sectors)"),
        ),
        Kind::Filesystem => (
            Some(false),
            line(
                "the data region is fixed by mkfs: copy the files off, make the file system anew \
                  with its data region on the grid (mkfs.fat -R, mkfs.exfat -b), copy back",
            ),
        ),
        Kind::Disk => (
            Some(false),
            line(
                "the image format puts the data there: convert it (qemu-img convert -O qcow2, raw \
                  or vhdx); moving partitions inside does not help",
            ),
        ),
        Kind::File => (
            Some(true),
            line(
                "files keep their place when geometry is set later: copy it anew (cp \
                  --reflink=never) once the file system knows the stripe",
            ),
        ),
        _ => (None, Vec::new()),
    }
}

/// Whether a partition is a member of an array that does without one.
fn rebuilds(case: &Case<'_>, partition: LayerId) -> bool {
    case.stack.above(partition).any(|above| {
        let layer = case.stack.layer(above);
        let level = layer.facts.get("level").map_or("", String::as_str);
        layer.kind == Kind::Md && matches!(level, "raid1" | "raid4" | "raid5" | "raid6" | "raid10")
    })
}

fn lvm_size(size: Bytes) -> String {
    if size.is_multiple_of(Bytes::KIB) {
        format!("{}k", size.get() >> 10)
    } else {
        format!("{}b", size.get())
    }
}
