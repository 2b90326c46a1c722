//! Opening a target by its name: which kind it is, and what is refused before that.

use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::folder;
use crate::lock::LockedBelow;
use crate::pinned::Pinned;
use crate::same::same;
use crate::target::{Target, TargetKind};
use crate::target_request::TargetRequest;
use crate::{Error, ErrorKind, Result};

impl Target {
    /// Opens a target, or says why it may not be used so.
    pub fn open(path: &Path, want: &TargetRequest) -> Result<Self> {
        opened(path, want)
            .and_then(Self::with_locks)
            .map_err(|error| error.of_target(path))
    }

    /// Locks what lies below it as well.
    fn with_locks(mut self) -> Result<Self> {
        if let Some(member) = self.members.first().filter(|_| self.write) {
            self.below = Some(LockedBelow::of(&member.file, &self.path)?);
        }
        Ok(self)
    }
}

fn opened(path: &Path, want: &TargetRequest) -> Result<Target> {
    let pinned = Pinned::named(path, want.write)?;
    check_name(path, pinned.as_ref(), want)?;
    let Some(pinned) = pinned else {
        return missing(path, want);
    };
    match kind_of(pinned.found()) {
        Some(TargetKind::Block) => super::block(path, &pinned, want),
        Some(TargetKind::File) => super::file(path, &pinned, want),
        Some(TargetKind::Folder) => folder::open(path, &pinned, want),
        None => Err(Error::new(
            ErrorKind::Unsupported,
            "is no block device, file or folder",
        )),
    }
}

fn missing(path: &Path, want: &TargetRequest) -> Result<Target> {
    if is_in_dev(path) {
        return Err(Error::new(ErrorKind::Io, "there is no such device")
            .advise("see which there are: lsblk"));
    }
    if want.size_bytes.is_some() {
        return super::new_file(path, want);
    }
    Err(Error::new(ErrorKind::Io, "there is no such file or device")
        .advise("give a size to make and fill a file of this name"))
}

/// A file that is made there by a typing error is in memory, and takes the place of the device from then
/// on.
fn is_in_dev(path: &Path) -> bool {
    std::path::absolute(path)
        .is_ok_and(|path| path.starts_with("/dev") && !path.starts_with("/dev/shm"))
}

fn kind_of(found: &Metadata) -> Option<TargetKind> {
    let kind = found.file_type();
    if kind.is_block_device() {
        Some(TargetKind::Block)
    } else if kind.is_dir() {
        Some(TargetKind::Folder)
    } else {
        kind.is_file().then_some(TargetKind::File)
    }
}

/// A slip of the pen in the second name must not pass for consent.
fn check_name(path: &Path, pinned: Option<&Pinned>, want: &TargetRequest) -> Result<()> {
    let Some(named) = &want.destroy else {
        return Ok(());
    };
    let is_same = match pinned {
        Some(pinned) => same(named, &pinned.path()),
        None => same(named, path),
    };
    if is_same {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Refused,
        format!(
            "{} was named for its data to be destroyed, which is another target",
            named.display()
        ),
    )
    .advise("name the same target twice"))
}
