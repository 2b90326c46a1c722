//! exFAT: sector, cluster, where the cluster heap and the partition start.
//!
//! Layout: Microsoft "exFAT file system specification", section 3. The cluster heap is placed by
//! the formatter: off a flash card's erase block, every cluster is.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{product, serial, shifted, utf16_le};
use crate::error::Result;
use crate::view::{Record, View};

const LABEL_ENTRY: u8 = 0x83;
const ENTRY: usize = 32;
/// Of the root directory; the label is among its first entries.
const MOST_DIRECTORY_BYTES: u64 = 32 << 10;

/// Tries exFAT.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(3, b"EXFAT   ")? {
        return Ok(None);
    }
    match view.try_record(0, 512)? {
        Some(boot) => describe(view, &boot).map(Some),
        None => Ok(None),
    }
}

fn describe(view: &View, boot: &Record) -> Result<FileSystem> {
    let (sector_shift, cluster_shift) = (u32::from(boot.u8(108)), u32::from(boot.u8(109)));
    let Some(sector) = shifted(sector_shift, 9, 12) else {
        let what = format!("2^{sector_shift} bytes a sector: 512 to 4096 are allowed");
        return Err(boot.bad(108, "BytesPerSectorShift", what));
    };
    let Some(cluster) = shifted(sector_shift + cluster_shift, sector_shift, 25) else {
        let what = format!("2^{cluster_shift} sectors a cluster: at most 32 MiB are allowed");
        return Err(boot.bad(109, "SectorsPerClusterShift", what));
    };
    let heap = u64::from(boot.le32(88)) * sector;
    let mut found = FileSystem {
        kind: "exfat",
        block: Some(Bytes::new(cluster)),
        sector: Some(Bytes::new(sector)),
        data_start: Bytes::new(heap),
        size: product(boot.le64(72), sector),
        hidden_sectors: Some(boot.le64(64)),
        label: label(view, boot, heap, cluster).unwrap_or_default(),
        uuid: serial(boot.le32(100)),
        ..FileSystem::default()
    };
    let fat = Bytes::new(u64::from(boot.le32(80)) * sector);
    found.facts.insert("fat-start", fat.to_string());
    Ok(found)
}

/// The label entry of the first cluster of the root directory.
fn label(view: &View, boot: &Record, heap: u64, cluster: u64) -> Option<String> {
    let index = u64::from(boot.le32(96).checked_sub(2)?);
    let at = heap.checked_add(index.checked_mul(cluster)?)?;
    let len = usize::try_from(cluster.min(MOST_DIRECTORY_BYTES)).ok()?;
    let directory = view.try_record(at, len).ok()??;
    let entry = directory
        .bytes()
        .chunks_exact(ENTRY)
        .take_while(|entry| entry.first() != Some(&0))
        .find(|entry| entry.first() == Some(&LABEL_ENTRY))?;
    let len = usize::from(*entry.get(1)?).min(11) * 2;
    entry.get(2..2 + len).map(utf16_le)
}
