//! Disks with partitions to be moved, made from a seed.

use std::ops::Range;

use ioalign_repair::mover::{Identity, MoverOptions, Patch, PatchPhase, Verify};
use ioalign_repair::{Job, Move};
use ioalign_testkit::Random;

use super::patches;
use super::sim::{Power, SimDisk};

/// A disk and what is to be done with it.
#[derive(Debug)]
pub struct Layout {
    pub bytes: Vec<u8>,
    pub logical: u64,
    pub job: Job,
    pub options: MoverOptions,
    /// First bytes of blocks that cannot be read.
    pub bad: Vec<u64>,
}

/// The layout of a seed; `None` where its moves have no safe order.
pub fn generate(seed: u64) -> Option<Layout> {
    let mut random = Random(seed);
    let logical = *random.pick(&[512, 512, 512, 4096]);
    let blocks = random.within(60, if logical == 512 { 320 } else { 100 });
    let count = random.below(4) + 1;
    let old = places(&mut random, count, blocks)?;
    let (moves, keep) = moves(&mut random, &old, blocks, logical)?;
    let mut bytes: Vec<u8> = (0..blocks * logical / 8)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    patches::sign(&mut random, &mut bytes, logical);
    let patches = patches::generate(&mut random, &bytes, &moves, &keep, logical);
    let bad = patches::bad_blocks(&mut random, &moves, &patches, logical);
    let disk = SimDisk::new(bytes.clone(), logical, &Power::lasting(u64::MAX));
    let mut disk = disk.with_bad(sectors(&bad, logical));
    let identity = Identity::take(&mut disk, &moves);
    let options = options(&mut random, logical);
    let job = Job {
        moves,
        patches,
        keep,
        identity,
    };
    Some(Layout {
        bytes,
        logical,
        job,
        options,
        bad,
    })
}

/// One partition that goes to the right by two sectors, in four windows through the journal, with a number
/// inside it and a table.
pub fn two_sectors() -> Layout {
    let mut random = Random(2);
    let bytes: Vec<u8> = (0..64 << 7)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    let one = Move {
        from: 8 << 10,
        to: 9 << 10,
        bytes: 16 << 10,
    };
    let patch = |phase, at: u64, from: usize| {
        let before = bytes[from..from + 512].to_vec();
        let after = before.iter().map(|byte| !byte).collect();
        Patch {
            phase,
            at,
            before,
            after,
        }
    };
    let patches = vec![
        patch(PatchPhase::Contents, one.to, 8 << 10),
        patch(PatchPhase::Table, 0, 0),
    ];
    let mut disk = SimDisk::new(bytes.clone(), 512, &Power::lasting(u64::MAX));
    let job = Job {
        identity: Identity::take(&mut disk, &[one]),
        moves: vec![one],
        patches,
        keep: std::iter::once(32 << 10..40 << 10).collect(),
    };
    let options = MoverOptions {
        chunk: 4 << 10,
        piece: 1 << 10,
        ..MoverOptions::default()
    };
    Layout {
        bytes,
        logical: 512,
        job,
        options,
        bad: Vec::new(),
    }
}

impl Layout {
    /// The disk, in a machine.
    pub fn disk(&self, power: &std::rc::Rc<Power>) -> SimDisk {
        let disk = SimDisk::new(self.bytes.clone(), self.logical, power);
        disk.with_bad(sectors(&self.bad, self.logical))
    }
}

fn sectors(bad: &[u64], logical: u64) -> std::collections::BTreeSet<usize> {
    let each = bad.iter().flat_map(|at| at / 512..(at + logical) / 512);
    each.map(|sector| usize::try_from(sector).unwrap())
        .collect()
}

/// Disjoint places in order, block 0 and the last two left free for tables.
fn places(random: &mut Random, count: usize, blocks: u64) -> Option<Vec<Range<u64>>> {
    let mut cuts: Vec<u64> = (0..2 * count)
        .map(|_| random.within(1, blocks - 2))
        .collect();
    cuts.sort_unstable();
    let pairs = cuts.chunks(2).map(|pair| pair[0]..pair[1]);
    let places: Vec<_> = pairs.filter(|place| !place.is_empty()).collect();
    (!places.is_empty()).then_some(places)
}

type Moves = (Vec<Move>, Vec<Range<u64>>);

/// New starts, mostly near the old ones, and an order in which that can be done.
fn moves(random: &mut Random, old: &[Range<u64>], blocks: u64, logical: u64) -> Option<Moves> {
    let style = random.below(4);
    let common = random.within(1, 9);
    let mut new: Vec<Range<u64>> = Vec::new();
    for place in old {
        let length = place.end - place.start;
        let start = match style {
            0 => place.start + common,
            1 => place.start.saturating_sub(common),
            2 => random.within(1, blocks),
            _ => (place.start + random.within(0, 20)).saturating_sub(10),
        };
        new.push(start..start + length);
    }
    let good = new.iter().enumerate().all(|(index, place)| {
        place.start > 0
            && place.end <= blocks - 2
            && new[..index].iter().all(|other| !meet(place, other))
    });
    if !good {
        return None;
    }
    let scaled = |place: &Range<u64>| place.start * logical..place.end * logical;
    let mut waiting = Vec::new();
    let mut keep = Vec::new();
    for (from, to) in old.iter().zip(&new) {
        let (from, to) = (scaled(from), scaled(to));
        if from == to {
            keep.push(from);
        } else {
            waiting.push(Move {
                from: from.start,
                to: to.start,
                bytes: from.end - from.start,
            });
        }
    }
    order(waiting).map(|moves| (moves, keep))
}

pub fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

fn order(mut waiting: Vec<Move>) -> Option<Vec<Move>> {
    let mut moves = Vec::new();
    while !waiting.is_empty() {
        let free = waiting.iter().position(|one| {
            let others = waiting.iter().filter(|other| *other != one);
            let mut sources = others.map(Move::source);
            !sources.any(|source| meet(&one.destination(), &source))
        })?;
        moves.push(waiting.remove(free));
    }
    (!moves.is_empty()).then_some(moves)
}

fn options(random: &mut Random, logical: u64) -> MoverOptions {
    let piece = logical * random.within(1, 5);
    MoverOptions {
        chunk: piece * random.within(1, 9),
        piece,
        direct_from: logical * *random.pick(&[1, 4, 1 << 20, 1 << 20]),
        verify: *random.pick(&[Verify::Full, Verify::Sampled]),
        ..MoverOptions::default()
    }
}
