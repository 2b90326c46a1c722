//! Block devices in sysfs.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};

/// The folder of a block device in sysfs, its links resolved.
pub(crate) fn sysfs_folder(device: u64) -> Option<PathBuf> {
    let name = format!("/sys/dev/block/{}:{}", major(device), minor(device));
    fs::canonicalize(name).ok()
}

/// The number in a file of sysfs.
pub(crate) fn number_in(file: &Path) -> Option<u64> {
    parse_number(fs::read_to_string(file).ok()?.trim())
}

/// `8:1`, as sysfs writes device numbers.
pub(crate) fn parse_number(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}
