//! Stratis pool devices: one of two copies of the signature block.
//!
//! Layout: "Stratis Software Design", signature block in sectors 1 and 9.

use ioalign_core::Bytes;

use super::{UNIT, VolumeMember};
use crate::error::Result;
use crate::view::View;

const MAGIC: &[u8] = b"!Stra0tis\x86\xff\x02^Arh";

/// The signature block of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    for at in [512, 9 * 512] {
        let Some(record) = view.try_record(at, 128)? else {
            return Ok(None);
        };
        if record.has(4, MAGIC) {
            let mut member = VolumeMember::opaque(
                "stratis",
                "a Stratis pool: its thin layers are described in JSON that is not followed",
            );
            member.set = record.text(32, 32);
            member.fact("device-uuid", &record.text(64, 32));
            member.fact(
                "device-size",
                &UNIT.checked_mul(record.le64(20)).unwrap_or(Bytes::ZERO),
            );
            return Ok(Some(member));
        }
    }
    Ok(None)
}
