//! A sparse disk image in a temporary folder.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// An image file that goes away with its folder. It is open for writing only while it is written: programs
/// refuse what another one writes.
pub struct Disk {
    folder: TempDir,
    path: PathBuf,
    file: File,
}

impl Disk {
    /// A disk of zeros.
    pub fn new(name: &str, bytes: u64) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        let new = File::create_new(&path).unwrap();
        new.set_len(bytes).unwrap();
        let file = File::open(&path).unwrap();
        Self { folder, path, file }
    }

    /// Writes bytes.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> &Self {
        let file = File::options().write(true).open(&self.path).unwrap();
        file.write_all_at(bytes, offset).unwrap();
        self
    }

    /// Reads bytes back.
    pub fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, offset).unwrap();
        bytes
    }

    /// Copies a whole file to `offset`, keeping holes.
    pub fn splice(&self, offset: u64, from: &Path) -> &Self {
        let bytes = std::fs::read(from).unwrap();
        for (index, block) in (0_u64..).zip(bytes.chunks(4096)) {
            if block.iter().any(|byte| *byte != 0) {
                self.write(offset + index * 4096, block);
            }
        }
        self
    }

    /// The image file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its folder, for files beside it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its length.
    pub fn len(&self) -> u64 {
        self.file.metadata().unwrap().len()
    }

    /// Never: a disk has bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
