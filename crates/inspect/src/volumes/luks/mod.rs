//! LUKS headers: version 1 (fixed fields, 512-byte units) and 2 (two copies, JSON, bytes).
//!
//! Layouts: "LUKS1 On-Disk Format Specification" 1.2.3 and "LUKS2 On-Disk Format Specification" 1.1.

mod json;
mod v1;
mod v2;

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::{Detail, VolumeMember};
use crate::error::Result;
use crate::view::View;

/// Magic of LUKS1 and of the first LUKS2 header.
const MAGIC: &[u8] = b"LUKS\xba\xbe";
/// Put in place of the magic by `cryptsetup-reencrypt` of LUKS1 while it works.
const REENCRYPTING: &[u8] = b"LUKS\xde\xad";

/// The LUKS header of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let Some(head) = view.try_record(0, 8)? else {
        return Ok(None);
    };
    if head.has(0, REENCRYPTING) && head.be16(6) == 1 {
        return Ok(Some(interrupted()));
    }
    if !head.has(0, MAGIC) {
        return Ok(None);
    }
    match head.be16(6) {
        1 => v1::read(view).map(Some),
        2 => v2::read(view).map(Some),
        other => {
            let what = format!("LUKS version {other} is not known");
            Err(view
                .locate(crate::Error::unsupported(what), 6)
                .field("version"))
        }
    }
}

fn interrupted() -> VolumeMember {
    let mut member = VolumeMember::opaque("luks1", "an offline re-encryption was interrupted");
    member.remarks.push(
        Remark::new(
            rules::LUKS_REENCRYPT,
            Severity::DataRisk,
            "The header is marked as being re-encrypted offline; the volume cannot be opened",
        )
        .advise("cryptsetup reencrypt --resume-only finishes what was begun"),
    );
    member
}

/// A header whose data lie on another device: nothing can be said of their place.
fn detached(member: &mut VolumeMember, sector: Bytes) {
    member.detail = Detail::Opaque("the header is detached: data lie on another device".to_owned());
    member.data_size = None;
    member.fact("header", &"detached");
    member.fact("sector-size", &sector.get());
}

/// Sets place and size of the data, with what must hold for them. `size` of `None`: to the end.
fn place(view: &View, member: &mut VolumeMember, start: Bytes, size: Option<Bytes>, sector: Bytes) {
    member.detail = Detail::Crypt { sector };
    member.data_start = start;
    member.fact("sector-size", &sector.get());
    let rest = view.len().checked_sub(start.get()).map(Bytes::new);
    member.data_size = size.or(rest);
    let fits = member
        .data_size
        .zip(rest)
        .is_some_and(|(size, rest)| size <= rest && !rest.is_zero());
    if !fits {
        let why = format!(
            "Encrypted data from byte {} do not fit on the device of {} bytes",
            start.get(),
            view.len()
        );
        let end = size.and_then(|size| start.checked_add(size));
        let remark = Remark::new(rules::LUKS_DATA_PAST_END, Severity::Broken, why);
        member.remarks.push(remark.needing(end));
    } else if let Some(size) = member.data_size {
        remark_size(member, size, sector);
    }
}

/// dm-crypt refuses a device whose size is not whole sectors of the encryption: the way in which
/// growing a partition to the last sector locks people out of a 4096-byte LUKS2 volume.
fn remark_size(member: &mut VolumeMember, size: Bytes, sector: Bytes) {
    if size.is_multiple_of(sector) {
        return;
    }
    let over = size.get().checked_rem(sector.get()).unwrap_or(0);
    let why = format!(
        "The encrypted area of {} bytes is {over} bytes over a multiple of its {}-byte sector: \
         it cannot be opened",
        size.get(),
        sector.get()
    );
    member.remarks.push(
        Remark::new(rules::LUKS_SIZE_NOT_MULTIPLE, Severity::Broken, why).advise(format!(
            "make the device {over} bytes smaller, or larger by a whole sector"
        )),
    );
}
