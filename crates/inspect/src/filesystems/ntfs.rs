//! NTFS: sector, cluster, where it believes that it starts.
//!
//! Layout: the NTFS boot sector of the Microsoft documentation. Boot code reads the hidden-sectors
//! field at 0x1c to find its partition: a wrong one stops Windows from booting after a move.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{power_of_two, product, utf16_le};
use crate::error::Result;
use crate::view::{Record, View};

/// Windows 10 raised the limit to 2 MiB.
const LARGEST_CLUSTER: u64 = 2 << 20;
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
    match view.try_record(0, 512)? {
        Some(boot) => describe(view, &boot).map(Some),
        None => Ok(None),
    }
}

fn describe(view: &View, boot: &Record) -> Result<FileSystem> {
    let sector = u64::from(boot.le16(0x0b));
    if !power_of_two(sector, 256, 4096) {
        let what = format!("An NTFS sector of {sector} bytes is not a power of two to 4096");
        return Err(boot.bad(0x0b, "bytes_per_sector", what));
    }
    let Some(cluster) = cluster(sector, boot.u8(0x0d)) else {
        let what = format!("{} sectors a cluster", boot.u8(0x0d));
        return Err(boot.bad(0x0d, "sectors_per_cluster", what));
    };
    Ok(FileSystem {
        kind: "ntfs",
        block: Some(Bytes::new(cluster)),
        sector: Some(Bytes::new(sector)),
        size: product(boot.le64(0x28), sector),
        hidden_sectors: Some(u64::from(boot.le32(0x1c))),
        label: label(view, boot, cluster).unwrap_or_default(),
        uuid: format!("{:016X}", boot.le64(0x48)),
        ..FileSystem::default()
    })
}

/// Sectors a cluster: a count up to 128, or above it the negative exponent of two
/// (0xf4: 2^12 sectors).
fn cluster(sector: u64, code: u8) -> Option<u64> {
    let sectors = match code {
        1..=128 if code.is_power_of_two() => u64::from(code),
        240..=249 => 1 << (256 - u32::from(code)),
        _ => return None,
    };
    Some(sector * sectors).filter(|bytes| *bytes <= LARGEST_CLUSTER)
}

/// Bytes an MFT record: clusters, or where negative the exponent of two of bytes.
fn mft_record(boot: &Record, cluster: u64) -> Option<u64> {
    let code = boot.u8(0x40);
    let bytes = match code {
        1..=64 => cluster * u64::from(code),
        0xe1..=0xf7 => 1_u64.checked_shl(256 - u32::from(code))?,
        _ => return None,
    };
    power_of_two(bytes, 256, 65536).then_some(bytes)
}

/// The label; `None` where the MFT cannot be read, which harms nothing else.
fn label(view: &View, boot: &Record, cluster: u64) -> Option<String> {
    let size = mft_record(boot, cluster)?;
    let mft = boot.le64(0x30).checked_mul(cluster)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_above_64_kib_are_coded_as_exponents() {
        assert_eq!(cluster(512, 8), Some(4096));
        assert_eq!(cluster(512, 128), Some(65536));
        assert_eq!(cluster(512, 0xf8), Some(131_072));
        assert_eq!(cluster(512, 0xf4), Some(2 << 20));
        assert_eq!(cluster(512, 0xf3), None);
        assert_eq!(cluster(4096, 0), None);
        assert_eq!(cluster(4096, 3), None);
    }
}
