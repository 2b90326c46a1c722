//! File systems and swap: one small file a format, and the list that tries them.

use std::collections::BTreeMap;

use ioalign_core::layer::Geometry;
use ioalign_core::{Bytes, Remark};

use crate::error::Result;
use crate::view::View;

/// A file system, as its superblock describes it. Offsets are relative to the view.
#[derive(Clone, Debug, Default)]
pub struct FileSystem {
    /// `ext4`, `xfs`, `btrfs`, `ntfs`, `fat32`, `exfat`, `swap`, `vmfs6`, `zfs`, …
    pub kind: &'static str,
    /// Allocation unit: block, cluster, `1 << ashift`; what small I/O is rounded to.
    pub block: Option<Bytes>,
    /// The logical sector size it was made for: below it, it does not mount (FAT, XFS, exFAT).
    pub sector: Option<Bytes>,
    /// Where blocks start to count: FAT data region, exFAT cluster heap; 0 for most.
    pub data_start: Bytes,
    /// The size it believes it has.
    pub size: Option<Bytes>,
    /// RAID geometry it was told.
    pub geometry: Option<Geometry>,
    /// Where it believes that it starts on its disk (NTFS, FAT, exFAT hidden sectors), in sectors
    /// of [`FileSystem::sector`].
    pub hidden_sectors: Option<u64>,
    /// Volume label.
    pub label: String,
    /// UUID or serial.
    pub uuid: String,
    /// Further facts for the display: `log-sunit`, `bigalloc-cluster`, `ashift`, …
    pub facts: BTreeMap<&'static str, String>,
    /// What is odd about it.
    pub remarks: Vec<Remark>,
}

/// Tries one format.
pub type Probe = fn(&View) -> Result<Option<FileSystem>>;

/// All formats, in the order in which they are tried; the first that answers wins.
pub const FORMATS: &[(&str, Probe)] = &[];

/// The file system of `view`, if any format recognises one.
pub fn probe(view: &View) -> Result<Option<FileSystem>> {
    for (_, format) in FORMATS {
        if let Some(found) = format(view)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
