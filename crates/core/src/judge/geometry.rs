//! The geometry that a file system was made for, against that of the RAID below it.

use super::StackCase;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind};
use crate::layer::detail::FileSystemFormat;
use crate::layer::{Layer, RaidGeometry};
use crate::layer_id::LayerId;
use crate::rules;
use crate::severity::Severity;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for leaf in case.data_leaves() {
        let layer = case.stack.layer(leaf);
        let made_for = layer.geometry;
        if made_for.is_none() && !takes_geometry(layer) || contradicts_itself(layer) {
            continue;
        }
        if let Some((stripe, chunk)) = array_below(case, leaf) {
            match made_for.filter(|made_for| !made_for.unit.is_zero() || !made_for.width.is_zero())
            {
                None => findings.push(missing(case, leaf, chunk, stripe)),
                Some(made_for) => findings.extend(mismatch(case, leaf, made_for, chunk, stripe)),
            }
        }
    }
}

/// An impossible geometry is reported for any layer below.
fn contradicts_itself(layer: &Layer) -> bool {
    layer
        .remarks
        .iter()
        .any(|remark| remark.rule == rules::XFS_GEOMETRY_BOGUS)
}

/// File systems that place allocations by stripe.
fn takes_geometry(layer: &Layer) -> bool {
    matches!(
        layer.filesystem_format(),
        Some(FileSystemFormat::Xfs | FileSystemFormat::Ext)
    )
}

/// The nearest array below: its full stripe and its chunk.
fn array_below<'a>(case: &'a StackCase<'_>, leaf: LayerId) -> Option<(&'a Grid, &'a Grid)> {
    let of_kind = |kind: GridKind| {
        case.on_grids(leaf)
            .filter(move |(_, grid, _)| grid.kind == kind)
            .max_by_key(|(_, grid, _)| grid.layer)
            .map(|(_, grid, _)| grid)
    };
    let stripe = of_kind(GridKind::FullStripe)?;
    let chunk = of_kind(GridKind::RaidChunk).filter(|chunk| chunk.layer == stripe.layer)?;
    Some((stripe, chunk))
}

fn missing(case: &StackCase<'_>, leaf: LayerId, chunk: &Grid, stripe: &Grid) -> Finding {
    let parity = case.has_parity(stripe.layer);
    // Measured: no effect on small random I/O; on parity arrays large files pay for part stripes.
    let severity = if parity {
        Severity::Suboptimal
    } else {
        Severity::Note
    };
    let why = format!(
        "{} was made without RAID geometry, the array below has {} chunks and a full stripe of {}{}",
        case.subject(leaf),
        chunk.size,
        stripe.size,
        if parity {
            ": large files are not laid out in full stripes"
        } else {
            ""
        }
    );
    let mut finding = Finding::new(rules::FS_GEOMETRY_MISSING, severity, why).at(leaf);
    finding.unit = Some(stripe.size);
    finding.fixable_in_place = Some(true);
    finding.steps = remedy(case.stack.layer(leaf), chunk, stripe);
    finding
}

fn mismatch(
    case: &StackCase<'_>,
    leaf: LayerId,
    made_for: RaidGeometry,
    chunk: &Grid,
    stripe: &Grid,
) -> Option<Finding> {
    let unit_fits = made_for.unit.is_multiple_of(chunk.size);
    let width_fits = made_for.width == stripe.size || made_for.width.is_zero();
    if unit_fits && width_fits {
        return None;
    }
    let why = format!(
        "{} believes in a stripe unit of {} and a width of {}, the array below has {} and {} \
         (grown or moved since mkfs?)",
        case.subject(leaf),
        made_for.unit,
        made_for.width,
        chunk.size,
        stripe.size
    );
    let mut finding = Finding::new(rules::FS_GEOMETRY_MISMATCH, Severity::Suboptimal, why).at(leaf);
    finding.unit = Some(stripe.size);
    finding.fixable_in_place = Some(true);
    finding.steps = remedy(case.stack.layer(leaf), chunk, stripe);
    Some(finding)
}

fn remedy(layer: &Layer, chunk: &Grid, stripe: &Grid) -> Vec<String> {
    let (unit, width) = (chunk.size.get(), stripe.size.get());
    if layer.filesystem_format() == Some(FileSystemFormat::Xfs) {
        return vec![
            format!(
                "mount with sunit={},swidth={} (512-byte units)",
                unit / 512,
                width / 512
            ),
            "files written before keep their place; mkfs.xfs -d su=…,sw=… is the clean way"
                .to_owned(),
        ];
    }
    let block = layer.block.map_or(4096, crate::Bytes::get).max(1);
    vec![format!(
        "tune2fs -E stride={},stripe_width={} DEVICE",
        unit / block,
        width / block
    )]
}
