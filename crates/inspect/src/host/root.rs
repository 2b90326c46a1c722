//! The tree that is read: `/` of the live machine, or a folder with a copy of it.
//!
//! A copied tree comes from elsewhere and is not trusted: its symlinks are resolved inside it
//! (`openat2` with `RESOLVE_IN_ROOT`), FIFOs do not block, and every file is read up to a limit.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::error::{Error, Result};
use crate::view::View;

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
    dir: OwnedFd,
    live: bool,
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

    fn open_at(path: &Path, live: bool) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|e| Error::io("Cannot open it", e.into()).in_file(path))?;
        Ok(Self {
            path: path.to_owned(),
            dir,
            live,
        })
    }

    /// Whether this is the running machine, so that ioctls speak about the same devices.
    pub const fn is_live(&self) -> bool {
        self.live
    }

    /// The path of the root with `inside` appended, for messages and node names.
    pub fn path_of(&self, inside: &str) -> PathBuf {
        self.path.join(inside.trim_start_matches('/'))
    }

    fn open(&self, inside: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let inside = inside.trim_start_matches('/');
        let mut flags = flags | OFlags::CLOEXEC;
        if !flags.contains(OFlags::PATH) {
            // A FIFO in a copied tree must not block; `openat2` refuses these beside `O_PATH`.
            flags |= OFlags::NONBLOCK | OFlags::NOCTTY;
        }
        if self.live {
            return rustix::fs::openat(&self.dir, inside, flags, Mode::empty());
        }
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.dir, inside, flags, Mode::empty(), resolve) {
            // Kernels before 5.6: links may then lead out of the tree, to be read and no more.
            Err(Errno::NOSYS) => rustix::fs::openat(&self.dir, inside, flags, Mode::empty()),
            opened => opened,
        }
    }

    fn bytes(&self, inside: &str, most: u64) -> Result<Vec<u8>> {
        let failed =
            |e: std::io::Error| Error::io("Cannot read it", e).in_file(&self.path_of(inside));
        let file = File::from(
            self.open(inside, OFlags::RDONLY)
                .map_err(|e| failed(e.into()))?,
        );
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
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
        let fd = self.open(inside, OFlags::RDONLY).ok()?;
        // sysfs gives all of an attribute at once, a page at most: one call instead of the three that
        // reading to the end takes, for each of thousands of attributes.
        let mut page = [0; 4096];
        let read = rustix::io::read(&fd, &mut page).ok()?;
        let text = match page.get(..read) {
            Some(whole) if read < page.len() => trimmed(whole),
            _ => trimmed(&self.bytes(inside, MOST_ATTRIBUTE).ok()?),
        };
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
        self.open(inside, OFlags::PATH).is_ok()
    }

    /// The names in a directory, sorted; empty where it is absent. Names that are not UTF-8 are
    /// left out: no block device has one.
    pub fn list(&self, inside: &str) -> Vec<String> {
        let Ok(fd) = self.open(inside, OFlags::RDONLY | OFlags::DIRECTORY) else {
            return Vec::new();
        };
        let Ok(dir) = Dir::new(fd) else {
            return Vec::new();
        };
        let mut names: Vec<String> = dir
            .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
            .filter(|name| name != "." && name != "..")
            .take(MOST_ENTRIES)
            .collect();
        names.sort_unstable();
        names
    }

    /// Where a symlink points, as written; `None` for anything else.
    pub fn link(&self, inside: &str) -> Option<PathBuf> {
        let (parent, name) = inside.trim_end_matches('/').rsplit_once('/')?;
        let dir = self.open(parent, OFlags::PATH | OFlags::DIRECTORY).ok()?;
        let target = rustix::fs::readlinkat(dir, name, Vec::new()).ok()?;
        Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// The last component of a symlink's target.
    pub fn link_name(&self, inside: &str) -> Option<String> {
        let target = self.link(inside)?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// Whether a device's bytes may be read, and why not. Does not open it.
    pub fn readable(&self, inside: &str) -> std::result::Result<(), String> {
        let path = inside.trim_start_matches('/');
        let stat = self.stat(path).map_err(|e| self.why_not(e))?;
        let wanted = if self.live {
            FileType::BlockDevice
        } else {
            FileType::RegularFile
        };
        if FileType::from_raw_mode(stat.st_mode) != wanted {
            return Err(format!(
                "it is not a {}",
                if self.live { "block device" } else { "file" }
            ));
        }
        let allowed = if self.live {
            // Opening a device can spin it up or wake a daemon: ask for leave only.
            rustix::fs::accessat(&self.dir, path, Access::READ_OK, AtFlags::empty())
        } else {
            self.open(path, OFlags::RDONLY).map(drop)
        };
        allowed.map_err(|e| self.why_not(e))
    }

    fn stat(&self, path: &str) -> rustix::io::Result<rustix::fs::Stat> {
        let fd = self.open(path, OFlags::PATH)?;
        rustix::fs::fstat(fd)
    }

    fn why_not(&self, error: Errno) -> String {
        match error {
            Errno::NOENT if self.live => "there is no device node".to_owned(),
            Errno::NOENT => "the captured tree has no copy of its first bytes".to_owned(),
            Errno::ACCESS | Errno::PERM => "no permission (root may read it)".to_owned(),
            other => other.to_string(),
        }
    }

    /// Opens a device or its copy for reading.
    pub fn view(&self, inside: &str) -> Result<View> {
        let path = self.path_of(inside);
        self.readable(inside)
            .map_err(|why| Error::new(crate::ErrorKind::Io, why).in_file(&path))?;
        let fd = self
            .open(inside, OFlags::RDONLY)
            .map_err(|e| Error::io("Cannot open it", e.into()).in_file(&path))?;
        let source = crate::source::FileSource::from_file(File::from(fd), &path)?;
        Ok(View::new(std::sync::Arc::new(source)))
    }

    /// Opens a device node of the live machine for ioctls.
    pub fn device(&self, inside: &str) -> Result<File> {
        let path = self.path_of(inside);
        self.open(inside, OFlags::RDONLY)
            .map(File::from)
            .map_err(|e| Error::io("Cannot open it", e.into()).in_file(&path))
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
