//! The files of a split disk: many, so only a few are open at a time.
//!
//! A 2 TiB disk in pieces of 2 GiB has a thousand files. All of them open at once would pass the
//! usual limit of 1024 descriptors, and their caches would hold a gigabyte.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::images::ImagePolicy;
use crate::images::policy::open_beside;
use crate::source::{Source, check_range};

/// Files of one disk that are open together; each has up to 1 MiB of cache.
const MOST_OPEN: usize = 8;

/// The open files of one disk, the one used last at the back.
pub(super) struct Shelf {
    image: PathBuf,
    policy: ImagePolicy,
    open: Mutex<VecDeque<(PathBuf, Arc<dyn Source>)>>,
}

impl Shelf {
    /// A shelf for the extents that the descriptor in `image` names.
    pub(super) fn new(image: &Path, policy: &ImagePolicy) -> Arc<Self> {
        Arc::new(Self {
            image: image.to_owned(),
            policy: policy.clone(),
            open: Mutex::new(VecDeque::new()),
        })
    }

    /// Opens an extent's file under the policy, and keeps it as a source that reopens it.
    pub(super) fn file(self: &Arc<Self>, name: &str) -> Result<ShelvedFile> {
        let name = PathBuf::from(name);
        let source = self.get(&name)?;
        Ok(ShelvedFile {
            path: source.path().to_owned(),
            len: source.len(),
            shelf: Arc::clone(self),
            name,
        })
    }

    /// The open file; the policy judges the name again each time it has to be opened.
    fn get(&self, name: &Path) -> Result<Arc<dyn Source>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = open.iter().position(|(kept, _)| kept == name)
            && let Some(found) = open.remove(index)
        {
            let source = Arc::clone(&found.1);
            open.push_back(found);
            return Ok(source);
        }
        let (source, _) = open_beside(&self.image, name, &self.policy)?;
        if open.len() >= MOST_OPEN {
            open.pop_front();
        }
        open.push_back((name.to_owned(), Arc::clone(&source)));
        Ok(source)
    }
}

/// A file that is open only while it is among the few used last.
pub(super) struct ShelvedFile {
    shelf: Arc<Shelf>,
    name: PathBuf,
    path: PathBuf,
    len: u64,
}

impl Source for ShelvedFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        self.shelf.get(&self.name)?.read_at(offset, buffer)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
