//! SNIA Disk Data Format: the anchor header in the last sector of a disk.
//!
//! Layout: "Common RAID Disk Data Format Specification" 2.0, big-endian; some firmware writes
//! little-endian. Recognised; the virtual disks in it are not followed.

use super::VolumeMember;
use crate::error::Result;
use crate::view::View;

/// `DDF_HEADER_MAGIC`.
const MAGIC: u32 = 0xde11_de11;

/// The anchor on a disk of 512- or 4096-byte sectors; Adaptec leaves 257 sectors behind it.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    for from_end in [512, 4096, 257 * 512] {
        let Some(at) = view.len().checked_sub(from_end) else {
            continue;
        };
        let Some(record) = view.try_record(at, 64)? else {
            continue;
        };
        let known = record.be32(0) == MAGIC || record.le32(0) == MAGIC;
        // The revision follows the identifier: text such as `01.02.00`.
        if known && record.has(32, b"0") {
            let mut member = VolumeMember::opaque("ddf", "a member of a DDF firmware RAID set");
            member.set = record
                .slice(8, 24)
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            member.fact("version", &record.text(32, 8));
            return Ok(Some(member));
        }
    }
    Ok(None)
}
