//! ext4: blocks, or clusters, as its device writes them.

use super::{BLOCKS, FileSystemAtomics, FileSystemCase, LARGER, none, too_old, unknown};
use crate::atomic_write::AtomicFileLimits;
use crate::units::Bytes;

/// `ext4_atomic_write_init` in fs/ext4/super.c.
pub(super) fn ext4(case: &FileSystemCase<'_>) -> FileSystemAtomics {
    const SOURCE: &str = "ext4_atomic_write_init in fs/ext4/super.c";
    let (Some(below), Some(block)) = (case.below, case.layer.block) else {
        return unknown(
            SOURCE,
            "the device's limits, or the block size, are not known",
        );
    };
    if below.unit_max == 0 {
        return none(
            SOURCE,
            "ext4 has atomic writes only where its device has".to_owned(),
        );
    }
    let Some(kernel) = case.kernel.filter(|kernel| *kernel >= BLOCKS) else {
        return unknown(
            SOURCE,
            &too_old(case.kernel, "ext4 has atomic writes", BLOCKS),
        );
    };
    if case.layer.cluster.is_some() && kernel < LARGER && case.page > block.get() {
        return unknown(
            SOURCE,
            &too_old(Some(kernel), "ext4 writes clusters in one piece", LARGER),
        );
    }
    let unit = case.layer.cluster.unwrap_or(block);
    let (unit_min, unit_max) = (
        block.get().max(below.unit_min),
        unit.get().min(below.unit_max),
    );
    let fits = unit_min <= unit_max;
    let limits = match fits {
        true => AtomicFileLimits {
            unit_min,
            unit_max,
            unit_max_opt: 0,
        },
        false => AtomicFileLimits::default(),
    };
    let breaks = (!limits.hold(case.page)).then(|| match case.layer.cluster {
        Some(cluster) => format!("its clusters have {cluster}, its device writes {}", Bytes::new(below.unit_max)),
        None => format!("it allocates blocks of {block}: a larger page takes bigalloc (mkfs.ext4 -O bigalloc -C {})", case.page),
    });
    FileSystemAtomics {
        limits: Some(limits),
        out_of_place: false,
        source: SOURCE.to_owned(),
        breaks,
    }
}
