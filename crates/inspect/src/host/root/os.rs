//! A root that the operating system shows: the live machine's, or a folder.
//!
//! A copied tree comes from elsewhere and is not trusted: its symlinks are resolved inside it
//! (`openat2` with `RESOLVE_IN_ROOT`, or step by step where there is none), FIFOs do not block, and every file is read up to a limit.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::{MOST_ATTRIBUTE, MOST_ENTRIES, NoBytes, in_root, trimmed};
use crate::error::{Error, Result};
use crate::source::FileSource;
use crate::view::View;

/// Bytes of the list of groups that are read.
const MOST_GROUPS: u64 = 1 << 20;
/// How often a path is resolved while other processes rename files: each attempt fails by chance.
const MOST_ATTEMPTS: u32 = 1 << 14;

#[derive(Debug)]
pub(super) struct Os {
    dir: OwnedFd,
    pub(super) live: bool,
}

impl Os {
    pub(super) fn open(path: &Path, live: bool) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|e| Error::io("Cannot open it", e.into()).in_file(path))?;
        Ok(Self { dir, live })
    }

    fn open_in(&self, inside: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let inside = match inside.trim_start_matches('/') {
            "" => ".",
            inside => inside,
        };
        let mut flags = flags | OFlags::CLOEXEC;
        if !flags.contains(OFlags::PATH) {
            // A FIFO in a copied tree must not block; `openat2` refuses these beside `O_PATH`.
            flags |= OFlags::NONBLOCK | OFlags::NOCTTY;
        }
        if self.live {
            return rustix::fs::openat(&self.dir, inside, flags, Mode::empty());
        }
        match self.open_inside(inside, flags) {
            // Kernels before 5.6, and filters of containers that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {
                in_root::open(self.dir.as_fd(), Path::new(inside), flags)
            }
            opened => opened,
        }
    }

    /// Resolves `..` and links inside the root. The kernel gives `EAGAIN` when any file of the machine
    /// was renamed while it followed a `..` (openat2(2)): then it is asked again.
    fn open_inside(&self, inside: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let open = || rustix::fs::openat2(&self.dir, inside, flags, Mode::empty(), resolve);
        for _ in 0..MOST_ATTEMPTS {
            match open() {
                Err(Errno::AGAIN) => std::thread::yield_now(),
                opened => return opened,
            }
        }
        open()
    }

    pub(super) fn bytes(&self, inside: &str, most: u64) -> io::Result<Vec<u8>> {
        let file = File::from(self.open_in(inside, OFlags::RDONLY)?);
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// sysfs gives all of an attribute at once, a page at most: one call instead of the three that
    /// reading to the end takes, for each of thousands of attributes.
    pub(super) fn attr(&self, inside: &str) -> Option<String> {
        let fd = self.open_in(inside, OFlags::RDONLY).ok()?;
        let mut page = [0; 4096];
        let read = rustix::io::read(&fd, &mut page).ok()?;
        Some(match page.get(..read) {
            Some(whole) if read < page.len() => trimmed(whole),
            _ => trimmed(&self.bytes(inside, MOST_ATTRIBUTE).ok()?),
        })
    }

    pub(super) fn exists(&self, inside: &str) -> bool {
        self.open_in(inside, OFlags::PATH).is_ok()
    }

    pub(super) fn is_folder(&self, inside: &str) -> bool {
        self.open_in(inside, OFlags::PATH | OFlags::DIRECTORY)
            .is_ok()
    }

    pub(super) fn folder(&self, inside: &str) -> rustix::io::Result<OwnedFd> {
        self.open_in(inside, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    pub(super) fn list(&self, inside: &str) -> Vec<String> {
        let Ok(fd) = self.folder(inside) else {
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

    pub(super) fn link(&self, inside: &str) -> Option<PathBuf> {
        let (parent, name) = inside.trim_end_matches('/').rsplit_once('/')?;
        let dir = self
            .open_in(parent, OFlags::PATH | OFlags::DIRECTORY)
            .ok()?;
        let target = rustix::fs::readlinkat(dir, name, Vec::new()).ok()?;
        Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    pub(super) fn readable(&self, inside: &str) -> std::result::Result<(), NoBytes> {
        let path = inside.trim_start_matches('/');
        let stat = self.stat(path).map_err(|e| self.why_not(e))?;
        let wanted = if self.live {
            FileType::BlockDevice
        } else {
            FileType::RegularFile
        };
        if FileType::from_raw_mode(stat.st_mode) != wanted {
            let wanted = if self.live { "block device" } else { "file" };
            return Err(NoBytes::Failed(format!("it is not a {wanted}")));
        }
        let allowed = if self.live {
            // Opening a device can spin it up or wake a daemon: ask for leave only.
            rustix::fs::accessat(&self.dir, path, Access::READ_OK, AtFlags::empty())
        } else {
            self.open_in(path, OFlags::RDONLY).map(drop)
        };
        allowed.map_err(|error| match error {
            Errno::ACCESS | Errno::PERM if self.live => self.who_may_read(&stat),
            other => self.why_not(other),
        })
    }

    /// Which user or group would be let in by the mode of a device node.
    fn who_may_read(&self, node: &rustix::fs::Stat) -> NoBytes {
        let mode = Mode::from_raw_mode(node.st_mode);
        let group = mode.contains(Mode::RGRP).then(|| self.group(node.st_gid));
        NoBytes::Failed(match group {
            Some(group) => format!("no permission: root and group {group} may read it"),
            None => "no permission: only root may read it".to_owned(),
        })
    }

    /// The name of a group, or its number.
    fn group(&self, id: u32) -> String {
        let bytes = self.bytes("etc/group", MOST_GROUPS).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let name = text.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)?.parse() == Ok(id)).then_some(name)
        });
        name.map_or_else(|| id.to_string(), str::to_owned)
    }

    fn stat(&self, path: &str) -> rustix::io::Result<rustix::fs::Stat> {
        let fd = self.open_in(path, OFlags::PATH)?;
        rustix::fs::fstat(fd)
    }

    fn why_not(&self, error: Errno) -> NoBytes {
        let failed = |why: &str| NoBytes::Failed(why.to_owned());
        match error {
            Errno::NOENT if self.live => failed("there is no device node"),
            Errno::NOENT => NoBytes::NotCopied,
            Errno::ACCESS | Errno::PERM => failed("no permission: root may read it"),
            other => other.into(),
        }
    }

    pub(super) fn view(&self, inside: &str, path: &Path) -> Result<View> {
        let fd = self
            .open_in(inside, OFlags::RDONLY)
            .map_err(|e| Error::io("Cannot open it", e.into()).in_file(path))?;
        let source = FileSource::from_file(File::from(fd), path)?;
        Ok(View::new(Arc::new(source)))
    }

    pub(super) fn device(&self, inside: &str) -> io::Result<File> {
        Ok(File::from(self.open_in(inside, OFlags::RDONLY)?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Renames files until it is stopped, as any process of the machine may do.
    fn rename_until(stop: &AtomicBool, folder: &Path) {
        let (one, other) = (folder.join("one"), folder.join("other"));
        std::fs::write(&one, "").unwrap();
        while !stop.load(Ordering::Relaxed) {
            std::fs::rename(&one, &other).unwrap();
            std::fs::rename(&other, &one).unwrap();
        }
    }

    #[test]
    fn an_attribute_behind_a_link_is_read_while_others_rename_files() {
        let (tree, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |name, text: &[u8]| ioalign_testkit::files::put(tree.path(), name, text);
        put("sys/devices/a/b/c/sda/size", b"8\n");
        std::fs::create_dir_all(tree.path().join("sys/block")).unwrap();
        let target = "../../sys/block/../devices/a/../a/b/../b/c/sda";
        std::os::unix::fs::symlink(target, tree.path().join("sys/block/sda")).unwrap();
        let root = Os::open(tree.path(), false).unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let folder = tempfile::tempdir_in(elsewhere.path()).unwrap().keep();
                let stop = &stop;
                scope.spawn(move || rename_until(stop, &folder));
            }
            let missed = (0..20_000).filter(|_| root.attr("sys/block/sda/size").is_none());
            let missed = missed.count();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(missed, 0, "of 20,000");
        });
    }
}
