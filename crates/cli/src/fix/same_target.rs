//! Whether a name still leads to what was opened, and whether a source that is copied was written to meanwhile.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_core::{rules, shell};
use ioalign_device::backing_file;
use ioalign_repair::{Error, ErrorKind};
use rustix::fs::{major, minor};

use super::refuse;
use crate::check;

/// The file or device that a name led to when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTarget {
    device: u64,
    inode: u64,
    number: u64,
}

impl NamedTarget {
    /// That of now.
    pub fn of(path: &Path) -> Result<Self> {
        let found = path
            .metadata()
            .with_context(|| format!("{}: cannot be looked at", path.display()))?;
        Ok(Self::in_metadata(&found))
    }

    fn in_metadata(found: &Metadata) -> Self {
        let is_device = found.file_type().is_block_device();
        Self {
            device: found.dev(),
            inode: found.ino(),
            number: if is_device { found.rdev() } else { 0 },
        }
    }

    fn is_still(self, path: &Path) -> bool {
        let now = path.metadata().map(|found| Self::in_metadata(&found));
        now.is_ok_and(|now| match self.number {
            0 => now == self,
            number => now.number == number,
        })
    }

    /// Before anything is written.
    pub fn before(self, path: &Path) -> Result<()> {
        if self.is_still(path) {
            return Ok(());
        }
        let name = shell::path(path);
        let what = format!("{name}: another file has this name now, or none; nothing was written");
        Err(refuse::refusal(
            rules::FIX_OTHER_DISK,
            what,
            &format!("ioalign fix {name}"),
        ))
    }

    /// When all is written: what was moved may have another name by now.
    pub fn after(self, path: &Path) -> Result<()> {
        if self.is_still(path) {
            return Ok(());
        }
        let name = shell::path(path);
        let what = format!(
            "{name}: the move is done, but the file that it was done on has lost this name meanwhile (inode {} of \
             device {}:{}); what has the name now was not written",
            self.inode,
            major(self.device),
            minor(self.device)
        );
        Err(refuse::refusal(
            rules::FIX_OTHER_DISK,
            what,
            &format!("ioalign check {name}"),
        ))
    }
}

/// All files and devices of a source, as they were before it was read.
pub struct SourceState(Vec<(PathBuf, Option<Stamp>)>);

/// What changes when a file or a device is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stamp {
    File {
        inode: (u64, u64),
        bytes: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
    /// The writes that the kernel has counted.
    Device(String),
}

impl SourceState {
    /// That of now.
    pub fn of(source: &Path) -> Self {
        let mut files = check::files_of(source);
        files.extend(backing_file(source));
        files.sort_unstable();
        files.dedup();
        // Writes of earlier are counted when they leave the cache.
        if let Ok(file) = File::open(source) {
            let _ = file.sync_all();
        }
        let stamped = files.into_iter().map(|file| {
            let stamp = stamp(&file);
            (file, stamp)
        });
        Self(stamped.collect())
    }

    /// An error if one of them was written to since.
    pub fn unchanged(&self) -> ioalign_repair::Result<()> {
        let mut all = self.0.iter();
        let Some((path, _)) = all.find(|(path, before)| stamp(path) != *before) else {
            return Ok(());
        };
        let what = "another program wrote to it while it was copied: the copy would be a mixture, and was removed";
        Err(Error::new(ErrorKind::Refused, what)
            .of_target(path)
            .advise("stop that program (`fuser -v FILE` names it), and run the command again"))
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = path.metadata().ok()?;
    if found.file_type().is_block_device() {
        return writes(found.rdev()).map(Stamp::Device);
    }
    Some(Stamp::File {
        inode: (found.dev(), found.ino()),
        bytes: found.len(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}

/// Writes and written sectors of a device: the fifth and the seventh number of its `stat` in sysfs.
fn writes(device: u64) -> Option<String> {
    let stat = format!("/sys/dev/block/{}:{}/stat", major(device), minor(device));
    let text = std::fs::read_to_string(stat).ok()?;
    let numbers: Vec<_> = text.split_ascii_whitespace().collect();
    Some(format!("{} {}", numbers.get(4)?, numbers.get(6)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("disk"), "one").unwrap();
        std::fs::write(at("other"), "two").unwrap();
        let named = NamedTarget::of(&at("disk")).unwrap();
        named.before(&at("disk")).unwrap();
        std::fs::rename(at("other"), at("disk")).unwrap();
        let before = named.before(&at("disk")).unwrap_err().to_string();
        let after = named.after(&at("disk")).unwrap_err().to_string();
        assert!(before.contains("nothing was written"), "{before}");
        assert!(
            after.contains("the move is done") && after.contains("ioalign check"),
            "{after}"
        );
        std::fs::remove_file(at("disk")).unwrap();
        assert!(named.after(&at("disk")).is_err());
    }

    #[test]
    fn bytes_that_change_are_noticed_without_a_change_of_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source");
        std::fs::write(&path, "one").unwrap();
        let state = SourceState::of(&path);
        state.unchanged().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&path, "two").unwrap();
        assert!(
            state
                .unchanged()
                .unwrap_err()
                .to_string()
                .contains("a mixture")
        );
    }
}
