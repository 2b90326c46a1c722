//! Who else claims an address space: superblocks of volumes, arrays and file systems over all of it, and the
//! signatures that `wipefs` and `blkid` know.
//!
//! A table at its front says what lies in its partitions. Whoever moves those has to know whether the space is
//! a disk and nothing else. So every reader is asked here, not the first that answers, and what no reader knows
//! is looked for by its magic number.

mod end;
mod signatures;
mod words;

use std::ops::Range;

use ioalign_core::{Bytes, Role, SectorSize};

use crate::error::{ErrorKind, Result};
use crate::filesystems;
use crate::tables::{self, Context};
use crate::view::View;
use crate::volumes;

/// What kind of thing claims a space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OwnerKind {
    /// An array of which the space is a member: Linux md.
    Array,
    /// A set of firmware RAID: Intel, DDF and older ones.
    FirmwareRaid,
    /// A volume or a pool: LVM, LUKS, DRBD, bcache, ZFS, Ceph, ….
    Volume,
    /// A file system.
    Filesystem,
    /// Swap space.
    Swap,
    /// A file system of optical discs, which may share a disk with a table by design.
    Disc,
}

/// How a signature that is left from an older life is taken away, and nothing else.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// `wipefs` at this byte.
    At(u64),
    /// `wipefs` for all signatures of this type: there are several, which only count together.
    Every(&'static str),
    /// `mdadm --zero-superblock` of this version: `wipefs` does not look there.
    Superblock(&'static str),
}

/// Something that claims a whole space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The name of its format.
    pub format: &'static str,
    /// What it is, for sentences: `a member of an md array (RAID 1, superblock 1.0)`.
    pub what: String,
    /// Its kind.
    pub kind: OwnerKind,
    /// How it is taken away if it is stale; `None` where no tool does only that.
    pub removal: Option<Removal>,
}

/// All that claim a space besides the partitions in it, which lie here.
///
/// # Errors
/// If it cannot be read.
pub fn of_view(view: &View, parts: &[Range<u64>]) -> Result<Vec<Owner>> {
    let mut found = Vec::new();
    members(view, &mut found)?;
    file_systems(view, &mut found)?;
    end::find(view, parts, &mut found)?;
    signatures::find(view, &mut found)?;
    Ok(found)
}

/// The file systems and swap spaces over a space that has a table with these partitions, none of which is there
/// by design. A partition from the first byte on has what is seen there.
pub(crate) fn accidental(view: &View, parts: &[Range<u64>]) -> Vec<Owner> {
    let mut found = Vec::new();
    // What cannot be read is said by the readers of the table.
    let read = file_systems(view, &mut found);
    let by_design = found.iter().any(|one| one.kind == OwnerKind::Disc);
    if read.is_err() || by_design || parts.iter().any(|part| part.start == 0) {
        return Vec::new();
    }
    let kinds = [OwnerKind::Filesystem, OwnerKind::Swap];
    found.retain(|one| kinds.contains(&one.kind));
    found
}

/// The places of the partitions that hold something; none where there is no table that can be read.
pub fn partitions(view: &View, sector: Option<SectorSize>) -> Vec<Range<u64>> {
    let context = Context {
        sector,
        start_on_disk: Bytes::ZERO,
        parent_type: None,
    };
    let table = tables::probe(view, &context).unwrap_or_default();
    let parts = table.into_iter().flat_map(|table| table.partitions);
    parts
        .filter(|part| !matches!(part.role, Role::Extended | Role::Protective))
        .map(|part| part.start.get()..part.start.get().saturating_add(part.size.get()))
        .collect()
}

/// Formats whose place at the end may be that of the last partition's: see [`end`].
const AT_THE_END: [&str; 3] = ["md", "drbd", "zfs"];

fn members(view: &View, found: &mut Vec<Owner>) -> Result<()> {
    for (name, format) in volumes::FORMATS {
        if AT_THE_END.contains(name) {
            continue;
        }
        match view.trying(*format) {
            Ok(Some(member)) => found.push(words::of_member(view, name, &member)?),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::Io => return Err(error),
            // It said that it is its own before it found the damage.
            Err(_) => found.push(words::damaged(view, name, OwnerKind::Volume)?),
        }
    }
    Ok(())
}

fn file_systems(view: &View, found: &mut Vec<Owner>) -> Result<()> {
    for (name, format) in filesystems::FORMATS {
        if AT_THE_END.contains(name) {
            continue;
        }
        match view.trying(*format) {
            Ok(Some(one)) => found.push(words::of_filesystem(view, name, one.kind)?),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::Io => return Err(error),
            Err(_) => found.push(words::damaged(view, name, OwnerKind::Filesystem)?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
