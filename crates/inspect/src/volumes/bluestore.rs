//! Ceph BlueStore: the label of an OSD's block device.
//!
//! Layout: `bluestore_bdev_label_t` of Ceph's `src/os/bluestore/`: a line of text, the identifier,
//! then an encoded structure. The allocation size is in its database, which is not read.

use super::VolumeMember;
use crate::error::Result;
use crate::view::View;

const MAGIC: &[u8] = b"bluestore block device\n";

/// The label of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    if !view.has(0, MAGIC)? {
        return Ok(None);
    }
    let Some(record) = view.try_record(0, 128)? else {
        return Ok(None);
    };
    let mut member = VolumeMember::opaque(
        "bluestore",
        "an OSD of Ceph: objects lie where it puts them",
    );
    member.set = record.text(MAGIC.len(), 36);
    Ok(Some(member))
}
