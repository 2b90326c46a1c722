//! The last partition, cut off by as little as a layout needs.

use super::extent::extent;
use crate::content::{self, PartitionContent};
use crate::layout::{MovableBlock, least};
use crate::tables::PartitionSlot;
use crate::{Disk, Error, ErrorKind, Result};

/// Ends are cut by whole ones of this.
const STEP: u64 = 1 << 20;

/// The fewest bytes, whole mebibytes, by which the last block has to be shorter for a layout to exist;
/// `None` where none would be enough.
pub fn cut(blocks: &[MovableBlock]) -> Option<u64> {
    let last = blocks.iter().max_by_key(|block| block.start)?;
    if last.fixed {
        return None;
    }
    let works = |steps: u64| least(&shortened(blocks, steps * STEP)).is_some();
    let most = last.size.checked_sub(1)? / STEP;
    if !works(most) {
        return None;
    }
    // What fits fits shorter as well.
    Some(first_that_works(0, most, works) * STEP)
}

/// The first number between these that works, where all after one that works do, and the last does: by halving.
pub(crate) fn first_that_works(mut low: u64, mut high: u64, works: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if works(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The same blocks with the last one shortened by this much.
pub fn shortened(blocks: &[MovableBlock], bytes: u64) -> Vec<MovableBlock> {
    let last = blocks.iter().map(|block| block.start).max();
    let shorter = |block: &MovableBlock| MovableBlock {
        size: if Some(block.start) == last {
            block.size.saturating_sub(bytes)
        } else {
            block.size
        },
        ..block.clone()
    };
    blocks.iter().map(shorter).collect()
}

/// A file system that has to become smaller before its partition does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrink {
    /// Its partition, as long as it is now.
    pub slot: PartitionSlot,
    /// How long it will be.
    pub new_size: u64,
    /// Its content.
    pub content: PartitionContent,
    /// How much of it the file system takes.
    pub extent: u64,
}

impl Shrink {
    /// Whether the file system reaches past the new end: then its tool has to run first.
    pub const fn needs_tool(&self) -> bool {
        self.extent > self.new_size
    }

    /// What is run, in order; the partition is `device`.
    pub fn commands(&self, device: &str) -> Vec<Vec<String>> {
        let size = match self.content {
            PartitionContent::Ext { .. } => format!("{}K", self.new_size >> 10),
            _ => self.new_size.to_string(),
        };
        let all: &[&[&str]] = match self.content {
            PartitionContent::Ext { .. } => &[
                &["e2fsck", "-f", "-p", device],
                &["resize2fs", device, &size],
            ],
            // The first run changes nothing: it finds out whether the second one would work.
            _ => &[
                &[
                    "ntfsresize",
                    "--force",
                    "--no-action",
                    "--size",
                    &size,
                    device,
                ],
                &["ntfsresize", "--force", "--force", "--size", &size, device],
            ],
        };
        let words = |command: &&[&str]| command.iter().map(|word| (*word).to_owned()).collect();
        all.iter().map(words).collect()
    }
}

/// How a partition becomes as short as `new_size`; refused where no tool can do that unmounted.
pub fn shrink(disk: &mut dyn Disk, slot: &PartitionSlot, new_size: u64) -> Result<Shrink> {
    let content = content::probe(disk, slot.start, slot.size)?;
    let found = extent(disk, slot.start, &content)?;
    let done = found.is_some_and(|extent| extent <= new_size);
    let found = found.filter(|_| done || by_tool(&content));
    match found {
        Some(extent) => Ok(Shrink {
            slot: *slot,
            new_size,
            content,
            extent,
        }),
        None if content == PartitionContent::Empty => Ok(Shrink {
            slot: *slot,
            new_size,
            content,
            extent: 0,
        }),
        None => Err(cannot(slot.number, &content)),
    }
}

const fn by_tool(content: &PartitionContent) -> bool {
    matches!(
        content,
        PartitionContent::Ext { .. } | PartitionContent::Ntfs { .. }
    )
}

fn cannot(number: u32, content: &PartitionContent) -> Error {
    let name = content.name();
    let (why, advice) = match content {
        PartitionContent::Xfs { .. } => (
            "XFS cannot become smaller",
            "copy its files to a smaller one (`xfsdump`, `xfsrestore`)",
        ),
        PartitionContent::Btrfs { .. } => (
            "btrfs is made smaller only while it is mounted",
            "mount it and run `btrfs filesystem resize`, then make the partition smaller (`sfdisk`)",
        ),
        PartitionContent::Lvm => (
            "what is at its end has to be moved away first",
            "`pvmove` and `pvresize --setphysicalvolumesize`, then make the partition smaller (`sfdisk`)",
        ),
        PartitionContent::Luks { .. } => (
            "what is encrypted cannot be seen",
            "open it, make what is in it smaller, then `cryptsetup resize`, then the partition (`sfdisk`)",
        ),
        PartitionContent::Swap { .. } => (
            "swap is created again",
            "make the partition smaller (`sfdisk`) and run `mkswap` with its UUID",
        ),
        _ => (
            "no tool makes this smaller",
            "make room on the disk instead",
        ),
    };
    Error::new(
        ErrorKind::Refused,
        format!("partition {number} holds {name} and cannot be cut: {why}"),
    )
    .advise(advice)
}
