//! UFS1 and UFS2 in either byte order: block and fragment.
//!
//! Layout: `struct fs` (FreeBSD `sys/ufs/ffs/fs.h`); the superblock lies at 8 KiB (UFS1), 64 KiB
//! (UFS2), 0 (floppies) or 256 KiB.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{power_of_two, product};
use crate::error::Result;
use crate::view::{Record, View};

const PLACES: [u64; 4] = [8 << 10, 64 << 10, 0, 256 << 10];
const MAGIC: u64 = 0x55c;
const UFS2: u32 = 0x1954_0119;
/// UFS1, and the variants of Solaris and HP-UX: FEA, LFN, SEC, 4GB.
const UFS1: [u32; 5] = [
    0x0001_1954,
    0x0019_5612,
    0x0009_5014,
    0x0061_2195,
    0x0523_1994,
];

/// A field in the byte order of the machine that made the file system.
struct UfsFields {
    record: Record,
    big: bool,
}

impl UfsFields {
    fn u32(&self, at: usize) -> u32 {
        if self.big {
            self.record.be32(at)
        } else {
            self.record.le32(at)
        }
    }

    fn u64(&self, at: usize) -> u64 {
        if self.big {
            self.record.be64(at)
        } else {
            self.record.le64(at)
        }
    }
}

/// Tries UFS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    for place in PLACES {
        let Some(magic) = view.try_record(place + MAGIC, 4)? else {
            continue;
        };
        let Some(big) = byte_order(&magic) else {
            continue;
        };
        let record = view.record(place, 1376)?;
        if let Some(found) = describe(&UfsFields { record, big }) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether the magic number is big endian; `None` where it is none.
fn byte_order(magic: &Record) -> Option<bool> {
    let known = |value: u32| value == UFS2 || UFS1.contains(&value);
    match (magic.le32(0), magic.be32(0)) {
        (little, _) if known(little) => Some(false),
        (_, big) if known(big) => Some(true),
        _ => None,
    }
}

fn describe(sb: &UfsFields) -> Option<FileSystem> {
    let (block, fragment) = (u64::from(sb.u32(0x30)), u64::from(sb.u32(0x34)));
    if !power_of_two(block, 4096, 65536) || !power_of_two(fragment, 512, block) {
        return None;
    }
    let second = sb.u32(0x55c) == UFS2;
    let fragments = if second {
        sb.u64(0x438)
    } else {
        u64::from(sb.u32(0x24))
    };
    let mut found = FileSystem {
        kind: if second { "ufs2" } else { "ufs1" },
        // A file's tail is written by fragments.
        block: Some(Bytes::new(fragment)),
        size: product(fragments, fragment),
        uuid: format!("{:08x}{:08x}", sb.u32(0x90), sb.u32(0x94)),
        ..FileSystem::default()
    };
    if second {
        found.label = sb.record.text(0x2a8, 32);
    }
    let endian = if sb.big { "big" } else { "little" };
    found.facts.insert("block", Bytes::new(block).to_string());
    found.facts.insert("endian", endian.to_owned());
    Some(found)
}
