//! Device-mapper targets that leave a header: dm-integrity and the snapshot's exception store.

use ioalign_core::Bytes;

use super::{UNIT, VolumeMember};
use crate::error::Result;
use crate::view::View;

/// dm-integrity (`struct superblock` of the kernel's `drivers/md/dm-integrity.c`).
pub(super) fn integrity(view: &View) -> Result<Option<VolumeMember>> {
    if !view.has(0, b"integrt\0")? {
        return Ok(None);
    }
    let Some(record) = view.try_record(0, 64)? else {
        return Ok(None);
    };
    let interleave = record.u8(9);
    let reason = match interleave {
        0 => "the checksums of data that lie on another device",
        _ => "checksums are interleaved with the data: addresses below are not linear",
    };
    let mut member = VolumeMember::opaque("integrity", reason);
    member.fact("tag-bytes", &record.le16(10));
    if let Some(size) = UNIT.checked_mul(record.le64(16)) {
        member.fact("provided-size", &size);
    }
    for (name, power) in [("interleave", interleave), ("block-size", record.u8(28))] {
        let units = 1_u64.checked_shl(u32::from(power)).unwrap_or(0);
        member.fact(name, &UNIT.checked_mul(units).unwrap_or(Bytes::ZERO));
    }
    Ok(Some(member))
}

/// Exception store of a device-mapper snapshot (`struct disk_header` of `dm-snap-persistent.c`).
pub(super) fn snapshot(view: &View) -> Result<Option<VolumeMember>> {
    if !view.has(0, b"SnAp")? {
        return Ok(None);
    }
    let Some(record) = view.try_record(0, 16)? else {
        return Ok(None);
    };
    if record.le32(8) != 1 {
        return Ok(None);
    }
    let mut member = VolumeMember::opaque("snapshot-cow", "copied chunks of another device");
    member.fact("valid", &(record.le32(4) != 0));
    member.fact("chunk", &Bytes::new(u64::from(record.le32(12)) * 512));
    Ok(Some(member))
}
