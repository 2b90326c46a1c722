//! FAT12, FAT16 and FAT32: sector, cluster, where the data region starts.
//!
//! Layout: Microsoft "FAT: General Overview of On-Disk Format" (fatgen103). Formatters rarely
//! align the data region: on a flash card every cluster may then straddle two pages.
//!
//! FAT has no magic number worth the name. The boot sector of an MBR disk, of an md member or of
//! a boot loader that kept an old parameter block must not look like one, so that the parameter
//! block must be consistent *and* the first FAT must begin as the format demands.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{
    on_disk::{FAT16_BELOW, FatBootSector},
    rules,
};

use super::FileSystem;
use super::fields::{product, serial};
use crate::error::Result;
use crate::view::{Record, View};

const ENTRY: usize = 32;
/// Of the root directory; the label is usually the first entry.
const MOST_DIRECTORY_BYTES: u64 = 32 << 10;
/// Encrypted volumes and other file systems that keep a parameter block.
const FOREIGN: [&[u8]; 3] = [b"-FVE-FS-", b"NTFS    ", b"EXFAT   "];
/// BitLocker To Go has a true FAT32 block and this GUID at 0x1a8.
const BITLOCKER_TO_GO: [u8; 16] = [
    0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01,
];

/// Tries FAT.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    let Some(boot) = view.try_record(0, 512)? else {
        return Ok(None);
    };
    if !boot_sector(&boot) {
        return Ok(None);
    }
    let layout = FatBootSector::read(boot.bytes()).filter(is_consistent);
    let Some(layout) = layout else {
        return Ok(None);
    };
    let Some(fat) = view.try_record(layout.reserved * layout.sector, 16)? else {
        return Ok(None);
    };
    if !first_entries(&fat, &layout) {
        return Ok(None);
    }
    Ok(Some(describe(view, &boot, &layout)))
}

/// The usual jump, and the name of no other format.
fn boot_sector(boot: &Record) -> bool {
    let jump = boot.u8(0) == 0xe9 || (boot.u8(0) == 0xeb && boot.u8(2) == 0x90);
    jump && !FOREIGN.iter().any(|name| boot.has(3, name))
        && !boot.has(0x1a8, &BITLOCKER_TO_GO)
        && !boot.has(0x36, b"JFS     ")
        && !boot.has(0x36, b"HPFS    ")
}

fn is_consistent(layout: &FatBootSector) -> bool {
    (layout.media == 0xf0 || layout.media >= 0xf8)
        && layout.fat_sectors != 0
        && layout.clusters() != 0
        && layout.is_wide == (layout.root_entries == 0)
        && (layout.is_wide || layout.clusters() < FAT16_BELOW)
        && large_enough(layout)
}

/// Each FAT has an entry a cluster, and two more. Some formatters err by a sector, which systems
/// bear; one of half the size is no FAT.
fn large_enough(layout: &FatBootSector) -> bool {
    let capacity = layout.fat_sectors.saturating_mul(layout.sector * 8) / layout.bits();
    capacity.saturating_mul(2) >= layout.clusters()
}

/// FAT[0] repeats the media byte under ones; FAT[1] is an end mark, whose highest two bits
/// FAT16 and FAT32 use as flags.
fn first_entries(fat: &Record, layout: &FatBootSector) -> bool {
    let media = layout.media;
    let same = fat.u8(0) == media || (fat.u8(0) >= 0xf0 && media >= 0xf0);
    same && match layout.bits() {
        12 => fat.has(1, &[0xff, 0xff]),
        16 => fat.u8(1) == 0xff && fat.u8(2) >= 0xf0,
        _ => fat.has(1, &[0xff, 0xff]) && fat.u8(3) & 0x0f == 0x0f && fat.u8(4) >= 0xf0,
    }
}

fn describe(view: &View, boot: &Record, layout: &FatBootSector) -> FileSystem {
    // The extended block comes after the FAT32 fields where there are any.
    let extended = if layout.is_wide { 0x40 } else { 0x24 };
    let signature = boot.u8(extended + 2);
    let mut found = FileSystem {
        kind: match layout.bits() {
            12 => "fat12",
            16 => "fat16",
            _ => "fat32",
        },
        block: Some(Bytes::new(layout.cluster_bytes())),
        sector: Some(Bytes::new(layout.sector)),
        data_start: Bytes::new(layout.data_start() * layout.sector),
        size: product(layout.sectors, layout.sector),
        hidden_sectors: Some(u64::from(layout.hidden)),
        label: label(view, layout).unwrap_or_default(),
        ..FileSystem::default()
    };
    if matches!(signature, 0x28 | 0x29) {
        found.uuid = serial(boot.le32(extended + 3));
    }
    let fat = Bytes::new(layout.reserved * layout.sector);
    found.facts.insert("fat-start", fat.to_string());
    found
        .facts
        .insert("clusters", layout.clusters().to_string());
    found.remarks.extend(too_few(layout));
    found
}

fn too_few(layout: &FatBootSector) -> Option<Remark> {
    let clusters = layout.clusters();
    if !layout.is_wide || clusters >= FAT16_BELOW {
        return None;
    }
    let why = format!(
        "FAT32 with {clusters} clusters, where the specification demands at least \
         {FAT16_BELOW}: strict systems take it for FAT16"
    );
    Some(Remark::note(rules::FAT32_TOO_FEW_CLUSTERS, why))
}

/// The volume-label entry of the root directory, whose first piece is looked at.
fn label(view: &View, layout: &FatBootSector) -> Option<String> {
    let (at, len) = if layout.is_wide {
        let cluster = u64::from(layout.root.checked_sub(2)?);
        let first = layout.data_start() + cluster * layout.cluster_sectors;
        (first, layout.cluster_bytes())
    } else {
        (layout.root_start(), layout.root_sectors() * layout.sector)
    };
    let len = usize::try_from(len.min(MOST_DIRECTORY_BYTES)).ok()?;
    let directory = view.try_record(at * layout.sector, len).ok()??;
    let mut entries = directory.bytes().chunks_exact(ENTRY);
    entries
        .by_ref()
        .take_while(|entry| entry.first() != Some(&0))
        .find(|entry| is_label(entry))
        .and_then(|entry| entry.get(..11))
        .map(|name| String::from_utf8_lossy(name).trim().to_owned())
}

/// Attribute "volume" and not "directory" nor a long name; not deleted, no cluster.
fn is_label(entry: &[u8]) -> bool {
    let byte = |at: usize| entry.get(at).copied().unwrap_or_default();
    let attributes = byte(11);
    let no_cluster = [20, 21, 26, 27].into_iter().all(|at| byte(at) == 0);
    byte(0) != 0xe5 && attributes & 0x3f != 0x0f && attributes & 0x18 == 0x08 && no_cluster
}
