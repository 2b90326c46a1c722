//! FAT12, FAT16 and FAT32: sector, cluster, where the data region starts.
//!
//! Layout: Microsoft "FAT: General Overview of On-Disk Format" (fatgen103). Formatters rarely
//! align the data region: on a flash card every cluster may then straddle two pages.
//!
//! FAT has no magic number worth the name. The boot sector of an MBR disk, of an md member or of
//! a boot loader that kept an old parameter block must not look like one, so that the parameter
//! block must be consistent *and* the first FAT must begin as the format demands.

use ioalign_core::{Bytes, Remark};

use super::FileSystem;
use super::fields::{power_of_two, product, serial};
use crate::error::Result;
use crate::view::{Record, View};

/// Fewer clusters are FAT12, fewer than the second FAT16, all others FAT32.
const FAT12_CLUSTERS: u64 = 4085;
const FAT16_CLUSTERS: u64 = 65525;
const ENTRY: usize = 32;
/// Of the root directory; the label is usually the first entry.
const MOST_DIRECTORY_BYTES: u64 = 32 << 10;
/// Encrypted volumes and other file systems that keep a parameter block.
const FOREIGN: [&[u8]; 3] = [b"-FVE-FS-", b"NTFS    ", b"EXFAT   "];
/// BitLocker To Go has a true FAT32 block and this GUID at 0x1a8.
const BITLOCKER_TO_GO: [u8; 16] = [
    0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01,
];

/// The parameter block, in sectors unless named otherwise.
struct Layout {
    sector: u64,
    cluster_sectors: u64,
    reserved: u64,
    fats: u64,
    fat_sectors: u64,
    root_sectors: u64,
    total: u64,
    /// The 32-bit layout with its root directory in clusters.
    wide: bool,
}

impl Layout {
    fn root_start(&self) -> u64 {
        self.reserved + self.fats * self.fat_sectors
    }

    fn data_start(&self) -> u64 {
        self.root_start() + self.root_sectors
    }

    fn clusters(&self) -> u64 {
        self.total.saturating_sub(self.data_start()) / self.cluster_sectors
    }

    fn cluster_bytes(&self) -> u64 {
        self.sector * self.cluster_sectors
    }

    fn kind(&self) -> &'static str {
        match self.clusters() {
            _ if self.wide => "fat32",
            n if n < FAT12_CLUSTERS => "fat12",
            _ => "fat16",
        }
    }
}

/// Tries FAT.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    let Some(boot) = view.try_record(0, 512)? else {
        return Ok(None);
    };
    if !boot_sector(&boot) {
        return Ok(None);
    }
    let Some(layout) = layout(&boot) else {
        return Ok(None);
    };
    let Some(fat) = view.try_record(layout.reserved * layout.sector, 16)? else {
        return Ok(None);
    };
    if !first_entries(&fat, boot.u8(0x15), &layout) {
        return Ok(None);
    }
    Ok(Some(describe(view, &boot, &layout)))
}

/// A jump, the boot signature, and nobody else's name.
fn boot_sector(boot: &Record) -> bool {
    let jump = boot.u8(0) == 0xe9 || (boot.u8(0) == 0xeb && boot.u8(2) == 0x90);
    jump && boot.has(510, &[0x55, 0xaa])
        && !FOREIGN.iter().any(|name| boot.has(3, name))
        && !boot.has(0x1a8, &BITLOCKER_TO_GO)
        && !boot.has(0x36, b"JFS     ")
        && !boot.has(0x36, b"HPFS    ")
}

fn layout(boot: &Record) -> Option<Layout> {
    let either = |short: u16, long: u32| match short {
        0 => u64::from(long),
        n => u64::from(n),
    };
    let sector = u64::from(boot.le16(0x0b));
    if !power_of_two(sector, 512, 4096) {
        return None;
    }
    let layout = Layout {
        sector,
        cluster_sectors: u64::from(boot.u8(0x0d)),
        reserved: u64::from(boot.le16(0x0e)),
        fats: u64::from(boot.u8(0x10)),
        fat_sectors: either(boot.le16(0x16), boot.le32(0x24)),
        root_sectors: (u64::from(boot.le16(0x11)) * 32).div_ceil(sector),
        total: either(boot.le16(0x13), boot.le32(0x20)),
        wide: boot.le16(0x16) == 0,
    };
    consistent(&layout, boot.u8(0x15)).then_some(layout)
}

fn consistent(layout: &Layout, media: u8) -> bool {
    // First, because the count of clusters divides by it.
    layout.cluster_sectors.is_power_of_two()
        && (media == 0xf0 || media >= 0xf8)
        && layout.reserved != 0
        && (1..=4).contains(&layout.fats)
        && layout.fat_sectors != 0
        && layout.clusters() != 0
        && layout.wide == (layout.root_sectors == 0)
        && (layout.wide || layout.clusters() < FAT16_CLUSTERS)
        && large_enough(layout)
}

/// Each FAT has an entry a cluster, and two more. Some formatters err by a sector, which systems
/// bear; one of half the size is no FAT.
fn large_enough(layout: &Layout) -> bool {
    let bits = match layout.kind() {
        "fat12" => 12,
        "fat16" => 16,
        _ => 32,
    };
    let capacity = layout.fat_sectors.saturating_mul(layout.sector * 8) / bits;
    capacity.saturating_mul(2) >= layout.clusters()
}

/// FAT[0] repeats the media byte under ones; FAT[1] is an end mark, whose highest two bits
/// FAT16 and FAT32 use as flags.
fn first_entries(fat: &Record, media: u8, layout: &Layout) -> bool {
    let same = fat.u8(0) == media || (fat.u8(0) >= 0xf0 && media >= 0xf0);
    same && match layout.kind() {
        "fat12" => fat.has(1, &[0xff, 0xff]),
        "fat16" => fat.u8(1) == 0xff && fat.u8(2) >= 0xf0,
        _ => fat.has(1, &[0xff, 0xff]) && fat.u8(3) & 0x0f == 0x0f && fat.u8(4) >= 0xf0,
    }
}

fn describe(view: &View, boot: &Record, layout: &Layout) -> FileSystem {
    // The extended block comes after the FAT32 fields where there are any.
    let extended = if layout.wide { 0x40 } else { 0x24 };
    let signature = boot.u8(extended + 2);
    let mut found = FileSystem {
        kind: layout.kind(),
        block: Some(Bytes::new(layout.cluster_bytes())),
        sector: Some(Bytes::new(layout.sector)),
        data_start: Bytes::new(layout.data_start() * layout.sector),
        size: product(layout.total, layout.sector),
        hidden_sectors: Some(u64::from(boot.le32(0x1c))),
        label: label(view, boot, layout).unwrap_or_default(),
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

fn too_few(layout: &Layout) -> Option<Remark> {
    let clusters = layout.clusters();
    if !layout.wide || clusters >= FAT16_CLUSTERS {
        return None;
    }
    let why = format!(
        "FAT32 with {clusters} clusters, where the specification demands at least \
         {FAT16_CLUSTERS}: strict systems take it for FAT16"
    );
    Some(Remark::note("fat32-too-few-clusters", why))
}

/// The volume-label entry of the root directory, whose first piece is looked at.
fn label(view: &View, boot: &Record, layout: &Layout) -> Option<String> {
    let (at, len) = if layout.wide {
        let cluster = u64::from(boot.le32(0x2c).checked_sub(2)?);
        let first = layout.data_start() + cluster * layout.cluster_sectors;
        (first, layout.cluster_bytes())
    } else {
        (layout.root_start(), layout.root_sectors * layout.sector)
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
