//! Which layers free whole units, and where a layer meets the nearest of them.

use std::collections::BTreeSet;

use crate::finding::Finding;
use crate::grid::{Confidence, Grid, GridKind, Origin, Tier};
use crate::judge::StackCase;
use crate::layer::detail::{DiskDetail, ImageFormat};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::phase::{PhaseSet, phases_along};
use crate::reach::followed;
use crate::units::Bytes;

/// The units of a layer, as a grid in its address space. It judges nothing but discards.
pub(super) fn unit_of(case: &StackCase<'_>, id: LayerId) -> Option<Grid> {
    let layer = case.stack.layer(id);
    let on_disk = |size: Option<Bytes>, source: &str| {
        let grid = Grid::new(id, size?, Bytes::ZERO, Tier::Preference, kind())?;
        Some(grid.from(Origin::OnDisk, source, Confidence::High))
    };
    if let Some(image) = layer.image() {
        // `qcow2_co_pdiscard` takes whole clusters, with subclusters too (QEMU block/qcow2.c).
        let cluster = image.cluster.filter(|_| image.format == ImageFormat::Qcow2);
        return on_disk(cluster, "qcow2 cluster");
    }
    match layer.kind {
        Kind::ThinPool => on_disk(layer.block, "thin-pool chunk"),
        Kind::Image => on_disk(
            host_block(case, id),
            "block of the file system under the file",
        ),
        _ if is_parity_array(case, id) => on_disk(full_stripe(case, id), "full stripe"),
        // What lies on others passes discards on; the queue merely repeats their limits.
        _ if followed(layer).next().is_none() => reported(layer, id),
        _ => None,
    }
}

fn kind() -> GridKind {
    GridKind::from("discard-unit")
}

/// What the queue says. A card's is the size that it erases fast, not one below which it frees nothing.
fn reported(layer: &Layer, id: LayerId) -> Option<Grid> {
    let limits = layer.discard.filter(|limits| limits.takes_any())?;
    let transport = layer.detail.disk().map(|disk: &DiskDetail| disk.transport);
    if transport == Some("mmc") {
        return None;
    }
    let (size, phase) = (Bytes::new(limits.granularity), Bytes::new(limits.alignment));
    let believed = if limits.granularity.is_power_of_two() && limits.max.is_some() {
        Confidence::Medium
    } else {
        Confidence::Low
    };
    let grid = Grid::new(id, size, phase, Tier::Preference, kind())?;
    Some(grid.from(Origin::Reported, "sysfs discard_granularity", believed))
}

/// A hole in a file is whole blocks of its file system, where that is known.
fn host_block(case: &StackCase<'_>, id: LayerId) -> Option<Bytes> {
    let mut grids = case.stack.grids.iter();
    let known = |grid: &&Grid| {
        grid.layer == id && grid.kind == GridKind::HostBlock && grid.origin != Origin::Assumed
    };
    grids.find(known).map(|grid| grid.size)
}

/// md frees whole stripes (`make_discard_request` in drivers/md/raid5.c), cut by a granularity that is rounded up to a
/// power of two: elsewhere than at powers of two it is not known what is left.
fn full_stripe(case: &StackCase<'_>, id: LayerId) -> Option<Bytes> {
    let mut grids = case.stack.grids.iter();
    let stripe = grids.find(|grid| grid.layer == id && grid.kind == GridKind::FullStripe)?;
    stripe.size.get().is_power_of_two().then_some(stripe.size)
}

/// Whether discards end in this layer, or nobody knows what it does with them.
fn ends_in(case: &StackCase<'_>, id: LayerId) -> bool {
    let layer = case.stack.layer(id);
    match layer.discard {
        Some(limits) => limits.max == Some(0),
        // By default md refuses them on parity (`devices_handle_discard_safely` of raid456).
        None => is_parity_array(case, id),
    }
}

/// An array of the kernel's own: md, or dm-raid of LVM.
fn is_parity_array(case: &StackCase<'_>, id: LayerId) -> bool {
    let is_made_of_others = followed(case.stack.layer(id)).next().is_some();
    is_made_of_others && case.has_parity(id)
}

/// A layer above the nearest units below it.
pub(super) struct Met {
    /// All layers between it and them, itself and theirs among them.
    pub(super) between: BTreeSet<LayerId>,
    /// The units, one a layer that has some.
    pub(super) units: Vec<Grid>,
}

impl Met {
    /// From a layer down; `None` where discards do not get through.
    pub(super) fn below(case: &StackCase<'_>, top: LayerId) -> Option<Self> {
        if case
            .stack
            .layer(top)
            .discard
            .is_some_and(|limits| limits.keeps)
        {
            return None;
        }
        let mut met = Self {
            between: BTreeSet::from([top]),
            units: Vec::new(),
        };
        let mut pending = vec![top];
        while let Some(id) = pending.pop() {
            if ends_in(case, id) {
                return None;
            }
            if id != top
                && let Some(unit) = unit_of(case, id)
            {
                met.units.push(met.as_the_kernel_says(case, unit));
                continue;
            }
            let next = followed(case.stack.layer(id));
            pending.extend(next.filter(|below| met.between.insert(*below)));
        }
        Some(met)
    }

    /// The kernel gives the first boundary in each partition: where it does, that holds for what lies in it.
    fn as_the_kernel_says(&self, case: &StackCase<'_>, unit: Grid) -> Grid {
        let said = self.between.iter().find_map(|id| {
            let layer = case.stack.layer(*id);
            let limits = layer.discard.filter(|_| layer.kind == Kind::Partition)?;
            let edge = layer.below.iter().find(|edge| edge.below == unit.layer)?;
            let Map::Shift { start } = edge.map else {
                return None;
            };
            start.checked_add(Bytes::new(limits.alignment))
        });
        let Some(boundary) = said.filter(|_| unit.origin == Origin::Reported) else {
            return unit;
        };
        let claim = unit.claim.clone().at_phase(boundary.get());
        Grid { claim, ..unit }
    }

    /// Where a layer on the way lies on one of the units.
    pub(super) fn phases(&self, case: &StackCase<'_>, id: LayerId, unit: &Grid) -> PhaseSet {
        phases_along(case.stack, id, unit, &|id| self.between.contains(&id))
    }

    /// The lowest layer from which on, upwards, everything is off the unit.
    pub(super) fn guilty(&self, case: &StackCase<'_>, top: LayerId, unit: &Grid) -> LayerId {
        let off = |id: &LayerId| {
            let phases = self.phases(case, *id, unit);
            *id != unit.layer && phases.is_known() && !phases.is_aligned()
        };
        let mut guilty = top;
        while let Some(below) = followed(case.stack.layer(guilty))
            .filter(|id| self.between.contains(id))
            .find(off)
        {
            guilty = below;
        }
        guilty
    }
}

/// Whether a finding says already, and worse, that this layer starts off the blocks of its disk.
pub(super) fn start_is_said(findings: &[Finding], guilty: LayerId) -> bool {
    findings
        .iter()
        .any(|one| one.rule == crate::rules::START_MISALIGNED && one.guilty == Some(guilty))
}
