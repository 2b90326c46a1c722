//! Intel Matrix/Rapid Storage (IMSM, "isw"): the anchor in the second last sector of a disk.
//!
//! Layout: `struct imsm_super` of mdadm's `super-intel.c`. Recognised so that no partition table
//! of the array is taken for the disk's; the volumes in it are not followed.

use super::VolumeMember;
use crate::error::Result;
use crate::view::View;

const SIGNATURE: &[u8] = b"Intel Raid ISM Cfg Sig. ";

/// The anchor on a disk of 512- or 4096-byte sectors.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    for sector in [512, 4096] {
        let Some(at) = view.len().checked_sub(2 * sector) else {
            return Ok(None);
        };
        let Some(record) = view.try_record(at, 64)? else {
            return Ok(None);
        };
        if record.has(0, SIGNATURE) {
            let mut member = VolumeMember::opaque("imsm", "a member of an Intel firmware RAID set");
            member.set = format!("{:08x}", record.le32(40));
            member.fact("version", &record.text(24, 6));
            member.fact("disks", &record.u8(56));
            member.fact("volumes", &record.u8(57));
            return Ok(Some(member));
        }
    }
    Ok(None)
}
