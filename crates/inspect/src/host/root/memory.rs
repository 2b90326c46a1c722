//! A root that is a bundle in memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::{MOST_ENTRIES, NoBytes};
use crate::archive::tree::TreeEntry;
use crate::archive::{ContentSource, FileTree};
use crate::error::{Error, Result};
use crate::view::View;

#[derive(Debug)]
pub(super) struct Memory {
    tree: Arc<FileTree>,
}

/// In the system's words, so that messages do not depend on where a tree lies.
pub(super) fn absent() -> io::Error {
    Errno::NOENT.into()
}

impl Memory {
    pub(super) const fn new(tree: Arc<FileTree>) -> Self {
        Self { tree }
    }

    pub(super) fn bytes(&self, inside: &str, most: u64) -> io::Result<Vec<u8>> {
        match self.tree.find(inside) {
            Some(TreeEntry::File(content)) => Ok(content.head(most)),
            Some(_) => Err(Errno::ISDIR.into()),
            None => Err(absent()),
        }
    }

    pub(super) fn exists(&self, inside: &str) -> bool {
        self.tree.find(inside).is_some()
    }

    pub(super) fn is_folder(&self, inside: &str) -> bool {
        matches!(self.tree.find(inside), Some(TreeEntry::Folder))
    }

    pub(super) fn list(&self, inside: &str) -> Vec<String> {
        let names = self.tree.names(inside).map(str::to_owned);
        names.take(MOST_ENTRIES).collect()
    }

    pub(super) fn link(&self, inside: &str) -> Option<PathBuf> {
        match self.tree.find_link(inside)? {
            TreeEntry::Link(target) => Some(PathBuf::from(target)),
            _ => None,
        }
    }

    pub(super) fn readable(&self, inside: &str) -> std::result::Result<(), NoBytes> {
        match self.tree.find(inside) {
            Some(TreeEntry::File(_)) => Ok(()),
            Some(_) => Err(NoBytes::Failed("it is not a file".to_owned())),
            None => Err(NoBytes::NotCopied),
        }
    }

    pub(super) fn view(&self, inside: &str, path: &Path) -> Result<View> {
        let content = self.tree.file(inside).cloned();
        let content = content.ok_or_else(|| Error::io("Cannot open it", absent()).in_file(path))?;
        Ok(View::new(Arc::new(ContentSource::new(content, path))))
    }
}
