//! Files by their paths below the mount point.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use ioalign_core::profile::FileProfile;
use ioalign_inspect::host::mounts::parse_mount;
use ioalign_observe::live::{BioEnds, WatchTotals};

use crate::args::WatchArgs;
use crate::say::note;

/// The functions of the kernel by which files are told apart, where they are wanted.
///
/// # Errors
/// They are not to be had, and only the I/O of some files is to be counted.
pub fn functions(arguments: &WatchArgs) -> Result<Option<BioEnds>> {
    const HIDDEN: &str =
        "files are not told apart: /proc/kallsyms does not show the kernel's functions";
    if arguments.files.is_none_or(|count| count == 0) && arguments.file.is_empty() {
        return Ok(None);
    }
    let found = BioEnds::running();
    if found.is_none() && !arguments.file.is_empty() {
        bail!("{HIDDEN}; next: run it as root");
    }
    if found.is_none() {
        note(HIDDEN);
    }
    Ok(found)
}

/// Puts mount points before paths that begin at the top of a file system.
pub fn below_mounts(files: &mut [FileProfile]) {
    if files.is_empty() {
        return;
    }
    let text = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut points = BTreeMap::new();
    for mount in text.lines().filter_map(parse_mount) {
        if mount.part == "/" {
            let point = mount.point.to_string_lossy().into_owned();
            points.entry(mount.devno.to_string()).or_insert(point);
        }
    }
    for file in files.iter_mut().filter(|file| file.is_whole) {
        let point = file.file_system.as_ref().and_then(|of| points.get(of));
        file.is_whole = point.is_some();
        if let (Some(point), Some(path)) = (point, &mut file.path) {
            *path = format!("{}{path}", point.trim_end_matches('/'));
        }
    }
}

/// The files with most I/O on a device.
pub fn most(totals: &WatchTotals, slot: usize, count: usize) -> Vec<FileProfile> {
    let mut files = totals.files_of(slot);
    files.truncate(count);
    below_mounts(&mut files);
    files
}
