//! Better values, and what to type to get there.

use super::Case;
use crate::finding::Suggestion;
use crate::grid::{Grid, meet};
use crate::layer::{Kind, LayerId};
use crate::map::Map;
use crate::role::Role;
use crate::units::{Bytes, Sectors};

/// Boot loaders embed themselves before this byte of a disk with an MBR: no start is suggested there.
pub const MBR_GAP: Bytes = Bytes::new(63 * 512);

/// No start is suggested on a common period above this: nobody wants a 3 TiB gap.
const LARGEST_PERIOD: u64 = 1 << 30;

/// A start for `guilty` that brings its data onto `grid` and every other trusted grid that agrees with it.
///
/// The 1 MiB habit is kept where it fits: every partitioning tool of the last fifteen years keeps it. Where the
/// data lie off the grid within the partition, the start is as far from a MiB as makes up for that.
pub(super) fn start(case: &Case<'_>, guilty: LayerId, grid: &Grid) -> Suggestion {
    let layer = case.stack.layer(guilty);
    let Some((below, now)) = layer.below.first().and_then(|edge| match edge.map {
        Map::Shift { start } | Map::Mirror { start } => Some((edge.below, start)),
        _ => None,
    }) else {
        return Suggestion::default();
    };
    let own = (grid.size.get(), phase_of(case, guilty, below, grid));
    // A partition is placed once and for all grids; other layers move the least that helps.
    let (size, phase) = if layer.kind == Kind::Partition {
        with_companions(case, guilty, below, grid, own)
    } else {
        own
    };
    let past = crate::grid::residue(now.get(), phase, size);
    let after = now.get().checked_add((size - past) % size);
    let before = now.get().checked_sub(past).filter(|before| *before > 0);
    let before = before.and_then(|before| {
        let free = case.room().free_from(below, now).get();
        let low = free.max(gap(case, guilty, below));
        let past = crate::grid::residue(now.get(), own.1, own.0);
        // Where there is no room for more, the smallest move that helps.
        let nearer = now.get().checked_sub(past);
        [Some(before), nearer]
            .into_iter()
            .flatten()
            .find(|start| *start > 0 && *start >= low)
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

/// The period and phase of starts that are on the other grids as well.
fn with_companions(
    case: &Case<'_>,
    guilty: LayerId,
    below: LayerId,
    grid: &Grid,
    own: (u64, u64),
) -> (u64, u64) {
    let good = |both: &(u64, u64)| both.0 <= LARGEST_PERIOD;
    let all = companions(case, guilty, below, grid).into_iter();
    let both = all.fold(own, |both, other| {
        meet(both, other).filter(good).unwrap_or(both)
    });
    let habit = |phase| meet(both, (Bytes::MIB.get(), phase)).filter(good);
    let met = habit(0).or_else(|| habit(both.1 % Bytes::MIB.get()));
    met.unwrap_or(both)
}

/// Where the gap of a disk with an MBR ends; 0 where there is none.
fn gap(case: &Case<'_>, guilty: LayerId, below: LayerId) -> u64 {
    let is_dos = case
        .stack
        .layer(below)
        .facts
        .get("table")
        .map(String::as_str)
        == Some("dos");
    let sectors = case.stack.layer(guilty).start_sectors;
    let of_512 = sectors.is_some_and(|start| start.size().get() == 512);
    if is_dos && of_512 { MBR_GAP.get() } else { 0 }
}

/// The phase of starts at which the data of `guilty` are on a grid.
fn phase_of(case: &Case<'_>, guilty: LayerId, below: LayerId, grid: &Grid) -> u64 {
    let size = grid.size.get();
    let phase = phase_in(case, below, grid);
    let single = |layer| match case.phases_for(layer, grid)?.phases.as_slice() {
        [only] => Some(only.offset),
        _ => None,
    };
    let inside = data_of(case, guilty).and_then(|data| single(data).zip(single(guilty)));
    let Some((data, own)) = inside else {
        return phase;
    };
    let ahead = crate::grid::residue(data, own % size, size);
    crate::grid::residue(phase, ahead, size)
}

/// What lies on a partition alone: its volume or file system.
fn data_of(case: &Case<'_>, guilty: LayerId) -> Option<LayerId> {
    if case.stack.layer(guilty).kind != Kind::Partition {
        return None;
    }
    let alone = |id: &LayerId| {
        let below = &case.stack.layer(*id).below;
        below.iter().all(|edge| edge.below == guilty)
    };
    case.stack.above(guilty).find(alone)
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

/// The other grids worth being on: trusted ones, smallest first.
fn companions(case: &Case<'_>, guilty: LayerId, below: LayerId, grid: &Grid) -> Vec<(u64, u64)> {
    let mut grids: Vec<_> = case
        .grids_under(below)
        .filter(|other| other.trusted() && !std::ptr::eq(*other, grid))
        .collect();
    grids.sort_by_key(|other| (other.tier, other.size));
    grids
        .iter()
        .map(|other| (other.size.get(), phase_of(case, guilty, below, other)))
        .collect()
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
        Kind::LvmPv | Kind::Crypt | Kind::Filesystem if is_on_a_partition(case, guilty) => (
            Some(true),
            line(
                "move the partition below while it is not in use, to a start that makes up for where the \
                 data begin in it; or copy the data off, and make it anew with its data on the grid \
                 (pvcreate --dataalignment, luksFormat --offset, mkfs.fat -R, mkfs.exfat -b)",
            ),
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

/// Whether a layer lies on one partition and on nothing else.
fn is_on_a_partition(case: &Case<'_>, layer: LayerId) -> bool {
    let below = &case.stack.layer(layer).below;
    let kinds = below.iter().map(|edge| case.stack.layer(edge.below).kind);
    below.len() == 1 && kinds.eq([Kind::Partition])
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
