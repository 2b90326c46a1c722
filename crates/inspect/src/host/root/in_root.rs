//! A path inside a folder, resolved by ourselves: what `openat2` does with `RESOLVE_IN_ROOT` (openat2(2)), for kernels
//! before 5.6 and for filters of containers that do not know the call.
//!
//! Every component is opened from the folder before it and is never followed, so nothing that changes in the meantime
//! leads out.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// As many links as the kernel follows in a path (`MAXSYMLINKS`, linux/namei.h).
const MOST_LINKS: u32 = 40;

/// Opens `inside` as if `root` were the root of all files: links and `..` stay in it.
pub(super) fn open(
    root: BorrowedFd<'_>,
    inside: &Path,
    flags: OFlags,
) -> rustix::io::Result<OwnedFd> {
    let mut walk = PathWalk {
        root,
        entered: Vec::new(),
        left: Vec::new(),
        links: 0,
    };
    walk.lead_to(inside);
    while let Some(name) = walk.left.pop() {
        if let Some(opened) = walk.step(&name, flags)? {
            return Ok(opened);
        }
    }
    rustix::fs::openat(walk.here(), ".", flags, Mode::empty())
}

struct PathWalk<'a> {
    root: BorrowedFd<'a>,
    /// The folders below the root, outermost first.
    entered: Vec<OwnedFd>,
    /// Components that are still to come, the next one last; `..` among them.
    left: Vec<OsString>,
    links: u32,
}

impl PathWalk<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.entered.last().map_or(self.root, AsFd::as_fd)
    }

    /// Goes to `path` before what is left.
    fn lead_to(&mut self, path: &Path) {
        if path.is_absolute() {
            self.entered.clear();
        }
        for part in path.components().rev() {
            match part {
                Component::Normal(name) => self.left.push(name.to_owned()),
                Component::ParentDir => self.left.push("..".into()),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
    }

    /// One component; what it opens, if it is the last one.
    fn step(&mut self, name: &OsStr, flags: OFlags) -> rustix::io::Result<Option<OwnedFd>> {
        if name == ".." {
            // Above the root is the root.
            self.entered.pop();
            return Ok(None);
        }
        match rustix::fs::readlinkat(self.here(), name, Vec::new()) {
            Ok(target) => {
                self.links += 1;
                if self.links > MOST_LINKS {
                    return Err(Errno::LOOP);
                }
                let target = OsString::from_vec(target.into_bytes());
                self.lead_to(Path::new(&target));
                return Ok(None);
            }
            // No link.
            Err(Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
        let is_last = self.left.is_empty();
        let wanted = match is_last {
            true => flags,
            false => OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        };
        let next = rustix::fs::openat(self.here(), name, wanted | OFlags::NOFOLLOW, Mode::empty())?;
        if is_last {
            return Ok(Some(next));
        }
        self.entered.push(next);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use rustix::fs::ResolveFlags;

    use super::*;

    /// What is read there, or the error.
    fn read(opened: rustix::io::Result<OwnedFd>) -> Result<String, Errno> {
        let mut text = String::new();
        let read = File::from(opened?).read_to_string(&mut text);
        read.map_err(|error| Errno::from_io_error(&error).unwrap())?;
        Ok(text)
    }

    #[test]
    fn it_finds_what_the_kernel_finds() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(root.join("etc")).unwrap();
        fs::write(outer.path().join("secret"), "SECRET").unwrap();
        fs::write(root.join("a/b/file"), "inside").unwrap();
        fs::write(root.join("etc/passwd"), "own").unwrap();
        let secret = outer.path().join("secret");
        for (target, name) in [
            ("b/file", "a/relative"),
            ("/etc/passwd", "a/absolute"),
            ("../../../secret", "a/up"),
            ("../../../../../../etc/passwd", "a/b/far"),
            (secret.to_str().unwrap(), "out"),
            ("/a", "folder"),
            ("folder/../folder/b/..", "back"),
            ("loop", "loop"),
            ("nothing", "dangling"),
            ("/", "top"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        let dir = File::open(&root).unwrap();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let mut found = 0;
        for inside in [
            "a/b/file",
            "a/relative",
            "a/absolute",
            "a/up",
            "a/b/far",
            "out",
            "folder/b/file",
            "back/b/file",
            "loop",
            "loop/x",
            "dangling",
            "top/etc/passwd",
            "top",
            "..",
            ".",
            "../../etc/passwd",
            "a/b/file/x",
            "nowhere/x",
            "a/../etc/passwd",
            "folder/relative",
        ] {
            let ours = read(open(dir.as_fd(), Path::new(inside), flags));
            let kernel = rustix::fs::openat2(&dir, inside, flags, Mode::empty(), resolve);
            if matches!(kernel, Err(Errno::NOSYS)) {
                assert_ne!(ours, Ok("SECRET".to_owned()), "{inside}");
                continue;
            }
            found += usize::from(ours.is_ok());
            assert_eq!(ours, read(kernel), "{inside}");
        }
        assert!(found == 0 || found > 8, "{found}");
    }
}
