//! bcachefs: block and bucket.
//!
//! Layout: `struct bch_sb` (kernel `fs/bcachefs/bcachefs_format.h`), at sector 8. The bucket size
//! is a field of this device's entry in the members section.

use ioalign_core::Bytes;

use super::FileSystem;
use crate::error::Result;
use crate::view::{Record, View};

const SUPERBLOCK: u64 = 4096;
const MAGIC: (u64, [u8; 16]) = (
    24,
    [
        0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7,
        0xef,
    ],
);
/// The magic of bcache, which the first ones shared. bcache has its own sector number where these have half of a
/// checksum of 64 bits or fewer: zeros.
const FIRST_MAGIC: [u8; 16] = *b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
/// The start of the variable sections.
const SECTIONS: u64 = 752;
/// Sections looked at; there are about a dozen types.
const MOST_SECTIONS: usize = 64;
const MEMBERS_V1: u32 = 1;
const MEMBERS_V2: u32 = 11;
/// `struct bch_member` of version 1.
const MEMBER_V1_BYTES: u64 = 56;
const SECTOR: u64 = 512;

/// Tries bcachefs.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    let first =
        view.has(SUPERBLOCK + MAGIC.0, &FIRST_MAGIC)? && view.has(SUPERBLOCK + 8, &[0; 8])?;
    if !first && !view.has(SUPERBLOCK + MAGIC.0, &MAGIC.1)? {
        return Ok(None);
    }
    match view.try_record(SUPERBLOCK, 752)? {
        Some(sb) => describe(view, &sb).map(Some),
        None => Ok(None),
    }
}

fn describe(view: &View, sb: &Record) -> Result<FileSystem> {
    let block = u64::from(sb.le16(120)) * SECTOR;
    if !block.is_power_of_two() {
        let what = format!("A bcachefs block of {block} bytes is not a power of two");
        return Err(sb.bad(120, "block_size", what));
    }
    let mut found = FileSystem {
        kind: "bcachefs",
        block: Some(Bytes::new(block)),
        label: sb.text(72, 32),
        uuid: sb.uuid(56),
        ..FileSystem::default()
    };
    found.facts.insert("devices", sb.u8(123).to_string());
    if let Some(bucket) = bucket(view, sb) {
        found.facts.insert("bucket", bucket.to_string());
    }
    Ok(found)
}

/// This device's bucket size; `None` where the sections cannot be followed.
fn bucket(view: &View, sb: &Record) -> Option<Bytes> {
    let device = u64::from(sb.u8(122));
    let mut at = SUPERBLOCK + SECTIONS;
    for _ in 0..MOST_SECTIONS {
        let header = view.try_record(at, 16).ok()??;
        let member = match header.le32(4) {
            0 => return None,
            MEMBERS_V1 => Some(at + 8 + device * MEMBER_V1_BYTES),
            MEMBERS_V2 => Some(at + 16 + device * u64::from(header.le16(8))),
            _ => None,
        };
        if let Some(member) = member {
            let record = view.try_record(member, 32).ok()??;
            return Some(Bytes::new(u64::from(record.le16(26)) * SECTOR));
        }
        let words = u64::from(header.le32(0));
        at = at
            .checked_add(words.checked_mul(8)?)
            .filter(|_| words != 0)?;
    }
    None
}
