//! A disk for logical blocks of another size: 512 ↔ 4096 bytes.
//!
//! A GPT counts in logical blocks and starts in the second one, and a FAT file system counts in sectors
//! that may not be smaller than a block: an image that was made for 512 bytes neither boots nor shows a
//! partition on a disk of 4096. The table and the FAT file systems are rebuilt; everything else stays
//! where it is, if it works in the new blocks at all ([`follow()`]).
//!
//! With a table for each block ([`ConversionWish::both`]) the same image is one for both kinds of disk.

mod both;
mod consequences;
pub mod fat;
mod follow;
mod place;
mod plan;
mod starts;

use std::ops::Range;

pub use both::{from_for_both, has_both};
pub use follow::{FollowedPartition, follow};
pub use plan::plan;

use crate::boot::{self, Consequence, Weight};
use crate::content::PartitionContent;
use crate::overlay::{self, OverlayLayer, OverlayView};
use crate::tables::{PartitionSlot, SMALL, refused};
use crate::{Disk, Error, Identity, Job, Move, Result};

/// A partition before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionChange {
    /// Its place.
    pub old: PartitionSlot,
    /// Where it will be.
    pub new: PartitionSlot,
    /// Its content.
    pub content: PartitionContent,
    /// How its file system is rebuilt, if it is.
    pub rebuilt: Option<Rebuilt>,
}

/// A rebuilt FAT file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Whether its files stay where they are.
    pub kept: bool,
    /// Clusters that belonged to no file, and are free afterwards.
    pub lost_clusters: u32,
    /// Bytes of a cluster before and after.
    pub cluster_bytes: (u64, u64),
    /// Bytes that are written for it.
    pub written_bytes: u64,
}

/// All that a conversion does.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The block that the table counts in now.
    pub from: u64,
    /// The block that it will count in.
    pub to: u64,
    /// Whether there will be a table for each of the two blocks.
    pub both: bool,
    /// Bytes of the disk now.
    pub old_bytes: u64,
    /// Bytes that it has to have: more than it has where the table finds no room at its end.
    pub bytes: u64,
    /// The partitions by number.
    pub partitions: Vec<PartitionChange>,
    /// Consequences, and reasons against it.
    pub consequences: Vec<Consequence>,
    /// The moves.
    pub moves: Vec<Move>,
    /// What is written, in this order; the last layer has the bytes that moves ask for in boot code and contents.
    layers: Vec<OverlayLayer>,
}

/// What a disk needs to be one of these blocks.
#[derive(Clone, Debug)]
pub enum ConversionAnswer {
    /// Nothing: its table is one of these blocks.
    Nothing,
    /// This.
    Convert(Box<Conversion>),
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversionWish {
    /// The block that the table counts in now.
    pub from: u64,
    /// The block that it is to count in; for a table for each block the larger one.
    pub to: u64,
    /// Whether there is to be a table for each of the two blocks.
    pub both: bool,
    /// Whether the disk can be made longer: it is an image.
    pub may_grow: bool,
}

impl Conversion {
    /// The reasons that prevent it unless they are accepted.
    pub fn refusal(&self, accepts: impl Fn(&Consequence) -> bool) -> Option<Error> {
        let stops = |one: &&Consequence| one.weight == Weight::Refused && !accepts(one);
        let one = self.consequences.iter().find(stops)?;
        let what = match one.partition {
            Some(number) => format!("partition {number}: {}", one.what),
            None => one.what.clone(),
        };
        let error = refused(what);
        Some(match &one.advice {
            Some(advice) => error.advise(advice.clone()),
            None => error,
        })
    }

    /// The work in place, to be done by the mover. The disk has its new length already.
    pub fn job(&self, disk: &mut dyn Disk) -> Result<Job> {
        if disk.size_bytes() != self.bytes {
            return Err(refused(format!(
                "the image has {} bytes and has to have {} first, for the table at its end",
                disk.size_bytes(),
                self.bytes
            )));
        }
        let patches = overlay::patches(disk, &self.moves, &self.layers)?;
        Ok(Job {
            moves: self.moves.clone(),
            keep: boot::kept(self.keep(), &patches),
            patches,
            identity: Identity::take(disk, &self.moves),
        })
    }

    /// The same before the disk has its new length: for a look at it.
    pub fn job_ahead(&self, disk: &mut dyn Disk) -> Result<Job> {
        let logical = disk.logical_bytes();
        self.job(&mut OverlayView::new(disk, (self.bytes, logical), &[], &[]))
    }

    /// Whether the disk has to become longer first.
    pub const fn grows(&self) -> bool {
        self.bytes > self.old_bytes
    }

    /// Partitions that stay.
    fn keep(&self) -> Vec<Range<u64>> {
        let still = self.partitions.iter().filter(|one| {
            let moved = one.old.start != one.new.start;
            !moved && one.rebuilt.is_none()
        });
        still.map(|one| one.old.start..one.old.end()).collect()
    }

    /// The disk as it will be, for a copy to a new image.
    pub fn view<'a>(&'a self, disk: &'a mut dyn Disk) -> OverlayView<'a> {
        // A disk for both need not have whole blocks of the larger.
        let unit = if self.both { SMALL } else { self.to };
        OverlayView::new(disk, (self.bytes, unit), &self.moves, &self.layers)
    }
}
