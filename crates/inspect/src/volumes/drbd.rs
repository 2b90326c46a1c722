//! DRBD with internal metadata: the last 4 KiB of the device; data start at 0.
//!
//! Layout: `struct meta_data_on_disk` of the kernel's `drivers/block/drbd/drbd_main.c` (8.x) and
//! of drbd-utils (9), big-endian; both have the fields read here in the same places.

use ioalign_core::Bytes;

use super::{Detail, UNIT, VolumeMember, owner};
use crate::error::Result;
use crate::view::{Record, View};

const FROM_END: u64 = 4096;
/// `DRBD_MD_MAGIC_08`, `_84_UNCLEAN`, `_09`.
const MAGICS: [(u32, &str); 3] = [
    (0x8374_026b, "8"),
    (0x8374_026c, "8.4, not shut down cleanly"),
    (0x8374_026d, "9"),
];

/// Where the magic number lies in the metadata.
pub(crate) const MAGIC_AT: u64 = 60;

/// The metadata at the end of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let Some((record, version, at)) = at_end(view)? else {
        return Ok(None);
    };
    if owner::in_partition(view, at)? {
        return Ok(None);
    }
    Ok(Some(member(&record, version, at)))
}

/// The place of the metadata on a device of `len` bytes: a 4 KiB boundary.
pub(crate) const fn place(len: u64) -> Option<u64> {
    (len & !(FROM_END - 1)).checked_sub(FROM_END)
}

/// The metadata at that place, whoever they belong to, and the bytes that they say are before them.
pub(crate) fn seen(view: &View) -> Result<Option<(u64, u64)>> {
    let found = view.trying(at_end)?;
    Ok(found.map(|(record, _, at)| (at, record.be64(0).saturating_mul(512))))
}

fn at_end(view: &View) -> Result<Option<(Record, &'static str, u64)>> {
    let Some(at) = place(view.len()) else {
        return Ok(None);
    };
    let record = view.record(at, 512)?;
    let magic = record.be32(60);
    let known = MAGICS.iter().find(|(known, _)| *known == magic);
    Ok(known.map(|(_, version)| (record, *version, at)))
}

fn member(record: &Record, version: &str, at: u64) -> VolumeMember {
    let mut member = VolumeMember::new("drbd", Detail::Shifted);
    // 9 has its device identifier where 8 has a reserved field behind it.
    let id = match version {
        "9" => record.be64(48),
        _ => record.be64(40),
    };
    member.set = format!("{id:016x}");
    let size = UNIT
        .checked_mul(record.be64(0))
        .filter(|size| size.get() <= at);
    member.data_size = Some(
        size.filter(|size| !size.is_zero())
            .unwrap_or(Bytes::new(at)),
    );
    member.fact("version", &version);
    let reserved = u64::from(record.be32(64)) * 512;
    member.fact("metadata-size", &Bytes::new(reserved));
    member
}
