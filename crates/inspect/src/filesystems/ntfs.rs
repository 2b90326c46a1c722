//! NTFS: sector, cluster, where it believes that it starts.
//!
//! Layout: the NTFS boot sector of the Microsoft documentation. Boot code reads the hidden-sectors
//! field at 0x1c to find its partition: a wrong one stops Windows from booting after a move.

use ioalign_core::Bytes;
use ioalign_core::on_disk::NtfsBootSector;

use super::FileSystem;
use super::fields::{product, utf16_le};
use crate::error::Result;
use crate::view::{Record, View};

/// `$Volume`, whose `$VOLUME_NAME` attribute is the label.
const VOLUME_RECORD: u64 = 3;
const VOLUME_NAME: u32 = 0x60;
const END_OF_ATTRIBUTES: u32 = 0xffff_ffff;
/// More attributes than any `$Volume` record has.
const MOST_ATTRIBUTES: usize = 32;

/// Tries NTFS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(3, b"NTFS    ")? {
        return Ok(None);
    }
    let Some(boot) = view.try_record(0, 512)? else {
        return Ok(None);
    };
    let Some(volume) = NtfsBootSector::read(boot.bytes()) else {
        return Ok(None);
    };
    if !volume.is_sector() {
        let sector = volume.sector;
        let what = format!("An NTFS sector of {sector} bytes is not a power of two to 4096");
        return Err(boot.bad(0x0b, "bytes_per_sector", what));
    }
    let Some(cluster) = volume.cluster() else {
        let what = format!("{} sectors a cluster", volume.cluster_code);
        return Err(boot.bad(0x0d, "sectors_per_cluster", what));
    };
    Ok(Some(FileSystem {
        kind: "ntfs",
        block: Some(Bytes::new(cluster)),
        sector: Some(Bytes::new(volume.sector)),
        size: product(volume.sectors, volume.sector),
        hidden_sectors: Some(u64::from(volume.hidden)),
        label: label(view, &volume, cluster).unwrap_or_default(),
        uuid: format!("{:016X}", volume.serial),
        ..FileSystem::default()
    }))
}

/// The label; `None` where the MFT cannot be read, which harms nothing else.
fn label(view: &View, volume: &NtfsBootSector, cluster: u64) -> Option<String> {
    let size = volume.record()?;
    let mft = volume.table.checked_mul(cluster)?;
    let at = mft.checked_add(size * VOLUME_RECORD)?;
    let record = view.try_record(at, usize::try_from(size).ok()?).ok()??;
    record.has(0, b"FILE").then(|| name_in(&record))?
}

fn name_in(record: &Record) -> Option<String> {
    let mut at = usize::from(record.le16(0x14));
    for _ in 0..MOST_ATTRIBUTES {
        match record.le32(at) {
            END_OF_ATTRIBUTES => return None,
            VOLUME_NAME => {
                let len = usize::try_from(record.le32(at + 0x10)).ok()?;
                let start = at + usize::from(record.le16(at + 0x14));
                return Some(utf16_le(record.slice(start, len)));
            }
            _ => {}
        }
        let len = usize::try_from(record.le32(at + 4)).ok()?;
        at = at.checked_add(len).filter(|_| len != 0)?;
        if at >= record.bytes().len() {
            return None;
        }
    }
    None
}
