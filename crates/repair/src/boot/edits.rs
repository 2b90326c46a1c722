//! Bytes to change, by where they are before anything moves, and the patches that follow from them.

use std::collections::BTreeMap;

use ioalign_core::on_disk::bytes::put;

use super::Moved;
use super::fate::{Fate, fate};
use crate::{Disk, Error, Patch, PatchPhase, Result};

/// New bytes at addresses of before the move.
#[derive(Clone, Debug, Default)]
pub struct Edits(Vec<(u64, Vec<u8>)>);

impl Edits {
    /// Replaces bytes.
    pub fn set(&mut self, at: u64, bytes: &[u8]) {
        self.0.push((at, bytes.to_vec()));
    }

    /// Whole blocks: those of a partition that moves at their new place, the others where they are.
    pub fn patches(&self, disk: &mut dyn Disk, moved: &[Moved]) -> Result<Vec<Patch>> {
        let unit = disk.logical_bytes().max(1);
        let mut blocks: BTreeMap<u64, EditedBlock> = BTreeMap::new();
        for (at, bytes) in &self.0 {
            for (at, piece) in pieces(*at, bytes, unit) {
                let start = at - at % unit;
                let block = match blocks.entry(start) {
                    std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(EditedBlock::read(disk, start, unit)?)
                    }
                };
                let skip = usize::try_from(at - start).unwrap_or(usize::MAX / 2);
                put(&mut block.after, skip, piece);
            }
        }
        let changed = blocks
            .into_iter()
            .filter(|(_, block)| block.before != block.after);
        changed.map(|(at, block)| block.patch(at, moved)).collect()
    }
}

struct EditedBlock {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl EditedBlock {
    fn read(disk: &mut dyn Disk, at: u64, unit: u64) -> Result<Self> {
        let mut before = vec![0; usize::try_from(unit).unwrap_or(512)];
        disk.read_at(at, &mut before)
            .map_err(|error| Error::io(format!("cannot read byte {at}"), error))?;
        let after = before.clone();
        Ok(Self { before, after })
    }

    fn patch(self, at: u64, moved: &[Moved]) -> Result<Patch> {
        let end = at.saturating_add(self.before.len() as u64);
        let (phase, at) = match fate(moved, &(at..end)) {
            Fate::Stay => (PatchPhase::Table, at),
            Fate::Go(there) => (PatchPhase::Contents, there),
            Fate::Torn => {
                let what = format!("the block at byte {at} lies across the start of a partition");
                return Err(Error::new(crate::ErrorKind::Refused, what));
            }
        };
        Ok(Patch {
            phase,
            at,
            before: self.before,
            after: self.after,
        })
    }
}

/// A run of bytes cut at the ends of blocks.
fn pieces(at: u64, bytes: &[u8], unit: u64) -> Vec<(u64, &[u8])> {
    let mut out = Vec::new();
    let (mut at, mut rest) = (at, bytes);
    while !rest.is_empty() {
        let room = usize::try_from(unit - at % unit).unwrap_or(usize::MAX);
        let (piece, later) = rest.split_at(room.min(rest.len()));
        out.push((at, piece));
        at = at.saturating_add(piece.len() as u64);
        rest = later;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;
    use crate::boot::Arrival;

    #[test]
    fn patches_are_whole_blocks_at_the_new_place() {
        let mut disk = MemoryDisk {
            bytes: (0..64).collect(),
            logical_bytes: 8,
        };
        let moved = [Moved {
            number: 1,
            from: 16,
            to: 40,
            bytes: 16,
            arrival: Arrival::Same,
        }];
        let mut edits = Edits::default();
        edits.set(1, &[99]);
        edits.set(22, &[98, 97, 96]);
        edits.set(30, &[30]);
        let patches = edits.patches(&mut disk, &moved).unwrap();
        let seen: Vec<_> = patches
            .iter()
            .map(|patch| (patch.phase, patch.at, patch.before[0], patch.after.clone()))
            .collect();
        assert_eq!(
            seen,
            [
                (PatchPhase::Table, 0, 0, vec![0, 99, 2, 3, 4, 5, 6, 7]),
                (
                    PatchPhase::Contents,
                    40,
                    16,
                    vec![16, 17, 18, 19, 20, 21, 98, 97]
                ),
                (
                    PatchPhase::Contents,
                    48,
                    24,
                    vec![96, 25, 26, 27, 28, 29, 30, 31]
                ),
            ]
        );
    }
}
