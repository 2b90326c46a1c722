//! File systems and swap: one small file a format, and the list that tries them.

use std::collections::BTreeMap;

use ioalign_core::{Bytes, Remark, Severity};
use ioalign_core::{layer::RaidGeometry, rules};

use crate::error::Result;
use crate::view::View;

mod bcachefs;
mod btrfs;
pub mod database;
mod exfat;
pub(crate) mod ext;
mod f2fs;
mod fat;
pub(crate) mod fields;
mod known;
mod ntfs;
mod nvlist;
mod optical;
mod refs;
pub(crate) mod simple;
mod swap;
mod ufs;
mod vmfs;
pub(crate) mod xfs;
pub(crate) mod zfs;

/// A file system, as its superblock describes it. Offsets are relative to the view.
#[derive(Clone, Debug, Default)]
pub struct FileSystem {
    /// `ext4`, `xfs`, `btrfs`, `ntfs`, `fat32`, `exfat`, `swap`, `vmfs6`, `zfs`, …
    pub kind: &'static str,
    /// Allocation unit: block, cluster, `1 << ashift`; what small I/O is rounded to.
    pub block: Option<Bytes>,
    /// What is allocated at a time, where that is several blocks: ext4's bigalloc.
    pub cluster: Option<Bytes>,
    /// The logical sector size it was made for: below it, it does not mount (FAT, XFS, exFAT).
    pub sector: Option<Bytes>,
    /// Where blocks start to count: FAT data region, exFAT cluster heap; 0 for most.
    pub data_start: Bytes,
    /// The size it believes it has.
    pub size: Option<Bytes>,
    /// RAID geometry from mkfs.
    pub geometry: Option<RaidGeometry>,
    /// The start on its disk that it stores (NTFS, FAT, exFAT hidden sectors), in sectors of
    /// [`FileSystem::sector`].
    pub hidden_sectors: Option<u64>,
    /// Volume label.
    pub label: String,
    /// UUID or serial.
    pub uuid: String,
    /// The power of two that is the block of a ZFS vdev.
    pub ashift: Option<u32>,
    /// Whether its files may share blocks; `None`: not known.
    pub reflink: Option<bool>,
    /// Further facts for the display: `log-sunit`, `bigalloc-cluster`, …
    pub facts: BTreeMap<&'static str, String>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
}

/// Tries one format.
pub type Probe = fn(&View) -> Result<Option<FileSystem>>;

/// All formats, in the order in which they are tried; the first that answers wins.
///
/// If two superblocks are intact, the newer file system is the one whose mkfs would not have left
/// the other: those that write byte 0 also write byte 1024, but not all that write byte 1024 clear
/// byte 0, and few reach 64 KiB. FAT has no signature and comes after the first ZFS label, whose
/// blank front may hold an old boot sector. The other ZFS labels stay after the end of a pool until
/// they are overwritten, so everything else takes precedence.
pub const FORMATS: &[(&str, Probe)] = &[
    ("ext", ext::probe),
    ("f2fs", f2fs::probe),
    ("erofs", simple::probe_erofs),
    ("hfsplus", simple::probe_hfsplus),
    ("nilfs2", simple::probe_nilfs),
    ("xfs", xfs::probe),
    ("ntfs", ntfs::probe),
    ("exfat", exfat::probe),
    ("refs", refs::probe),
    ("squashfs", simple::probe_squashfs),
    ("apfs", simple::probe_apfs),
    ("bcachefs", bcachefs::probe),
    ("swap", swap::probe),
    ("jfs", simple::probe_jfs),
    ("btrfs", btrfs::probe),
    ("ufs", ufs::probe),
    ("udf", optical::probe_udf),
    ("iso9660", optical::probe_iso),
    ("vmfs", vmfs::probe),
    ("hfs", simple::probe_hfs),
    ("known", known::probe),
    ("zfs", zfs::probe),
    ("fat", fat::probe),
    ("zfs", zfs::probe_rest),
];

/// The file system of `view`, if any format recognises one.
///
/// An intact one is believed before a damaged one, and before an unreadable place: the first
/// error is returned only when nothing else is recognised.
pub fn probe(view: &View) -> Result<Option<FileSystem>> {
    let mut damaged = None;
    for (_, format) in FORMATS {
        match view.trying(*format) {
            Ok(Some(mut found)) => {
                let cut = past_end(&found, view);
                found.remarks.extend(cut);
                return Ok(Some(found));
            }
            Ok(None) => {}
            Err(error) => {
                damaged.get_or_insert(error);
            }
        }
    }
    damaged.map_or(Ok(None), Err)
}

/// The place of the magic number by which `known` recognised something.
pub(crate) fn known_magic(view: &View, format: &str) -> Result<Option<u64>> {
    known::place(view, format)
}

/// A partition that was shrunk, or moved with a wrong size, below a file system that was not.
fn past_end(found: &FileSystem, view: &View) -> Option<Remark> {
    let (size, space) = (found.size?.get(), view.len());
    let missing = size.checked_sub(space).filter(|missing| *missing != 0)?;
    let why = format!(
        "The {} file system is {size} B long, the space that holds it {space} B: \
         {missing} B are missing at its end",
        found.kind
    );
    // The sector behind an NTFS volume has the copy of its boot sector.
    let behind = found.sector.filter(|_| found.kind == "ntfs");
    let room = Bytes::new(size).checked_add(behind.unwrap_or_default());
    Some(past_end_remark(why).needing(room))
}

fn past_end_remark(why: String) -> Remark {
    Remark::new(rules::FILESYSTEM_PAST_END, Severity::DataRisk, why)
}
