//! Grids that follow from metadata on disk.

use ioalign_core::{Bytes, Confidence, Grid, GridKind, LayerId, Origin, Tier};

use crate::volumes::md::geometry::MdGeometry;

/// The grids of a striped array: its chunk, its full stripe, and md's page for parity arrays.
///
/// `source` names who says so (`md superblock`, `sysfs md/chunk_size`, `LVM metadata`).
pub fn md_grids(layer: LayerId, geometry: &MdGeometry, chunk: Bytes, source: &str) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut add = |size: Option<Bytes>, tier, kind, source: &str| {
        let grid = size.and_then(|size| Grid::new(layer, size, Bytes::ZERO, tier, kind));
        grids.extend(grid.map(|grid| grid.from(Origin::OnDisk, source, Confidence::High)));
    };
    if chunk.is_zero() {
        return grids;
    }
    add(Some(chunk), Tier::Preference, GridKind::RaidChunk, source);
    if geometry.data > 1 {
        add(
            chunk.checked_mul(geometry.data),
            Tier::Preference,
            GridKind::FullStripe,
            source,
        );
    }
    if geometry.parity > 0 {
        // Whole pages are read before a part of one is written: measured 2.4 × at sector 63.
        let why = "drivers/md/raid5.c handles stripes in 4 KiB pages";
        add(
            Some(Bytes::new(4096)),
            Tier::Rmw,
            GridKind::MdStripeCachePage,
            why,
        );
    }
    grids
}
