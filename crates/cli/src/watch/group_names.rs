//! Control groups by their paths, and by the names of the containers that they are.
//!
//! The kernel's program knows a group by its number alone. Its folder is looked for every second, while it is there; the
//! files with the names of containers are read before rights are given up, and what the kubelet names later comes from
//! folders that are open already.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_core::profile::GroupProfile;
use ioalign_inspect::host::containers::ContainerNames;
use ioalign_observe::live::{OwnedShare, WatchTotals};
use ioalign_report::watch::container;

use super::command_group::hierarchy;
use crate::args::WatchArgs;
use crate::say::note;

/// Folders of the hierarchy that are looked at.
const MOST: usize = 1 << 16;
/// Their depth.
const DEPTH: usize = 32;

/// The groups that were seen, and containers.
pub struct GroupNames {
    wanted: bool,
    files_wanted: bool,
    top: Option<PathBuf>,
    names: ContainerNames,
    /// `None`: it was looked for, and was gone.
    paths: BTreeMap<u64, Option<String>>,
}

impl GroupNames {
    /// Reads names, where control groups are shown. To be called with all rights.
    ///
    /// # Errors
    /// The folder below which names are looked for is not there.
    pub fn prepare(arguments: &WatchArgs) -> Result<Self> {
        let wanted = arguments.groups.is_some_and(|count| count > 0);
        let mut all = Self {
            wanted,
            files_wanted: arguments.files.is_some_and(|count| count > 0),
            top: None,
            names: ContainerNames::default(),
            paths: BTreeMap::new(),
        };
        if !wanted && arguments.cgroup.is_none() {
            return Ok(all);
        }
        let sysroot = arguments.sysroot.as_deref();
        let names = ContainerNames::read(sysroot);
        all.names = names.context("the names of containers")?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").context("/proc/self/mountinfo")?;
        all.top = hierarchy(&mounts).map(|(top, _)| top);
        if let Some(folder) = &arguments.cgroup {
            all.introduce(folder);
        }
        Ok(all)
    }

    /// Says whose group is the only one that is counted.
    fn introduce(&self, folder: &Path) {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if let Some(found) = self.names.of(&folder.to_string_lossy()) {
            note(format_args!("only the I/O of {}", container(&found)));
        }
    }

    /// Says that this way of looking does not tell groups, or files.
    pub fn not_told(&self) {
        if self.wanted {
            note("--groups needs BPF with the kernel's types: control groups are not told apart");
        }
        if self.files_wanted {
            note("--files needs BPF with the kernel's types: files are not told apart");
        }
    }

    /// Looks for the folders of groups that are new, while they are there.
    pub fn look(&mut self, seen: &[OwnedShare]) {
        let numbers = seen.iter().map(|group| group.owner.number);
        let new: Vec<_> = numbers
            .filter(|number| *number > 0 && !self.paths.contains_key(number))
            .collect();
        let Some(top) = self.top.as_ref().filter(|_| !new.is_empty()) else {
            return;
        };
        let all = folders(top);
        self.names.look();
        for number in new {
            self.paths.insert(number, all.get(&number).cloned());
        }
    }

    /// Whether control groups are shown.
    pub const fn are_wanted(&self) -> bool {
        self.wanted
    }

    /// Gives groups their names.
    pub fn name(&self, groups: &mut [GroupProfile]) {
        for group in groups {
            let path = group
                .number
                .and_then(|number| self.paths.get(&number)?.clone());
            group.container = path.as_ref().and_then(|path| self.names.of(path));
            group.path = path;
        }
    }

    /// The groups with most I/O on a device, by name.
    pub fn most(&self, totals: &WatchTotals, slot: usize, count: usize) -> Vec<GroupProfile> {
        let mut groups = totals.groups_of(slot);
        groups.truncate(count);
        self.name(&mut groups);
        groups
    }
}

/// All groups by number, as they are below the top.
fn folders(top: &Path) -> BTreeMap<u64, String> {
    let mut all = BTreeMap::new();
    if let Ok(data) = fs::metadata(top) {
        all.insert(data.ino(), "/".to_owned());
    }
    let mut open = vec![(top.to_owned(), String::new(), 0)];
    while let Some((folder, path, depth)) = open.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = format!("{path}/{}", entry.file_name().to_string_lossy());
            if all.len() < MOST && depth < DEPTH {
                all.insert(entry.ino(), path.clone());
                open.push((entry.path(), path, depth + 1));
            }
        }
    }
    all
}
