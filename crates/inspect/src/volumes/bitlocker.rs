//! BitLocker: the boot sector of an encrypted volume. Sectors keep their places; only the first
//! ones are moved, so data start at 0.
//!
//! Layout: libbde, "BitLocker Drive Encryption (BDE) format specification".

use ioalign_core::Bytes;

use super::{Detail, UNIT, VolumeMember};
use crate::error::Result;
use crate::view::{Record, View};

const SIGNATURE: &[u8] = b"-FVE-FS-";
/// `4967d63b-2e29-4ad8-8399-f6a339e3d001`, in Microsoft's byte order: since Windows 7, and To Go.
const GUID: &[u8] = b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01";
/// BitLocker To Go looks like FAT32 to old systems.
const TO_GO: &[u8] = b"MSWIN4.1";

/// The boot sector of `view`.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let Some(boot) = view.try_record(0, 512)? else {
        return Ok(None);
    };
    let (variant, metadata) = if boot.has(3, TO_GO) && boot.has(424, GUID) {
        ("To Go", boot.le64(440))
    } else if !boot.has(3, SIGNATURE) {
        return Ok(None);
    } else if boot.has(160, GUID) {
        ("Windows 7 or later", boot.le64(176))
    } else {
        ("Windows Vista", vista_metadata(&boot))
    };
    let sector = sector(&boot);
    let mut member = VolumeMember::new("bitlocker", Detail::Crypt { sector });
    member.data_size = Some(Bytes::new(view.len()));
    member.fact("variant", &variant);
    member.fact("sector-size", &sector.get());
    identify(view, metadata, &mut member)?;
    Ok(Some(member))
}

/// Vista writes a cluster number.
fn vista_metadata(boot: &Record) -> u64 {
    let cluster = u64::from(boot.le16(11)) * u64::from(boot.u8(13));
    boot.le64(56).saturating_mul(cluster)
}

fn sector(boot: &Record) -> Bytes {
    match boot.le16(11) {
        size @ (512 | 1024 | 2048 | 4096) => Bytes::new(u64::from(size)),
        _ => UNIT,
    }
}

/// The volume's identifier, where the metadata block is in its place.
fn identify(view: &View, at: u64, member: &mut VolumeMember) -> Result<()> {
    let Some(block) = view.try_record(at, 128)? else {
        return Ok(());
    };
    if block.has(0, SIGNATURE) {
        member.set = block.guid(80);
    }
    Ok(())
}
