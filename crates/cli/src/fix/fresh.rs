//! A new image while it is written.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ioalign_repair::container::{self, Format};
use ioalign_repair::{Disk, Result};

/// An image that this run has made, and that is removed again unless it is [kept](Self::keep): half of a copy is
/// of use to nobody. A file that another program made under the name is not touched.
pub struct FreshImage {
    path: PathBuf,
    /// Device and inode of what was made.
    identity: Option<(u64, u64)>,
    /// Where the copy goes.
    pub disk: Box<dyn Disk>,
}

impl FreshImage {
    /// Makes it; the file must not be there.
    pub fn create(path: &Path, format: Format, bytes: u64, logical: u64) -> Result<Self> {
        let disk = container::create(path, format, bytes, logical)?;
        Ok(Self {
            path: path.to_owned(),
            identity: identity(path),
            disk,
        })
    }

    /// It is whole.
    pub fn keep(mut self) {
        self.identity = None;
    }
}

impl Drop for FreshImage {
    fn drop(&mut self) {
        if self.identity.is_some() && self.identity == identity(&self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 1 << 20;

    #[test]
    fn only_what_was_made_here_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.img");
        let make = || FreshImage::create(&path, Format::Raw, BYTES, 512);
        drop(make().unwrap());
        assert!(!path.exists());
        make().unwrap().keep();
        assert!(path.exists());
        // The name was taken by somebody else before, or meanwhile.
        assert!(make().is_err() && path.exists());
        std::fs::remove_file(&path).unwrap();
        let image = make().unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, b"of another program").unwrap();
        std::fs::rename(&other, &path).unwrap();
        drop(image);
        assert_eq!(std::fs::read(&path).unwrap(), b"of another program");
    }
}
