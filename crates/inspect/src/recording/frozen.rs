//! The tree that a bundle holds: folders, links, small files and the copies of devices.

use std::collections::BTreeMap;
use std::collections::btree_map;
use std::sync::Arc;

use super::SectorCopy;
use crate::archive::{FileContent, FileTree};

/// The entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrozenEntry {
    /// A folder.
    Folder,
    /// A symbolic link, with its target as written.
    Link(String),
    /// A small file; empty where only its presence counts.
    File(Vec<u8>),
    /// The copy of a device.
    Device(SectorCopy),
}

/// Paths relative to the root, in order, with what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frozen {
    entries: BTreeMap<String, FrozenEntry>,
}

impl Frozen {
    /// Puts an entry in its place and makes the folders above it.
    pub fn put(&mut self, path: &str, entry: FrozenEntry) {
        let mut above = path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            self.entries
                .entry(folder.to_owned())
                .or_insert(FrozenEntry::Folder);
            above = folder;
        }
        self.entries.insert(path.to_owned(), entry);
    }

    /// Puts an entry where nothing is yet.
    pub fn put_new(&mut self, path: &str, entry: FrozenEntry) {
        if !self.entries.contains_key(path) {
            self.put(path, entry);
        }
    }

    /// A text file.
    pub fn put_text(&mut self, path: &str, text: impl Into<Vec<u8>>) {
        self.put(path, FrozenEntry::File(text.into()));
    }

    /// The entry at a path.
    pub fn get(&self, path: &str) -> Option<&FrozenEntry> {
        self.entries.get(path)
    }

    /// All entries in the order of their paths.
    pub fn iter(&self) -> btree_map::Iter<'_, String, FrozenEntry> {
        self.entries.iter()
    }

    /// The same, to change them.
    pub fn iter_mut(&mut self) -> btree_map::IterMut<'_, String, FrozenEntry> {
        self.entries.iter_mut()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The same tree as a reader of bundles has it in memory.
    pub fn tree(&self) -> FileTree {
        let mut tree = FileTree::new();
        for (path, entry) in &self.entries {
            match entry {
                FrozenEntry::Folder => tree.add_folder(path),
                FrozenEntry::Link(target) => tree.add_link(path, target),
                FrozenEntry::File(bytes) => {
                    tree.add_file(path, Arc::new(FileContent::whole(bytes.clone())))
                }
                FrozenEntry::Device(sectors) => tree.add_file(path, Arc::new(content(sectors))),
            };
        }
        tree
    }
}

fn content(sectors: &SectorCopy) -> FileContent {
    let mut content = FileContent::zeros(sectors.len());
    for (at, bytes) in sectors.pieces() {
        // Pieces ascend and lie inside: they always fit.
        let _ = content.push(at, bytes);
    }
    content
}
