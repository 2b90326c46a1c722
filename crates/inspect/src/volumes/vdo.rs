//! VDO: deduplicated and compressed 4 KiB blocks.
//!
//! Layout: `struct geometry_block` of the kernel's `drivers/md/dm-vdo/` (volume geometry 4 and 5).

use ioalign_core::Bytes;

use super::VolumeMember;
use crate::error::Result;
use crate::view::View;

const MAGIC: &[u8] = b"dmvdo001";
/// `VDO_BLOCK_SIZE`, not configurable.
const BLOCK: u64 = 4096;

/// The geometry block of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    if !view.has(0, MAGIC)? {
        return Ok(None);
    }
    let Some(record) = view.try_record(0, 128)? else {
        return Ok(None);
    };
    let mut member = VolumeMember::opaque("vdo", "deduplication: addresses below are not linear");
    member.set = record.uuid(40);
    member.fact("block-size", &Bytes::new(BLOCK));
    let version = record.le32(12);
    member.fact("geometry-version", &version);
    // Version 5 has a bio offset before the two regions; the second one holds the data.
    let regions = if version >= 5 { 64 } else { 56 };
    let start = record.le64(regions + 16).checked_mul(BLOCK).map(Bytes::new);
    if let Some(start) = start.filter(|start| start.get() < view.len()) {
        member.fact("data-region", &start);
    }
    Ok(Some(member))
}
