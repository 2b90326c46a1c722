//! LUKS1: big-endian fixed fields; the payload offset counts 512-byte sectors of any number,
//! 1032, 2056 and 4096 being the usual ones.

use ioalign_core::Bytes;

use super::{detached, place};
use crate::error::Result;
use crate::view::View;
use crate::volumes::{Detail, UNIT, VolumeMember};

/// `sizeof(struct luks_phdr)`.
const HEADER: usize = 592;

/// Reads a header whose magic and version are known to be there.
pub(super) fn read(view: &View) -> Result<VolumeMember> {
    let record = view.record(0, HEADER)?;
    let mut member = VolumeMember::new("luks1", Detail::Crypt { sector: UNIT });
    member.set = record.text(168, 40);
    member.fact(
        "cipher",
        &format!("{}-{}", record.text(8, 32), record.text(40, 32)),
    );
    member.fact("key-bytes", &record.be32(108));
    let start = Bytes::new(u64::from(record.be32(104)) * 512);
    if start.is_zero() {
        detached(&mut member, UNIT);
    } else {
        place(view, &mut member, start, None, UNIT);
    }
    Ok(member)
}
