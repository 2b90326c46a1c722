//! Whether two names are names of one target.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::sysfs::sysfs_folder;

/// Whether both lead to the same file, folder or device: by links of both kinds, by two nodes of one
/// device. For names that do not exist yet the spelling counts.
pub fn same(a: &Path, b: &Path) -> bool {
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => identity(&a) == identity(&b),
        (Err(_), Err(_)) => match (std::path::absolute(a), std::path::absolute(b)) {
            (Ok(a), Ok(b)) => a == b,
            _ => a == b,
        },
        _ => false,
    }
}

/// A loop device on a file on a loop device …: no further than this.
const DEEPEST: usize = 4;

/// Whether I/O to both names reaches the same bytes: they are [`same`], or loop devices lead from one to the
/// file or device that the other leads to, at the same offset in it.
pub fn are_aliases(a: &Path, b: &Path) -> bool {
    same(a, b) || matches!((bottom(a), bottom(b)), (Some(a), Some(b)) if a == b)
}

/// The file or device below all loop devices, and the start of the name in it.
fn bottom(path: &Path) -> Option<(FileIdentityKey, u64)> {
    let mut found = path.metadata().ok()?;
    let mut start = 0_u64;
    for _ in 0..DEEPEST {
        let Some((file, offset)) = behind(&found) else {
            break;
        };
        found = file.metadata().ok()?;
        start = start.checked_add(offset)?;
    }
    Some((identity(&found), start))
}

/// The file behind a whole loop device, and the offset of the device in it.
fn behind(found: &Metadata) -> Option<(PathBuf, u64)> {
    if !found.file_type().is_block_device() {
        return None;
    }
    let folder = sysfs_folder(found.rdev())?.join("loop");
    let file = std::fs::read_to_string(folder.join("backing_file")).ok()?;
    let offset = std::fs::read_to_string(folder.join("offset")).ok()?;
    let file = PathBuf::from(file.trim_end_matches('\n'));
    Some((file, offset.trim().parse().ok()?))
}

type FileIdentityKey = (bool, u64, u64);

/// The number of a device, else the inode and where it is.
fn identity(of: &Metadata) -> FileIdentityKey {
    if of.file_type().is_block_device() {
        (true, of.rdev(), 0)
    } else {
        (false, of.dev(), of.ino())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_both_kinds_are_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::fs::write(at("other"), "x").unwrap();
        std::fs::hard_link(at("file"), at("hard")).unwrap();
        std::os::unix::fs::symlink("file", at("soft")).unwrap();
        assert!(same(&at("file"), &at("hard")) && same(&at("soft"), &at("hard")));
        assert!(same(&at("file"), &folder.path().join("./file")));
        assert!(!same(&at("file"), &at("other")) && !same(&at("file"), &at("none")));
        assert!(same(&at("none"), &at("none")) && !same(&at("none"), &at("nobody")));
    }
}
