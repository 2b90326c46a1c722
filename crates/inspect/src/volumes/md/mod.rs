//! Linux md superblocks: version 0.90 and 1.0 at the end of a member, 1.1 and 1.2 at its front.
//!
//! The layouts are those of the kernel's `include/uapi/linux/raid/md_p.h`. Data start and size
//! are per member and may differ within one array, so nothing here is taken from a sibling.

pub mod geometry;
pub(crate) mod layout;
pub(crate) mod v0;
mod v1;

use ioalign_core::{Remark, rules};

use super::{Detail, VolumeMember};
use crate::error::Result;
use crate::view::View;

/// `MD_SB_MAGIC`.
const MAGIC: u32 = 0xa92b_4efc;
/// Superblocks of either kind start on such a boundary: 4 KiB.
const BLOCK: u64 = 4096;

/// A superblock and its creation time, by which mdadm chooses between several.
struct DatedSuperblock {
    member: VolumeMember,
    created: u64,
}

/// Reads the superblock of `view`, the most recently created one when stale ones are left.
pub(super) fn probe(view: &View) -> Result<Option<VolumeMember>> {
    let mut found: Vec<DatedSuperblock> = Vec::new();
    found.extend(v1::read(view, BLOCK, "1.2")?);
    found.extend(v1::read(view, 0, "1.1")?);
    if let Some(at) = v1::end_offset(view.len()) {
        found.extend(v1::read(view, at, "1.0")?);
    }
    found.extend(v0::read(view)?);
    Ok(newest(found))
}

/// A superblock by itself: not compared with others, nor with a table in front of it.
pub(crate) struct PlacedSuperblock {
    /// What it says.
    pub member: VolumeMember,
    /// The place of its magic number.
    pub magic: u64,
}

/// All superblocks of `view` that name their own place.
pub(crate) fn self_placed(view: &View) -> Result<Vec<PlacedSuperblock>> {
    let end = v1::end_offset(view.len()).map(|at| (at, "1.0"));
    let mut found = Vec::new();
    for (at, version) in [Some((BLOCK, "1.2")), Some((0, "1.1")), end]
        .into_iter()
        .flatten()
    {
        let read = view.trying(|view| v1::read(view, at, version))?;
        found.extend(read.map(|dated| PlacedSuperblock {
            member: dated.member,
            magic: at,
        }));
    }
    Ok(found)
}

/// The superblock that mdadm would take, with a remark about those that it would not.
fn newest(mut found: Vec<DatedSuperblock>) -> Option<VolumeMember> {
    let count = found.len();
    // The sort is stable: of equally old ones, the first in order of reading wins.
    found.sort_by_key(|each| std::cmp::Reverse(each.created));
    let versions: Vec<_> = found.iter().filter_map(version).collect();
    let mut member = found.into_iter().next()?.member;
    if count > 1 {
        let why = format!(
            "{count} md superblocks were found (versions {}); the most recently created one is taken",
            versions.join(", ")
        );
        member.remarks.push(
            Remark::note(rules::MD_SEVERAL_SUPERBLOCKS, why)
                .advise("mdadm --zero-superblock --metadata=VERSION removes the stale one"),
        );
    }
    Some(member)
}

fn version(found: &DatedSuperblock) -> Option<&'static str> {
    match &found.member.detail {
        Detail::Md(md) => Some(md.version),
        _ => None,
    }
}

/// The sum that both versions use: 32-bit words, the carry folded in once.
/// `bytes` has the checksum field zeroed by the caller's `skip` (a byte offset).
fn checksum(bytes: &[u8], skip: usize, big_endian: bool) -> u32 {
    let mut sum = 0_u64;
    for (index, word) in bytes.chunks(4).enumerate() {
        if index * 4 == skip {
            continue;
        }
        sum += match *word {
            [a, b, c, d] if big_endian => u64::from(u32::from_be_bytes([a, b, c, d])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, ..] => u64::from(u16::from_le_bytes([a, b])),
            _ => 0,
        };
    }
    let folded = (sum & u64::from(u32::MAX)) + (sum >> 32);
    u32::try_from(folded & u64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_folds_its_carry_and_skips_its_own_field() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 9, 9, 9, 9, 2, 0, 0, 0, 1, 0];
        // 0xffffffff + 2 + 1 = 0x1_0000_0002: low word 2, carry 1.
        assert_eq!(checksum(&bytes, 4, false), 3);
        assert_eq!(checksum(&[0, 0, 0, 1], 99, true), 1);
    }
}
