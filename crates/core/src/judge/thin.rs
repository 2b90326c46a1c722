//! Granules of volume managers against the stripe: thin chunks and LVM extents.

use super::StackCase;
use super::weight::costs_little;
use crate::finding::Finding;
use crate::grid::{Grid, GridKind};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::rules;
use crate::severity::Severity;
use crate::units::Bytes;

/// Above this a first write after a snapshot copies more than it saves.
const LARGE_CHUNK: u64 = 2 << 20;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    for (id, layer) in case.stack.layers() {
        match (layer.kind, layer.block) {
            (Kind::ThinPool, Some(chunk)) => thin_chunk(case, id, chunk, findings),
            (Kind::LvmPv, Some(extent)) => extent_size(case, id, layer, extent, findings),
            _ => {}
        }
    }
}

fn stripe_below<'a>(case: &'a StackCase<'_>, id: LayerId) -> Option<&'a Grid> {
    case.on_grids(id)
        .filter(|(_, grid, _)| matches!(grid.kind, GridKind::FullStripe | GridKind::OptimalIo))
        .filter(|(_, grid, _)| !costs_little(case, grid))
        .max_by_key(|(_, grid, _)| grid.layer)
        .map(|(_, grid, _)| grid)
}

fn thin_chunk(case: &StackCase<'_>, id: LayerId, chunk: Bytes, findings: &mut Vec<Finding>) {
    let name = case.subject(id);
    if let Some(stripe) = stripe_below(case, id).filter(|grid| !chunk.is_multiple_of(grid.size)) {
        let why = format!(
            "{name} allocates chunks of {chunk}, which is no multiple of the full stripe of {} below: \
             new chunks are written as parts of stripes (read-modify-write, and the write hole on \
             RAID 5 and 6)",
            stripe.size
        );
        let mut finding = Finding::new(
            rules::THIN_CHUNK_NOT_STRIPE_MULTIPLE,
            Severity::Suboptimal,
            why,
        )
        .at(id);
        finding.unit = Some(stripe.size);
        finding.offset = Some(Bytes::new(chunk.get() % stripe.size.get()));
        finding.confidence = stripe.confidence;
        finding.fixable_in_place = Some(false);
        findings.push(finding.step(format!(
            "the chunk size is fixed when the pool is made: lvcreate --type thin-pool --chunksize {}k",
            stripe.size.get() >> 10
        )));
    }
    if chunk.get() > LARGE_CHUNK {
        let why = format!(
            "{name} allocates chunks of {chunk}: the first write after a snapshot copies a whole chunk"
        );
        findings.push(Finding::new(rules::THIN_CHUNK_LARGE, Severity::Note, why).at(id));
    }
}

fn extent_size(
    case: &StackCase<'_>,
    id: LayerId,
    layer: &Layer,
    extent: Bytes,
    findings: &mut Vec<Finding>,
) {
    let Some(stripe) = stripe_below(case, id).filter(|grid| !extent.is_multiple_of(grid.size))
    else {
        return;
    };
    let shown = findings.iter().any(|finding| {
        let volume = finding.guilty.map(|guilty| case.stack.layer(guilty).kind);
        finding.unit == Some(stripe.size) && volume == Some(Kind::LvmLv)
    });
    if shown {
        // A volume off the stripe is this very thing, and says so.
        return;
    }
    let why = format!(
        "Extents of {} are {extent}, which is no multiple of the full stripe of {}: for any start \
         of the first extent, later volumes may start off the stripe",
        layer.name, stripe.size
    );
    let mut finding = Finding::new(rules::EXTENT_NOT_STRIPE_MULTIPLE, Severity::Note, why).at(id);
    finding.unit = Some(stripe.size);
    finding.offset = Some(Bytes::new(extent.get() % stripe.size.get()));
    finding.fixable_in_place = Some(false);
    findings.push(finding.step(
        "choose the extent size when the group is made (vgcreate -s, a multiple of 128 KiB with \
         lvm2 metadata), or allocate volumes in whole stripes",
    ));
}
