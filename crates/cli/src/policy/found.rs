//! A policy without `--policy`: taken from the working directory, by root only if no other user can change
//! it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Group and others may write.
const WRITABLE: u32 = 0o022;

/// Why there is none.
#[derive(Debug)]
pub enum NotTaken {
    /// No regular file of this name.
    Absent,
    /// One that others can change.
    Untrusted(&'static str),
}

/// Opens the file if it may be used. The checks apply to the open file, not to its name.
pub fn open(path: &Path) -> Result<File, NotTaken> {
    let root = rustix::process::geteuid().is_root();
    let link = if root {
        OFlags::NOFOLLOW
    } else {
        OFlags::empty()
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | link;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::LOOP) => return Err(NotTaken::Untrusted("it is a symbolic link")),
        // One that cannot be read is an error of the policy, as it is for one that was named.
        Err(_) if path.is_file() => File::open(path).map_err(|_| NotTaken::Absent)?,
        Err(_) => return Err(NotTaken::Absent),
    };
    let data = file.metadata().map_err(|_| NotTaken::Absent)?;
    if !data.is_file() {
        return Err(NotTaken::Absent);
    }
    if root {
        let folder = std::fs::metadata(".").map_err(|_| NotTaken::Absent)?;
        if let Some(why) = changeable((data.uid(), data.mode()), (folder.uid(), folder.mode())) {
            return Err(NotTaken::Untrusted(why));
        }
    }
    Ok(file)
}

/// Why others than root can change a file in a folder, by owner and mode of both.
const fn changeable(file: (u32, u32), folder: (u32, u32)) -> Option<&'static str> {
    match (file, folder) {
        ((1.., _), _) => Some("it belongs to another user"),
        ((_, mode), _) if mode & WRITABLE != 0 => Some("others can write it"),
        (_, (1.., _)) => Some("its folder belongs to another user"),
        (_, (_, mode)) if mode & WRITABLE != 0 => Some("others can write in its folder"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_roots_alone_is_taken() {
        let folder = (0, 0o40755);
        assert_eq!(changeable((0, 0o100_644), folder), None);
        for (file, folder) in [
            ((1000, 0o100_644), folder),
            ((0, 0o100_664), folder),
            ((0, 0o100_646), folder),
            ((0, 0o100_644), (1000, 0o40755)),
            ((0, 0o100_644), (0, 0o41777)),
            ((0, 0o100_644), (0, 0o40775)),
        ] {
            assert!(changeable(file, folder).is_some(), "{file:?} {folder:?}");
        }
    }
}
