//! Copies of trees that may be damaged, one for each run at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempDir;

/// Files of a tree that are damaged; the rest of a large one would only thin the runs out.
const MOST_FILES: usize = 4000;
/// Longer files are devices: their readers are other subjects.
const LONGEST: u64 = 256 << 10;

/// A tree, and copies of it that nobody uses now.
pub struct Tree {
    whole: PathBuf,
    /// Below `whole`.
    files: Vec<PathBuf>,
    spare: Mutex<Vec<TempDir>>,
}

impl Tree {
    pub fn new(whole: PathBuf) -> Self {
        Self {
            files: files(&whole),
            whole,
            spare: Mutex::new(Vec::new()),
        }
    }

    pub const fn count(&self) -> usize {
        self.files.len()
    }

    /// The content of a file as it should be.
    pub fn content(&self, file: usize) -> Vec<u8> {
        fs::read(self.whole.join(&self.files[file])).unwrap()
    }

    /// Runs `read` on a copy in which one file, if it is one of the tree, has other content.
    pub fn with_other<T>(&self, file: usize, content: &[u8], read: impl FnOnce(&Path) -> T) -> T {
        let spare = self.spare.lock().unwrap().pop();
        // A copy that a panic leaves damaged is not used again.
        let copy = spare.unwrap_or_else(|| self.copy());
        let path = self.files.get(file).map(|file| copy.path().join(file));
        if let Some(path) = &path {
            fs::write(path, content).unwrap();
        }
        let answer = read(copy.path());
        if let Some(path) = &path {
            fs::write(path, self.content(file)).unwrap();
        }
        self.spare.lock().unwrap().push(copy);
        answer
    }

    fn copy(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        copy_tree(&self.whole, folder.path());
        folder
    }
}

/// Files of a tree, without those of devices.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(next)
            .unwrap()
            .map(|entry| entry.unwrap())
            .collect();
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && entry.metadata().unwrap().len() <= LONGEST {
                found.push(entry.path().strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found.truncate(MOST_FILES);
    found
}

/// A copy that may be damaged, without the contents of devices.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &to);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else if kind.is_file() && entry.metadata().unwrap().len() <= LONGEST {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
