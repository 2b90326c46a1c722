//! Which disk a job is for: its size, and hashes of places that tell disks apart. A plan is made of one
//! state of a disk; if a superblock has changed since, the plan is void.

use std::ops::Range;

use super::{Move, SavedBlocks, overlap};
use crate::Disk;
use crate::mover::digest;

/// How much of the start of every partition is looked at: btrfs has its superblock at 64 KiB, the others
/// theirs before.
const LOOK_BYTES: u64 = 128 << 10;

/// A place and what was there. The address is that before anything moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Where.
    pub place: Range<u64>,
    /// XXH3-128 of it.
    pub hash: u128,
}

/// A disk, by what is not likely to be the same on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The size of the disk.
    pub size_bytes: u64,
    /// Its logical block.
    pub logical_bytes: u64,
    /// Hashes of superblocks. The tables are in the patches, byte for byte.
    pub witnesses: Vec<Witness>,
    /// Tables, superblocks and free space that the mover writes on without being asked to.
    pub saved: SavedBlocks,
}

impl Identity {
    /// Looks at the start of everything that moves. What stays may change meanwhile, and a place that
    /// cannot be read is no witness.
    pub fn take(disk: &mut dyn Disk, moves: &[Move]) -> Self {
        let mut witnesses = Vec::new();
        for whole in moves.iter().map(Move::source) {
            let end = whole.end.min(whole.start.saturating_add(LOOK_BYTES));
            let place = whole.start..end;
            if let Some(hash) = hash_of(disk, &place) {
                witnesses.push(Witness { place, hash });
            }
        }
        Self {
            size_bytes: disk.size_bytes(),
            logical_bytes: disk.logical_bytes(),
            witnesses,
            saved: SavedBlocks::take(disk, moves),
        }
    }
}

/// The hash of a place, `None` where it cannot be read.
fn hash_of(disk: &mut dyn Disk, place: &Range<u64>) -> Option<u128> {
    let length = usize::try_from(place.end.checked_sub(place.start)?).ok()?;
    let mut bytes = vec![0; length];
    disk.read_at(place.start, &mut bytes).ok()?;
    Some(digest::of(&bytes))
}

/// Whether one of `places` touches this witness.
pub(crate) fn touches(witness: &Witness, places: &[Range<u64>]) -> bool {
    places.iter().any(|place| overlap(place, &witness.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_is_touched_where_a_place_shares_a_byte_with_it() {
        let witness = Witness {
            place: 100..200,
            hash: 0,
        };
        let touched = |places: &[Range<u64>]| touches(&witness, places);
        assert!(touched(&[0..50, 199..300]) && touched(&[0..101, 300..400]));
        assert!(!touched(&[0..100, 200..300]) && !touched(&[]));
    }
}
