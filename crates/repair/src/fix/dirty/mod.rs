//! Logs of file systems that were not emptied: a system that comes back would write what it remembers.
//!
//! The data would arrive whole, but what is patched in them (hidden sectors) may be overwritten by the
//! replay, and a hibernated system goes on with a table that is no longer true.

mod ntfs;
mod xfs;
use std::ops::Range;

use ioalign_core::on_disk::bytes::{field, has};

use crate::Disk;
use crate::boot::{Consequence, Weight};
use crate::disk::DiskPart;

const THE_LOG: &str = "the log of the";

/// The state of a file system's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogState {
    /// Nothing is in it that still has to be written.
    Clean,
    /// It has to be replayed: the file system, and what does that.
    Dirty(&'static str, &'static str),
    /// It could not be found out.
    Unknown(&'static str),
}

impl LogState {
    /// Its consequence for a move of this partition.
    pub fn consequence(self, number: u32) -> Option<Consequence> {
        let (weight, what, advice) = match self {
            Self::Clean => return None,
            Self::Dirty(name, how) => (
                Weight::Refused,
                format!(
                    "{THE_LOG} {name} on partition {number} is dirty: it was not shut down cleanly"
                ),
                format!("{how}, or move it as it is with --accept-dirty"),
            ),
            Self::Unknown(name) => (
                Weight::Told,
                format!(
                    "whether the log of the {name} on partition {number} is clean is not known"
                ),
                "make sure that it was unmounted cleanly".to_owned(),
            ),
        };
        Some(Consequence {
            partition: Some(number),
            weight,
            what,
            advice: Some(advice),
        })
    }

    const fn from(dirty: bool, name: &'static str, how: &'static str) -> Self {
        if dirty {
            Self::Dirty(name, how)
        } else {
            Self::Clean
        }
    }
}

/// Whether a consequence is that of a dirty log.
pub fn is_about_a_log(one: &Consequence) -> bool {
    one.what.starts_with(THE_LOG)
}

/// The log of what lies in a partition; `None` where there is none that is known.
pub fn log(disk: &mut dyn Disk, place: Range<u64>) -> Option<LogState> {
    let mut part = DiskPart { disk, place };
    let head = part.read(0, 512)?;
    if has(&head, 0, b"XFSB") {
        return Some(xfs::log(&mut part, &head));
    }
    if has(&head, 3, b"NTFS    ") {
        return Some(ntfs::log(&mut part));
    }
    ext(&mut part).or_else(|| btrfs(&mut part))
}

/// `INCOMPAT_RECOVER` of a file system with a journal.
fn ext(part: &mut DiskPart<'_>) -> Option<LogState> {
    let block = part.read(1024, 512)?;
    if !has(&block, 0x38, &[0x53, 0xef]) {
        return None;
    }
    let recover = u32::from_le_bytes(field(&block, 0x60)?) & 4 != 0;
    Some(LogState::from(
        recover,
        "ext4",
        "run e2fsck, or mount and unmount it",
    ))
}

/// The tree of what was synced since the last commit.
fn btrfs(part: &mut DiskPart<'_>) -> Option<LogState> {
    let block = part.read(64 << 10, 512)?;
    if !has(&block, 0x40, b"_BHRfS_M") {
        return None;
    }
    let tree = u64::from_le_bytes(field(&block, 0x60)?);
    Some(LogState::from(tree != 0, "btrfs", "mount and unmount it"))
}
