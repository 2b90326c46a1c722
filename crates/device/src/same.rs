//! Whether two names are names of one target.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Whether both lead to the same file, folder or device: by links of both kinds, by two nodes of one
/// device. Of names that lead nowhere yet it is their spelling.
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

/// The number of a device, else the inode and where it is.
fn identity(of: &Metadata) -> (bool, u64, u64) {
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
