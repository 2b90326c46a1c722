//! The names of an image file: the one below a loop device, and its hard links.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ioalign_device::backing_file;

/// Entries that are looked at for other names.
const MOST_ENTRIES: usize = 20_000;
/// How deep below the folder above its own they are looked for.
const MOST_DEEP: u32 = 4;

/// A file and the folders in which it has a name.
pub struct FileNames {
    /// The file.
    pub file: PathBuf,
    /// The folders of its names.
    pub folders: BTreeSet<PathBuf>,
    /// Names that were not found.
    pub unseen: u64,
    identity: (u64, u64),
}

impl FileNames {
    /// Those of a target, or of the file below a loop device; `None`: it is no file.
    pub fn of(target: &Path) -> Option<Self> {
        let named = match target.is_file() {
            true => target.to_owned(),
            false => backing_file(target)?,
        };
        let file = named.canonicalize().ok()?;
        let meta = file.metadata().ok()?;
        let identity = (meta.dev(), meta.ino());
        let mut names = BTreeSet::from([file.clone()]);
        if meta.nlink() > 1 {
            names.extend(links(&file, &meta));
        }
        let absolute = std::path::absolute(&named).ok();
        let folders = names
            .iter()
            .chain(&absolute)
            .filter_map(|name| name.parent());
        Some(Self {
            folders: folders.map(Path::to_owned).collect(),
            unseen: meta.nlink().saturating_sub(names.len() as u64),
            identity,
            file,
        })
    }

    /// Whether a path leads to the file.
    pub fn is_it(&self, path: &Path) -> bool {
        let meta = path.metadata();
        meta.is_ok_and(|meta| (meta.dev(), meta.ino()) == self.identity)
    }
}

/// Other names of a file, near it.
fn links(file: &Path, meta: &Metadata) -> Vec<PathBuf> {
    let own = file.parent().unwrap_or_else(|| Path::new("/"));
    let above = own.parent().unwrap_or(own);
    let mut found = Vec::new();
    let mut budget = MOST_ENTRIES;
    let mut folders = VecDeque::from([(own.to_owned(), MOST_DEEP), (above.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = budget.checked_sub(1) else {
                return found;
            };
            budget = rest;
            let Ok(one) = entry.metadata() else { continue };
            if one.is_dir() && depth < MOST_DEEP && one.dev() == meta.dev() {
                folders.push_back((entry.path(), depth + 1));
            } else if (one.dev(), one.ino()) == (meta.dev(), meta.ino()) {
                found.push(entry.path());
            }
        }
        if found.len() as u64 >= meta.nlink() {
            break;
        }
    }
    found
}
