//! Blocks smaller than the unit below: aligned, and still read-modify-write.

use super::StackCase;
use crate::cost;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind, Origin, Tier};
use crate::layer::detail::{DatabaseEngine, FileSystemFormat};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::phase::PhaseSet;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

/// The largest block that ext4 has; larger units are clusters.
const PAGE: u64 = 4096;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let databases: Vec<_> = case.databases().collect();
    for leaf in case.data_leaves().chain(databases.iter().copied()) {
        let layer = case.stack.layer(leaf);
        // The kernel pages swap in clusters of its own; a page is never worth a finding. Under a
        // database it is the page that is written.
        let database = databases.iter().any(|above| case.lies_on(*above, leaf));
        let silent = layer.kind == Kind::Swap || database;
        let Some(block) = layer.block.filter(|_| !silent && !said(case, layer)) else {
            continue;
        };
        // Clusters lie on whole units and share none: the file system can do no more.
        let block = layer.cluster.map_or(block, |cluster| cluster.max(block));
        let coarsest = case
            .on_grids(leaf)
            .filter(|(_, grid, _)| grid.tier == Tier::Rmw && grid.size > block)
            .max_by_key(|(_, grid, _)| grid.size);
        if let Some((index, grid, phases)) = coarsest {
            findings.push(finding(case, leaf, block, (index, grid, phases)));
        }
    }
}

/// Whether a text said so already (`zpool status` complains of it itself), of the device that the file system lies on.
fn said(case: &StackCase<'_>, layer: &Layer) -> bool {
    let below = layer.below.iter().map(|edge| case.stack.layer(edge.below));
    below
        .flat_map(|below| &below.remarks)
        .any(|remark| remark.rule == rules::ASHIFT_BELOW_PHYSICAL_BLOCK)
}

fn finding(
    case: &StackCase<'_>,
    leaf: LayerId,
    block: Bytes,
    (index, grid, phases): (usize, &Grid, &PhaseSet),
) -> Finding {
    let layer = case.stack.layer(leaf);
    let times = grid.size.get().div_ceil(block.get().max(1));
    let zfs = has_ashift(layer);
    let severity = match grid.origin {
        Origin::Assumed => Severity::Note,
        // It holds boot loaders and cameras' files, which are written once and in a row.
        _ if layer.filesystem_format() == Some(FileSystemFormat::Fat) => Severity::Note,
        _ if zfs => Severity::Misaligned,
        _ => Severity::Suboptimal,
    };
    let rule = if zfs {
        rules::ASHIFT_BELOW_PHYSICAL_BLOCK
    } else {
        rules::BLOCK_BELOW_RMW_UNIT
    };
    let database = layer.detail.database();
    let source = database
        .and_then(|database| database.block_source.as_ref())
        .map_or_else(String::new, |source| format!(" ({source})"));
    let why = format!(
        "{} writes blocks of {block}{source}, but {} changes {} at a time ({}, {}): a random write of one \
         block costs up to {times} times its size",
        case.subject(leaf),
        case.stack.layer(grid.layer).name,
        grid.size,
        grid.kind,
        grid.source,
    );
    let mut finding = Finding::new(rule, severity, why).at(leaf);
    finding.grid = Some(index);
    finding.unit = Some(grid.size);
    finding.confidence = grid.confidence;
    finding.cost = cost::table(grid.size, phases);
    finding.fixable_in_place = Some(false);
    finding.steps = remedy(layer, grid);
    finding
}

/// How that layer gets units as large as the one below, where it can.
fn larger(layer: &Layer, grid: &Grid) -> String {
    let size = grid.size;
    let engine = layer.detail.database().and_then(|database| database.engine);
    match (engine, layer.filesystem_format()) {
        (Some(DatabaseEngine::BlueStore), _) => format!(
            "create the OSD again with bluestore_min_alloc_size {} (it is fixed when an OSD is made)",
            size.get()
        ),
        (Some(DatabaseEngine::SqlServer), _) => {
            "use a device with smaller units (its pages are always 8 KiB)".to_owned()
        }
        (Some(DatabaseEngine::InnoDb), _) => format!(
            "create the instance again with innodb_page_size {} (64 KiB at most), or use a device \
             with smaller units",
            size.get()
        ),
        _ if layer.kind == Kind::Database => {
            format!("use pages of {size} or a device with smaller units")
        }
        (_, Some(FileSystemFormat::Ext)) if size.get() <= PAGE => {
            format!(
                "create it again with blocks of {size} (mkfs.ext4 -b {})",
                size.get()
            )
        }
        (_, Some(FileSystemFormat::Ext)) => {
            format!(
                "create it again with clusters of {size} (mkfs.ext4 -O bigalloc -C {})",
                size.get()
            )
        }
        _ => format!("use blocks or clusters of {size} where the file system has them"),
    }
}

/// Whether the block of its vdev is known.
fn has_ashift(layer: &Layer) -> bool {
    let filesystem = layer.detail.filesystem();
    filesystem.is_some_and(|filesystem| filesystem.ashift.is_some())
}

fn remedy(layer: &Layer, grid: &Grid) -> Vec<String> {
    if has_ashift(layer) {
        return vec![
            "ashift is fixed when a vdev is made: replace the pool's vdev (zpool create or attach \
             with -o ashift=12; not above 16)"
                .to_owned(),
        ];
    }
    if grid.kind == GridKind::VolumeBlock {
        return vec![
            "create the volume again with a smaller block (zfs create -V … -o volblocksize=16K) or \
             use larger file-system blocks"
                .to_owned(),
        ];
    }
    vec![format!(
        "it costs only small random writes; where those matter, {}",
        larger(layer, grid)
    )]
}
