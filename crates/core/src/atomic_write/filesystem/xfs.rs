//! XFS: single blocks as its device writes them, or any number elsewhere.

use super::{BLOCKS, FileSystemAtomics, FileSystemCase, LARGER, too_old, unknown};
use crate::atomic_write::AtomicFileLimits;
use crate::units::Bytes;

/// `xfs_get_atomic_write_max` in fs/xfs/xfs_iops.c.
pub(super) fn xfs(case: &FileSystemCase<'_>) -> FileSystemAtomics {
    const SOURCE: &str = "xfs_get_atomic_write_max in fs/xfs/xfs_iops.c";
    let Some(block) = case.layer.block.map(Bytes::get) else {
        return unknown(SOURCE, "its block size is not known");
    };
    let reflink = case
        .layer
        .detail
        .filesystem()
        .and_then(|detail| detail.reflink);
    let Some(kernel) = case.kernel.filter(|kernel| *kernel >= BLOCKS) else {
        return unknown(
            SOURCE,
            &too_old(case.kernel, "XFS has atomic writes", BLOCKS),
        );
    };
    let elsewhere = kernel >= LARGER;
    if !elsewhere && case.page > block {
        return unknown(
            SOURCE,
            &too_old(
                Some(kernel),
                "XFS writes more than one block in one piece",
                LARGER,
            ),
        );
    }
    if elsewhere && reflink == Some(true) && case.page >= block {
        let whole = case.page == block;
        let limits = whole.then_some(single(block));
        let breaks = (!whole).then(|| {
            "pages larger than a block go as far as its log and its allocation groups allow: statx of a file in it says how far"
                .to_owned()
        });
        return FileSystemAtomics {
            limits,
            out_of_place: true,
            source: SOURCE.to_owned(),
            breaks,
        };
    }
    if elsewhere && reflink.is_none() {
        return unknown(
            SOURCE,
            "whether it has reflink, which software atomic writes need, is not known",
        );
    }
    let Some(below) = case.below else {
        return unknown(SOURCE, "the device's limits are not known");
    };
    let by_device = below.of_file().hold(block);
    let limits = match by_device {
        true => single(block),
        false => AtomicFileLimits::default(),
    };
    let breaks = (!limits.hold(case.page)).then(|| match (elsewhere, by_device) {
        (true, _) if case.page < block => format!("its blocks have {}: it writes no less in one piece", Bytes::new(block)),
        (true, false) => "it was made without reflink, so that it cannot write elsewhere, and its device has no atomic writes of its blocks".to_owned(),
        (true, true) => format!("it was made without reflink: only single blocks of {}, by the device", Bytes::new(block)),
        (false, _) => "its device has no atomic writes of its blocks".to_owned(),
    });
    FileSystemAtomics {
        limits: Some(limits),
        out_of_place: false,
        source: SOURCE.to_owned(),
        breaks,
    }
}

const fn single(block: u64) -> AtomicFileLimits {
    AtomicFileLimits {
        unit_min: block,
        unit_max: block,
        unit_max_opt: 0,
    }
}
