//! F2FS: block, sector, segment and section, where the main area starts.
//!
//! Layout: `struct f2fs_super_block` (kernel `include/linux/f2fs_fs.h`), at byte 1024. mkfs.f2fs
//! places segment 0 so that segments lie on multiples of 2 MiB of the disk, not of the partition.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{product, shifted, utf16_le};
use crate::error::Result;
use crate::view::{Record, View};

const SUPERBLOCK: u64 = 1024;
const MAGIC: u32 = 0xf2f5_2010;
/// `MAX_VOLUME_NAME` units of UTF-16.
const LABEL_BYTES: usize = 1024;

/// Tries F2FS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(SUPERBLOCK, &MAGIC.to_le_bytes())? {
        return Ok(None);
    }
    match view.try_record(SUPERBLOCK, 0x7c + LABEL_BYTES)? {
        Some(sb) => describe(&sb).map(Some),
        None => Ok(None),
    }
}

fn describe(sb: &Record) -> Result<FileSystem> {
    let log = sb.le32(0x10);
    let Some(block) = shifted(log, 9, 16) else {
        return Err(sb.bad(0x10, "log_blocksize", format!("2^{log} bytes a block")));
    };
    let mut found = FileSystem {
        kind: "f2fs",
        block: Some(Bytes::new(block)),
        sector: shifted(sb.le32(0x08), 9, 16).map(Bytes::new),
        size: product(sb.le64(0x24), block),
        label: utf16_le(sb.slice(0x7c, LABEL_BYTES)),
        uuid: sb.uuid(0x6c),
        ..FileSystem::default()
    };
    add_facts(&mut found, sb, block);
    Ok(found)
}

fn add_facts(found: &mut FileSystem, sb: &Record, block: u64) {
    let segment = shifted(sb.le32(0x14), 0, 16).and_then(|blocks| product(blocks, block));
    let section = segment.and_then(|bytes| bytes.checked_mul(u64::from(sb.le32(0x18))));
    let facts = [
        ("segment", segment),
        ("section", section),
        ("segment0-start", product(u64::from(sb.le32(0x48)), block)),
        ("main-area-start", product(u64::from(sb.le32(0x5c)), block)),
    ];
    for (key, bytes) in facts {
        if let Some(bytes) = bytes {
            found.facts.insert(key, bytes.to_string());
        }
    }
}
