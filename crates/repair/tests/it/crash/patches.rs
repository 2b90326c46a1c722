//! What generated jobs write, and blocks of generated disks that cannot be read.

use std::ops::Range;

use ioalign_core::move_marker::GPT_SIGNATURE;
use ioalign_repair::Move;
use ioalign_repair::mover::{Patch, PatchPhase};
use ioalign_testkit::Random;

use super::layout::meet;

/// The first sector of an MBR, and in half of all disks GPT headers behind it and in the last block.
pub fn sign(random: &mut Random, bytes: &mut [u8], logical: u64) {
    bytes[510..512].copy_from_slice(&BOOT);
    if random.below(2) == 0 {
        let block = usize::try_from(logical).unwrap();
        for at in [block, bytes.len() - block] {
            bytes[at..at + 8].copy_from_slice(&GPT_SIGNATURE);
        }
    }
}

/// What a boot sector ends with.
const BOOT: [u8; 2] = [0x55, 0xaa];

/// Tables, boot records and numbers inside partitions for these moves.
pub fn generate(
    random: &mut Random,
    bytes: &[u8],
    moves: &[Move],
    keep: &[Range<u64>],
    logical: u64,
) -> Vec<Patch> {
    let patches = Patches {
        random,
        bytes,
        moves,
        keep,
        logical,
        all: Vec::new(),
    };
    patches.all()
}

struct Patches<'a> {
    random: &'a mut Random,
    bytes: &'a [u8],
    moves: &'a [Move],
    keep: &'a [Range<u64>],
    logical: u64,
    all: Vec<Patch>,
}

impl Patches<'_> {
    /// A table at the start, one of two blocks at the end, boot records before the old and the new starts,
    /// numbers inside the partitions.
    fn all(mut self) -> Vec<Patch> {
        let end = self.bytes.len() as u64;
        let logical = self.logical;
        if self.random.below(3) > 0 {
            self.table(end - 2 * logical..end);
        }
        if self.random.below(3) > 0 {
            self.table(logical..2 * logical);
        }
        for one in self.moves.iter().copied() {
            if self.random.below(2) == 0 {
                self.covered(one.from - logical);
                self.table(one.to - logical..one.to);
            }
            if self.random.below(2) == 0 {
                let inside = self.random.below_u64(one.bytes / logical) * logical;
                self.contents(one, inside);
            }
        }
        self.table(0..logical);
        self.all
    }

    fn is_free(&self, place: &Range<u64>) -> bool {
        let others = self.all.iter().map(Patch::place);
        !others
            .chain(self.keep.iter().cloned())
            .any(|other| meet(&other, place))
    }

    fn hits(&self, place: &Range<u64>, side: impl Fn(&Move) -> Range<u64>) -> bool {
        self.moves.iter().any(|one| meet(&side(one), place))
    }

    fn add(&mut self, phase: PatchPhase, at: u64, before: Vec<u8>) {
        let mut after: Vec<u8> = match phase {
            PatchPhase::Covered => Vec::new(),
            _ => before.iter().map(|byte| byte ^ 0x55).collect(),
        };
        if before.starts_with(&GPT_SIGNATURE) && phase == PatchPhase::Table {
            after[..8].copy_from_slice(&GPT_SIGNATURE);
        }
        if at == 0 {
            after[510..512].copy_from_slice(&BOOT);
        }
        self.all.push(Patch {
            phase,
            at,
            before,
            after,
        });
    }

    fn here(&self, place: &Range<u64>) -> Vec<u8> {
        let at = |place| usize::try_from(place).unwrap();
        self.bytes[at(place.start)..at(place.end)].to_vec()
    }

    fn table(&mut self, place: Range<u64>) {
        if self.is_free(&place) && !self.hits(&place, Move::destination) {
            self.add(PatchPhase::Table, place.start, self.here(&place));
        }
    }

    fn covered(&mut self, at: u64) {
        let place = at..at + self.logical;
        let under = self.hits(&place, Move::destination) && !self.hits(&place, Move::source);
        if self.is_free(&place) && under {
            self.add(PatchPhase::Covered, at, self.here(&place));
        }
    }

    fn contents(&mut self, one: Move, inside: u64) {
        let place = one.to + inside..one.to + inside + self.logical;
        if self.is_free(&place) {
            let from = one.from + inside;
            let before = self.here(&(from..from + self.logical));
            self.add(PatchPhase::Contents, place.start, before);
        }
    }
}

/// In one layout of four, some blocks of partitions that cannot be read and that no patch knows.
pub fn bad_blocks(
    random: &mut Random,
    moves: &[Move],
    patches: &[Patch],
    logical: u64,
) -> Vec<u64> {
    if random.below(4) > 0 {
        return Vec::new();
    }
    let mut bad = Vec::new();
    for _ in 0..random.below(4) + 1 {
        let one = random.pick(moves);
        let inside = random.below_u64(one.bytes / logical) * logical;
        let place = one.from + inside..one.from + inside + logical;
        let arrives = one.to + inside..one.to + inside + logical;
        let patched = patches.iter().any(|patch| {
            let at = match patch.phase {
                PatchPhase::Contents => &arrives,
                _ => &place,
            };
            meet(&patch.place(), at)
        });
        if !patched && !bad.contains(&place.start) {
            bad.push(place.start);
        }
    }
    bad
}
