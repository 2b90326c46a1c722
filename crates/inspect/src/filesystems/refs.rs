//! ReFS: sector and cluster (4 KiB or 64 KiB).
//!
//! Layout: boot sector as documented by the libfsrefs project ("FSRS" at 16, sizes at 32 and 36).

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{power_of_two, product};
use crate::error::Result;
use crate::view::{Record, View};

const MAGIC: &[u8; 8] = b"\0\0\0ReFS\0";

/// Tries ReFS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(0, MAGIC)? {
        return Ok(None);
    }
    Ok(view.try_record(0, 512)?.map(|boot| describe(&boot)))
}

fn describe(boot: &Record) -> FileSystem {
    let sector = u64::from(boot.le32(32));
    let cluster = sector.saturating_mul(u64::from(boot.le32(36)));
    let known = power_of_two(sector, 512, 4096) && power_of_two(cluster, sector, 2 << 20);
    let mut found = FileSystem {
        kind: "refs",
        uuid: format!("{:016X}", boot.le64(56)),
        ..FileSystem::default()
    };
    if known {
        found.block = Some(Bytes::new(cluster));
        found.sector = Some(Bytes::new(sector));
        found.size = product(boot.le64(24), sector);
    }
    let version = format!("{}.{}", boot.u8(40), boot.u8(41));
    found.facts.insert("version", version);
    found
}
