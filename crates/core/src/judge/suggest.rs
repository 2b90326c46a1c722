//! Better values, and what to type to get there.

use super::{StackCase, claims};
use crate::finding::Suggestion;
use crate::grid::Grid;
use crate::layer::Kind;
use crate::layer::detail::{ArrayLevel, DiskDetail, TableKind};
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::role::Role;
use crate::units::{Bytes, Sectors};

/// Boot loaders embed themselves before this byte of a disk with an MBR: no start is suggested there.
pub const MBR_GAP: Bytes = Bytes::new(63 * 512);

/// A start for `guilty` that brings its data onto `grid`.
///
/// A partition is placed once and for all grids, at the [good starts](claims::good) that every verb names; other layers
/// move the least that helps.
pub(super) fn start(case: &StackCase<'_>, guilty: LayerId, grid: &Grid) -> Suggestion {
    if attached_within(case, guilty).is_some() {
        return Suggestion::default();
    }
    let layer = case.stack.layer(guilty);
    let Some((below, now)) = layer.below.first().and_then(|edge| match edge.map {
        Map::Shift { start } | Map::Mirror { start } => Some((edge.below, start.get())),
        _ => None,
    }) else {
        return Suggestion::default();
    };
    let Some(own) = claims::own(case, guilty, below, grid) else {
        return Suggestion::default();
    };
    let good = match layer.kind {
        Kind::Partition => claims::good(case, guilty, below),
        _ => own,
    };
    // A claim that was given up against a surer one has no start to suggest.
    if good.shared(own).map(|both| both.period) != Some(good.period) {
        return Suggestion::default();
    }
    let after = good.at_or_after(now);
    let free = case.room().free_from(below, Bytes::new(now)).get();
    let low = free.max(gap(case, guilty, below)).max(1);
    // Without more room, the smallest move that helps.
    let before = good.at_or_before(now).filter(|start| *start > 0);
    let before = before.and_then(|before| {
        let nearer = own.at_or_before(now);
        let mut ways = [Some(before), nearer].into_iter().flatten();
        ways.find(|start| *start >= low)
    });
    let sectors = |bytes: u64| {
        let sector = layer.start_sectors?.size();
        let each = u64::from(sector.get());
        let count = bytes.is_multiple_of(each).then_some(bytes / each)?;
        Sectors::new(count, sector)
    };
    Suggestion {
        start: after.map(Bytes::new),
        start_sectors: after.and_then(sectors),
        start_before: before.map(Bytes::new),
        size: None,
    }
}

/// The end of the gap of a disk with an MBR; 0 without one.
fn gap(case: &StackCase<'_>, guilty: LayerId, below: LayerId) -> u64 {
    let is_dos = case.stack.layer(below).table == Some(TableKind::Dos);
    let sectors = case.stack.layer(guilty).start_sectors;
    let of_512 = sectors.is_some_and(|start| start.size().get() == 512);
    if is_dos && of_512 { MBR_GAP.get() } else { 0 }
}

/// Whether it can be put right where it is, and how.
pub(super) fn remedy(
    case: &StackCase<'_>,
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
    if let Some(disk) = attached_within(case, guilty) {
        let file = disk.backing_file.as_deref().unwrap_or("its file");
        let step = format!(
            "the loop device begins at byte {} of {file}: move what begins there (`ioalign fix` of that file moves \
             a partition) to a multiple of {}, and attach it there",
            disk.backing_offset, grid.size
        );
        return (Some(true), vec![step]);
    }
    match layer.kind {
        Kind::Partition if swap => (
            Some(true),
            vec![format!(
                "swapoff, create partition {} again{to}, mkswap, swapon: swap holds no data",
                layer.name
            )],
        ),
        Kind::Partition if rebuilds(case, guilty) => (
            Some(true),
            vec![format!(
                "one member at a time: mdadm --fail and --remove {}, create the partition again{to} \
                 and no smaller than its data, mdadm --add, wait for the rebuild",
                layer.name
            )],
        ),
        Kind::Partition => (
            Some(true),
            vec![format!(
                "back up, create partition {} again{to} (sfdisk, parted: unit s), restore; or move \
                 it while it is not in use",
                layer.name
            )],
        ),
        Kind::LvmPv | Kind::Crypt | Kind::Filesystem if is_on_a_partition(case, guilty) => (
            Some(true),
            line(
                "move the partition below while it is not in use, to a start that makes up for where the \
                 data begin in it; or copy the data off, and create it again with its data on the grid \
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
                "the data region is fixed by mkfs: copy the files off, create the file system again \
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
                "files keep their place when geometry is set later: copy it again (cp \
                  --reflink=never) once the file system knows the stripe",
            ),
        ),
        _ => (None, Vec::new()),
    }
}

/// The disk below, if it is a loop device that begins inside its file: what begins with it begins there.
fn attached_within<'a>(case: &'a StackCase<'_>, layer: LayerId) -> Option<&'a DiskDetail> {
    let edge = case.stack.layer(layer).below.first()?;
    let begins = matches!(edge.map, Map::Shift { start } if start.is_zero());
    let disk = case.stack.layer(edge.below).detail.disk()?;
    (begins && disk.backing_offset != 0).then_some(disk)
}

/// Whether a layer lies on one partition and on nothing else.
fn is_on_a_partition(case: &StackCase<'_>, layer: LayerId) -> bool {
    let below = &case.stack.layer(layer).below;
    let kinds = below.iter().map(|edge| case.stack.layer(edge.below).kind);
    below.len() == 1 && kinds.eq([Kind::Partition])
}

/// Whether a partition is a member of an array that does without one.
fn rebuilds(case: &StackCase<'_>, partition: LayerId) -> bool {
    case.stack.above(partition).any(|above| {
        let layer = case.stack.layer(above);
        let level = layer.level.as_ref();
        layer.kind == Kind::Md && level.is_some_and(ArrayLevel::is_redundant)
    })
}

fn lvm_size(size: Bytes) -> String {
    if size.is_multiple_of(Bytes::KIB) {
        format!("{}k", size.get() >> 10)
    } else {
        format!("{}b", size.get())
    }
}
