//! The guarantee of each device: its queue's word where sysfs has one, else the rule of its driver.

use std::collections::BTreeMap;

use super::drivers::{StackingSupport, support};
use super::stacking::{AtomicLeg, stacked};
use super::{AtomicLimits, KernelRelease};
use crate::layer::{Edge, Kind, Layer};
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::stack::Stack;
use crate::units::Bytes;

/// Block devices have limits, and sysfs the attributes, since this release.
const FIRST: KernelRelease = KernelRelease(6, 11);

/// What one device passes on.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceAtomics {
    /// `None`: not known.
    pub(super) limits: Option<AtomicLimits>,
    /// Whose word that is.
    pub(super) source: String,
    /// Why it is less than what lies below.
    pub(super) breaks: Option<String>,
}

/// What each device of a chain passes on; the chain is in order, bottom first.
pub(super) fn devices(
    stack: &Stack,
    chain: &[LayerId],
    kernel: Option<KernelRelease>,
) -> BTreeMap<LayerId, DeviceAtomics> {
    let mut known = BTreeMap::new();
    for id in chain {
        let found = device(stack, *id, kernel, &known);
        known.insert(*id, found);
    }
    known
}

type KnownDevices = BTreeMap<LayerId, DeviceAtomics>;

fn device(
    stack: &Stack,
    id: LayerId,
    kernel: Option<KernelRelease>,
    known: &KnownDevices,
) -> DeviceAtomics {
    let layer = stack.layer(id);
    match layer.kind {
        Kind::Partition if layer.mapped.is_none() => partition(layer, known),
        _ if layer.below.is_empty() => bottom(layer, kernel),
        _ => upper(stack, layer, kernel, known),
    }
}

/// A device on no other.
fn bottom(layer: &Layer, kernel: Option<KernelRelease>) -> DeviceAtomics {
    if let Some(limits) = layer.atomic {
        return DeviceAtomics {
            limits: Some(limits),
            source: format!("its queue in sysfs: {}", words(limits)),
            breaks: (limits.unit_max == 0).then(|| none_of(layer)),
        };
    }
    let too_old = kernel.is_some_and(|kernel| kernel < FIRST);
    if too_old && layer.kind == Kind::Disk {
        let why = format!("Linux before {FIRST} has no atomic writes");
        return DeviceAtomics {
            limits: Some(AtomicLimits::default()),
            source: "the release of the kernel".to_owned(),
            breaks: Some(why),
        };
    }
    let source = match layer.kind {
        Kind::Image => "an image: what holds its file was not asked",
        _ => "no atomic_write_unit_max_bytes of it is at hand",
    };
    DeviceAtomics {
        source: source.to_owned(),
        ..DeviceAtomics::default()
    }
}

/// Why a disk has none.
fn none_of(layer: &Layer) -> String {
    let disk = layer.detail.disk();
    let is = |name: &str| disk.is_some_and(|disk| disk.transport == name);
    if disk.is_some_and(|disk| disk.backing_file.is_some()) || layer.name.starts_with("loop") {
        return "the loop driver passes no atomic writes to its file (drivers/block/loop.c)"
            .to_owned();
    }
    if layer.facts.contains_key("nvme-atomic-write") {
        let said = layer
            .facts
            .get("nvme-atomic-write")
            .map_or("", String::as_str);
        return format!("the kernel made nothing of what the drive says ({said})");
    }
    if is("virtio") {
        return "virtio-blk has no atomic writes".to_owned();
    }
    "the device offers none to the kernel (NVMe: NAWUPF or AWUPF; SCSI: VPD page B0h)".to_owned()
}

fn partition(layer: &Layer, known: &KnownDevices) -> DeviceAtomics {
    let edge = layer.below.first();
    let below = edge.and_then(|edge| known.get(&edge.below));
    let limits = below.and_then(|below| below.limits);
    let start = edge.and_then(|edge| edge.map.start());
    let (Some(limits), Some(start)) = (limits, start) else {
        return DeviceAtomics {
            source: "the limits of its disk, or its start, are not known".to_owned(),
            ..DeviceAtomics::default()
        };
    };
    let source = "its disk's limits, if it starts at a multiple of the smallest unit and of the boundary \
                  (blk_atomic_write_start_sect_aligned)";
    let fits = limits.allow_start(start.get());
    DeviceAtomics {
        limits: Some(if fits {
            limits
        } else {
            AtomicLimits::default()
        }),
        source: source.to_owned(),
        breaks: (!fits).then(|| {
            let unit = Bytes::new(limits.unit_min.max(limits.boundary));
            format!(
                "it starts at byte {}, which is no multiple of {unit}",
                start.get()
            )
        }),
    }
}

/// A device on others.
fn upper(
    stack: &Stack,
    layer: &Layer,
    kernel: Option<KernelRelease>,
    known: &KnownDevices,
) -> DeviceAtomics {
    let below = layer
        .below
        .iter()
        .map(|edge| known.get(&edge.below)?.limits);
    let below: Option<Vec<_>> = below.collect();
    let least = below
        .as_ref()
        .and_then(|all| all.iter().map(|limits| limits.unit_max).min());
    let support = support(layer);
    let rule = ruled(stack, layer, kernel, known, &support);
    let limits = layer.atomic.or(rule);
    let source = match (layer.atomic, &support) {
        (Some(limits), _) => format!("its queue in sysfs: {}", words(limits)),
        (None, StackingSupport::Since(release, file)) => {
            format!(
                "the rule of its driver ({file}, since Linux {release}, and block/blk-settings.c)"
            )
        }
        (None, StackingSupport::Never(file)) => format!("the rule of its driver ({file})"),
        (None, StackingSupport::Unknown) => "its driver is not known here".to_owned(),
    };
    let breaks = match (limits, least) {
        (Some(mine), Some(least)) if mine.unit_max < least => Some(lost(mine, &support, kernel)),
        (Some(mine), Some(0)) if mine.unit_max == 0 => {
            Some("a device below it has no atomic writes".to_owned())
        }
        _ => None,
    };
    DeviceAtomics {
        limits,
        source,
        breaks,
    }
}

/// Why a device on others passes less on.
fn lost(mine: AtomicLimits, support: &StackingSupport, kernel: Option<KernelRelease>) -> String {
    match support {
        StackingSupport::Never(file) => format!("its driver passes no atomic writes on ({file})"),
        StackingSupport::Since(release, file) if kernel.is_some_and(|kernel| kernel < *release) => {
            format!("its driver passes atomic writes on since Linux {release} ({file})")
        }
        _ if mine.unit_max == 0 => {
            "its parts start off the smallest unit or the boundary below, or their limits exclude one another \
             (blk_stack_atomic_writes_limits in block/blk-settings.c)"
                .to_owned()
        }
        _ => "its chunk or its parts allow no more: the largest power of two that divides the chunk, the smallest \
              of the largest units (blk_stack_atomic_writes_limits in block/blk-settings.c)"
            .to_owned(),
    }
}

/// By the rule of the driver, from the limits below.
fn ruled(
    stack: &Stack,
    layer: &Layer,
    kernel: Option<KernelRelease>,
    known: &KnownDevices,
    support: &StackingSupport,
) -> Option<AtomicLimits> {
    match support {
        StackingSupport::Never(_) => Some(AtomicLimits::default()),
        // An older kernel may have it from a newer one.
        StackingSupport::Since(release, _) if kernel.is_some_and(|kernel| kernel >= *release) => {
            let legs = layer.below.iter().map(|edge| legs(stack, edge, known));
            let legs: Option<Vec<_>> = legs.collect();
            Some(stacked(&legs?.concat(), chunk(layer)))
        }
        _ => None,
    }
}

/// Bytes a chunk, where data are dealt out.
fn chunk(layer: &Layer) -> Option<u64> {
    layer.below.iter().find_map(|edge| match &edge.map {
        Map::Striped { chunk, .. } => Some(chunk.get()),
        _ => None,
    })
}

/// The parts of one device below, with their places on its disk.
fn legs(stack: &Stack, edge: &Edge, known: &KnownDevices) -> Option<Vec<AtomicLeg>> {
    let below = stack.layer(edge.below);
    let (disk, base) = match below.below.first() {
        Some(under) if below.kind == Kind::Partition => (under.below, under.map.start()?.get()),
        _ => (edge.below, 0),
    };
    let limits = known.get(&disk)?.limits?;
    let starts = match &edge.map {
        Map::Linear(runs) => runs.iter().map(|run| run.to).collect(),
        map => vec![map.start()?.get()],
    };
    let leg = |start: u64| {
        Some(AtomicLeg {
            limits,
            start: base.checked_add(start)?,
        })
    };
    starts.into_iter().map(leg).collect()
}

fn words(limits: AtomicLimits) -> String {
    if limits.unit_max == 0 {
        return "atomic_write_unit_max_bytes 0".to_owned();
    }
    let mut said = format!(
        "atomic_write_unit_min_bytes {}, unit_max {}",
        limits.unit_min, limits.unit_max
    );
    if limits.boundary != 0 {
        said.push_str(&format!(", boundary {}", limits.boundary));
    }
    said
}
