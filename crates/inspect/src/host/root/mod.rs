//! The tree that is read: `/` of the live machine, a folder with a copy of it, or a bundle in memory.
//!
//! One face for all: readers of sysfs ask by path and never learn where the answer comes from.

mod in_root;
mod memory;
mod no_bytes;
mod notes;
mod os;
mod record;

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::archive::FileTree;
use crate::error::{Error, ErrorKind, Result};
use crate::view::View;
use memory::Memory;
pub use no_bytes::NoBytes;
use notes::Notes;
use os::Os;

/// An attribute of sysfs is a page at most; some (`uevent`) come near it.
const MOST_ATTRIBUTE: u64 = 64 << 10;
/// Longer files: `mountinfo` of a container host, a pasted dm table.
const MOST_TEXT: u64 = 8 << 20;
/// Entries taken from one directory.
const MOST_ENTRIES: usize = 1 << 16;

/// A root directory, live or captured. Paths are given relative to it: `sys/block/sda/size`.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    back: Back,
    /// The destination of the recorded answers, if they are recorded.
    notes: Option<Notes>,
    /// The text of `ioalign/unread` in a captured tree.
    unread: OnceLock<Option<String>>,
}

/// The source of the answers.
#[derive(Debug)]
enum Back {
    Os(Os),
    Memory(Memory),
}

impl Back {
    fn bytes(&self, inside: &str, most: u64) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Os(os) => os.bytes(inside, most),
            Self::Memory(memory) => memory.bytes(inside, most),
        }
    }

    fn attr(&self, inside: &str) -> Option<String> {
        match self {
            Self::Os(os) => os.attr(inside),
            Self::Memory(memory) => Some(trimmed(&memory.bytes(inside, MOST_ATTRIBUTE).ok()?)),
        }
    }

    fn exists(&self, inside: &str) -> bool {
        match self {
            Self::Os(os) => os.exists(inside),
            Self::Memory(memory) => memory.exists(inside),
        }
    }

    fn is_folder(&self, inside: &str) -> bool {
        match self {
            Self::Os(os) => os.is_folder(inside),
            Self::Memory(memory) => memory.is_folder(inside),
        }
    }

    fn list(&self, inside: &str) -> Vec<String> {
        match self {
            Self::Os(os) => os.list(inside),
            Self::Memory(memory) => memory.list(inside),
        }
    }

    fn link(&self, inside: &str) -> Option<PathBuf> {
        match self {
            Self::Os(os) => os.link(inside),
            Self::Memory(memory) => memory.link(inside),
        }
    }

    fn readable(&self, inside: &str) -> std::result::Result<(), NoBytes> {
        match self {
            Self::Os(os) => os.readable(inside),
            Self::Memory(memory) => memory.readable(inside),
        }
    }

    fn view(&self, inside: &str, path: &Path) -> Result<View> {
        match self {
            Self::Os(os) => os.view(inside, path),
            Self::Memory(memory) => memory.view(inside, path),
        }
    }
}

impl Root {
    /// The running machine.
    pub fn live() -> Result<Self> {
        Self::open_at(Path::new("/"), true)
    }

    /// A copied tree with `sys/`, `proc/`, and optionally `dev/` and `ioalign/` in it.
    pub fn captured(path: &Path) -> Result<Self> {
        Self::open_at(path, false)
    }

    /// The same in memory; `name` is what messages call it.
    pub fn in_memory(tree: Arc<FileTree>, name: &Path) -> Self {
        Self {
            path: name.to_owned(),
            back: Back::Memory(Memory::new(tree)),
            notes: None,
            unread: OnceLock::new(),
        }
    }

    fn open_at(path: &Path, live: bool) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            back: Back::Os(Os::open(path, live)?),
            notes: None,
            unread: OnceLock::new(),
        })
    }

    /// Whether this is the running machine, so that ioctls speak about the same devices.
    pub const fn is_live(&self) -> bool {
        matches!(&self.back, Back::Os(os) if os.live)
    }

    /// The path of the root with `inside` appended, for messages and node names.
    pub fn path_of(&self, inside: &str) -> PathBuf {
        self.path.join(inside.trim_start_matches('/'))
    }

    fn bytes(&self, inside: &str, most: u64) -> Result<Vec<u8>> {
        let bytes = self.back.bytes(inside, most);
        if let (Some(notes), Ok(bytes)) = (&self.notes, &bytes) {
            notes.file(&self.back, inside, bytes.clone());
        }
        bytes.map_err(|error| Error::io("Cannot read it", error).in_file(&self.path_of(inside)))
    }

    /// A whole text file of a few megabytes at most.
    pub fn text(&self, inside: &str) -> Result<String> {
        self.bytes(inside, MOST_TEXT)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A binary file of at most `most` bytes; `None` where it is absent.
    pub fn blob(&self, inside: &str, most: u64) -> Option<Vec<u8>> {
        self.bytes(inside, most).ok()
    }

    /// A one-line attribute, trimmed; `None` where it is absent, unreadable or empty.
    pub fn attr(&self, inside: &str) -> Option<String> {
        let text = self.back.attr(inside)?;
        if let Some(notes) = &self.notes {
            notes.file(&self.back, inside, format!("{text}\n").into_bytes());
        }
        (!text.is_empty()).then_some(text)
    }

    /// An attribute that is a decimal number.
    pub fn number(&self, inside: &str) -> Option<u64> {
        self.attr(inside)?.parse().ok()
    }

    /// An attribute that may be negative (`alignment_offset`, `reshape_position`).
    pub fn signed(&self, inside: &str) -> Option<i64> {
        self.attr(inside)?.parse().ok()
    }

    /// Whether something is there.
    pub fn exists(&self, inside: &str) -> bool {
        let exists = self.back.exists(inside);
        if let Some(notes) = self.notes.as_ref().filter(|_| exists) {
            notes.present(&self.back, inside);
        }
        exists
    }

    /// The names in a directory, sorted; empty where it is absent. Names that are not UTF-8 are
    /// left out: no block device has one.
    pub fn list(&self, inside: &str) -> Vec<String> {
        let names = self.back.list(inside);
        if let Some(notes) = self.notes.as_ref().filter(|_| !names.is_empty()) {
            notes.list(&self.back, inside, &names);
        }
        names
    }

    /// Opens a folder, whose names can be read later without a right to open it again.
    pub fn folder(&self, inside: &str) -> Option<OwnedFd> {
        match &self.back {
            Back::Os(os) => os.folder(inside).ok(),
            Back::Memory(_) => None,
        }
    }

    /// Where a symlink points, as written; `None` for anything else.
    pub fn link(&self, inside: &str) -> Option<PathBuf> {
        if let Some(notes) = &self.notes {
            notes.link(&self.back, inside);
        }
        self.back.link(inside)
    }

    /// The last component of a symlink's target.
    pub fn link_name(&self, inside: &str) -> Option<String> {
        let target = self.link(inside)?;
        target
            .file_name()
            .and_then(OsStr::to_str)
            .map(str::to_owned)
    }

    /// Whether a device's bytes may be read, and why not. Does not open it.
    pub fn readable(&self, inside: &str) -> std::result::Result<(), NoBytes> {
        let readable = match self.why_unread(inside) {
            Some(why) => Err(NoBytes::recorded(why)),
            None => self.back.readable(inside),
        };
        if let (Some(notes), Err(why)) = (&self.notes, &readable) {
            notes.unreadable(inside, &why.to_string());
        }
        readable
    }

    /// Opens a device or its copy for reading.
    pub fn view(&self, inside: &str) -> Result<View> {
        let path = self.path_of(inside);
        self.readable(inside)
            .map_err(|why| Error::new(ErrorKind::Io, why.to_string()).in_file(&path))?;
        let view = self.back.view(inside, &path);
        let view = view.map(|view| self.with_faults(inside, view));
        match (&self.notes, view) {
            (Some(notes), Ok(view)) => Ok(notes.device(inside, &view)),
            (Some(notes), Err(error)) => {
                notes.not_opened(inside, &error);
                Err(error)
            }
            (None, view) => view,
        }
    }

    /// Opens a device node of the live machine for ioctls.
    pub fn device(&self, inside: &str) -> Result<File> {
        let opened = match &self.back {
            Back::Os(os) => os.device(inside),
            Back::Memory(_) => Err(memory::absent()),
        };
        opened.map_err(|error| Error::io("Cannot open it", error).in_file(&self.path_of(inside)))
    }
}

fn trimmed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// A path's components after resolving `..` in the text alone, for device paths of sysfs.
pub fn components(path: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                out.pop();
            }
            _ => {}
        }
    }
    out
}
