//! Superblocks that do not say where they lie: of the disk, or of the partition that ends with it?
//!
//! The same place may be that of a superblock of the disk and of one of its last partition. It is the
//! partition's if it lies where the partition's would, and if what it claims fits into that; sizes decide, as
//! for the kernel (`super_90_load`), which takes no superblock of more than there is.

use std::ops::Range;

use super::{Owner, OwnerKind, Removal};
use crate::error::Result;
use crate::filesystems::zfs::{self, Label};
use crate::view::View;
use crate::volumes::{Detail, drbd, md};

/// Members of md arrays, DRBD and ZFS.
pub(super) fn find(view: &View, parts: &[Range<u64>], found: &mut Vec<Owner>) -> Result<()> {
    // These name their own place.
    for one in md::self_placed(view)? {
        found.extend(array(&one, true));
    }
    if let Some((old, needs)) = md::v0::seen(view)? {
        let at = old.magic;
        let claim = EndClaim { at, needs };
        // `wipefs` leaves out what lies in a partition with all its data.
        let first = at.saturating_sub(needs.unwrap_or(0));
        let covered = parts
            .iter()
            .any(|part| part.contains(&at) && part.contains(&first));
        if !claim.is_of_one(parts, md::v0::offset) {
            found.extend(array(&old, !covered));
        }
    }
    if let Some((at, needs)) = drbd::seen(view)? {
        let claim = EndClaim {
            at,
            needs: Some(needs),
        };
        if !claim.is_of_one(parts, drbd::place) {
            found.push(Owner {
                format: "drbd",
                what: "a DRBD device with its metadata at the end".to_owned(),
                kind: OwnerKind::Volume,
                removal: Some(Removal::At(at + drbd::MAGIC_AT)),
            });
        }
    }
    found.extend(pool(view, parts));
    Ok(())
}

/// A superblock that is found from an end.
struct EndClaim {
    at: u64,
    /// Bytes that it needs before itself, where it says.
    needs: Option<u64>,
}

impl EndClaim {
    /// Whether it is that of one of the partitions.
    fn is_of_one(&self, parts: &[Range<u64>], place: impl Fn(u64) -> Option<u64>) -> bool {
        parts.iter().any(|part| {
            let within = part.contains(&self.at).then(|| self.at - part.start);
            within.is_some_and(|at| {
                place(part.end - part.start) == Some(at)
                    && self.needs.is_none_or(|needs| needs <= at)
            })
        })
    }
}

fn array(found: &md::PlacedSuperblock, wipefs_sees_it: bool) -> Option<Owner> {
    let Detail::Md(md) = &found.member.detail else {
        return None;
    };
    Some(Owner {
        format: "md",
        what: format!(
            "a member of an md array ({}, superblock {})",
            md::layout::level_name(md.level),
            md.version
        ),
        kind: OwnerKind::Array,
        removal: Some(match wipefs_sees_it {
            true => Removal::At(found.magic),
            false => Removal::Superblock(md.version),
        }),
    })
}

/// A ZFS pool: labels of the disk that are none of a partition.
///
/// A single one within a partition is what nobody has overwritten yet: `wipefs` leaves it, as it leaves some
/// uberblocks of the others.
fn pool(view: &View, parts: &[Range<u64>]) -> Option<Owner> {
    let labels = zfs::labels(view);
    let own = labels.iter().filter(|one| !is_of_a_partition(one, parts));
    let is_inside = |one: &&Label| parts.iter().any(|part| part.contains(&one.at));
    let (inside, outside): (Vec<_>, Vec<_>) = own.partition(is_inside);
    let blocks: usize = outside.iter().map(|label| label.blocks).sum();
    let mut counted = outside
        .iter()
        .filter(|label| !label.has_blocks || blocks >= zfs::FEWEST_BLOCKS);
    let whole = |label: &&&Label| !label.has_blocks || label.blocks > 0;
    let (label, removal) = match counted.next() {
        Some(label) => (label, Some(Removal::Every("zfs_member"))),
        None if inside.iter().filter(whole).count() > 1 => (inside.first()?, None),
        None => return None,
    };
    Some(Owner {
        format: "zfs",
        what: format!("a device of the ZFS pool {}", label.pool),
        kind: OwnerKind::Volume,
        removal,
    })
}

fn is_of_a_partition(label: &Label, parts: &[Range<u64>]) -> bool {
    parts.iter().any(|part| {
        let len = part.end - part.start;
        let within = part.contains(&label.at).then(|| label.at - part.start);
        let fits = label.needs.is_none_or(|needs| needs <= len);
        within.is_some_and(|at| fits && zfs::places(len).contains(&at))
    })
}
