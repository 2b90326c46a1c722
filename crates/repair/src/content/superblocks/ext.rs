//! Copies of the superblock of ext2, ext3 and ext4: `e2fsck` falls back to the first by itself.

use std::ops::Range;

use ioalign_core::on_disk::bytes::{has, le32};

use crate::disk::DiskPart;

const MAGIC: &[u8] = &[0x53, 0xef];
/// Where a superblock has it.
const MAGIC_AT: u64 = 56;
const SUPERBLOCK: u64 = 1024;
/// Without "sparse superblocks" every group has a copy.
const SPARSE: u32 = 1;
/// As many copies as are looked for.
const GROUPS_MOST: u64 = 4096;

pub fn backups(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    let field = |at: usize| u64::from(le32(head, 1024 + at));
    let mut places: Vec<u64> = Vec::new();
    if !has(head, 1024 + 56, MAGIC) {
        return Vec::new();
    }
    let sparse = le32(head, 1024 + 100) & SPARSE != 0;
    let (first, blocks, each, log) = (field(20), field(4), field(32), field(24));
    if (1..=1 << 20).contains(&each) && log <= 6 {
        let groups = blocks.div_ceil(each);
        let two = [field(588), field(592)];
        let has_copy = |group: &u64| !sparse || is_power(*group) || two.contains(group);
        let near = (1..groups.min(GROUPS_MOST)).filter(has_copy);
        let far = powers(groups).filter(|group| *group >= GROUPS_MOST);
        let far = far.chain(two.into_iter().filter(|group| *group >= GROUPS_MOST));
        let block = SUPERBLOCK << log;
        places.extend(near.chain(far).map(|group| (first + group * each) * block));
    }
    // Its usual place, if the block is not known.
    places.push(8193 << 10);
    places.extend((11..=16).map(|log: u32| (8u64 << log) << log));
    places.retain(|at| part.holds(at.saturating_add(MAGIC_AT), MAGIC));
    let place = |at: u64| at..at.saturating_add(SUPERBLOCK);
    places.into_iter().map(place).collect()
}

/// Whether a group is a power of 3, 5 or 7, or the first one.
fn is_power(group: u64) -> bool {
    group == 1 || powers(group + 1).any(|power| power == group)
}

/// Powers of 3, 5 and 7 below an end.
fn powers(end: u64) -> impl Iterator<Item = u64> {
    [3u64, 5, 7].into_iter().flat_map(move |base| {
        std::iter::successors(Some(base), move |power| power.checked_mul(base))
            .take_while(move |power| *power < end)
    })
}
