//! Logs of file systems that were not emptied: a system that comes back would write what it remembers.
//!
//! The data would arrive whole, but what is patched in them (hidden sectors) may be overwritten by the
//! replay, and a hibernated system goes on with a table that is no longer true.

mod ntfs;
mod xfs;

use std::ops::Range;

use crate::Disk;
use crate::boot::{Consequence, Weight};
use crate::disk::read_bytes;

const THE_LOG: &str = "the log of the";

/// The state of a file system's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// Nothing is in it that still has to be written.
    Clean,
    /// It has to be replayed: the file system, and what does that.
    Dirty(&'static str, &'static str),
    /// It could not be found out.
    Unknown(&'static str),
}

impl Log {
    /// What it means for a move of this partition.
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
pub fn log(disk: &mut dyn Disk, place: Range<u64>) -> Option<Log> {
    let mut part = Part { disk, place };
    let head = part.read(0, 512)?;
    if head.get(..4) == Some(b"XFSB") {
        return Some(xfs::log(&mut part, &head));
    }
    if head.get(3..11) == Some(b"NTFS    ") {
        return Some(ntfs::log(&mut part, &head));
    }
    ext(&mut part).or_else(|| btrfs(&mut part))
}

/// `INCOMPAT_RECOVER` of a file system with a journal.
fn ext(part: &mut Part<'_>) -> Option<Log> {
    let block = part.read(1024, 512)?;
    if le16(&block, 0x38)? != 0xef53 {
        return None;
    }
    let recover = le32(&block, 0x60)? & 4 != 0;
    Some(Log::from(
        recover,
        "ext4",
        "run e2fsck, or mount and unmount it",
    ))
}

/// The tree of what was synced since the last commit.
fn btrfs(part: &mut Part<'_>) -> Option<Log> {
    let block = part.read(64 << 10, 512)?;
    if block.get(0x40..0x48) != Some(b"_BHRfS_M") {
        return None;
    }
    let tree = le64(&block, 0x60)?;
    Some(Log::from(tree != 0, "btrfs", "mount and unmount it"))
}

/// Reads within a partition, by whole blocks of the disk.
pub struct Part<'a> {
    disk: &'a mut dyn Disk,
    place: Range<u64>,
}

impl Part<'_> {
    /// `length` bytes from `at` on, `None` where they cannot be read.
    pub fn read(&mut self, at: u64, length: usize) -> Option<Vec<u8>> {
        let start = self.place.start.checked_add(at)?;
        let end = start.checked_add(length as u64)?;
        if end > self.place.end {
            return None;
        }
        read_bytes(self.disk, start, length).ok()
    }
}

/// The bytes of a field.
fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    field(bytes, at).map(u16::from_le_bytes)
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn le64(bytes: &[u8], at: usize) -> Option<u64> {
    field(bytes, at).map(u64::from_le_bytes)
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_be_bytes)
}

fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    field(bytes, at).map(u64::from_be_bytes)
}
