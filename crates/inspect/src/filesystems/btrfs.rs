//! btrfs: sector, node and stripe element, number of devices.
//!
//! Layout: `struct btrfs_super_block` (btrfs documentation "On-disk format"), at 64 KiB. btrfs
//! keeps no RAID geometry of the layer below; data chunks start at 1 MiB and are addressed from
//! byte 0, so that nothing shifts.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::power_of_two;
use crate::error::Result;
use crate::view::{Record, View};

const SUPERBLOCK: u64 = 64 << 10;
const MAGIC: (u64, &[u8; 8]) = (64, b"_BHRfS_M");
const INCOMPAT_ZONED: u64 = 1 << 12;

/// Tries btrfs.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(SUPERBLOCK + MAGIC.0, MAGIC.1)? {
        return Ok(None);
    }
    match view.try_record(SUPERBLOCK, 4096)? {
        Some(sb) => describe(&sb).map(Some),
        None => Ok(None),
    }
}

fn describe(sb: &Record) -> Result<FileSystem> {
    let block = u64::from(sb.le32(144));
    if !power_of_two(block, 512, 65536) {
        let what = format!("A btrfs sector of {block} bytes is not a power of two to 65536");
        return Err(sb.bad(144, "sectorsize", what));
    }
    let mut found = FileSystem {
        kind: "btrfs",
        block: Some(Bytes::new(block)),
        // `dev_item.total_bytes`: this device, where the superblock's total counts all.
        size: Some(Bytes::new(sb.le64(209))).filter(|size| !size.is_zero()),
        label: sb.text(299, 256),
        uuid: sb.uuid(32),
        ..FileSystem::default()
    };
    let mut size = |key, at| {
        let bytes = Bytes::new(u64::from(sb.le32(at)));
        found.facts.insert(key, bytes.to_string());
    };
    size("nodesize", 148);
    size("stripesize", 156);
    found.facts.insert("devices", sb.le64(136).to_string());
    found.facts.insert("device-uuid", sb.uuid(267));
    if sb.le64(188) & INCOMPAT_ZONED != 0 {
        found.facts.insert("zoned", "yes".to_owned());
    }
    Ok(found)
}
