//! From a job to what stands on its disk in flight.

use std::ops::Range;

use ioalign_core::move_marker::{BYTES, GPT_SET_ASIDE, GPT_SIGNATURE, set_aside};

use super::{Exchange, Flight, TORN_BYTES, lay, marker};
use crate::journal::Contents;
use crate::mover::job::{SavedBytes, overlap, without};
use crate::mover::{Job, Move, Patch, PatchPhase};
use crate::{Error, ErrorKind, Result};

/// Bytes of a table before the job and after it.
struct TableBytes {
    at: u64,
    before: Vec<u8>,
    after: Vec<u8>,
}

pub fn flight(contents: &Contents) -> Result<Flight> {
    let job = &contents.job;
    let first = first_block(job)?;
    let marker = marker(contents, &first.bytes);
    let mut covers = Vec::new();
    let mut tables = Vec::new();
    for one in table_bytes(job, first) {
        let marked = marked(job, &one, &marker);
        covers.extend(changed(&one, &marked, job.identity.logical_bytes));
        let mut flight = marked;
        for superblock in &job.identity.saved.superblocks {
            lay(
                &stand_in(contents.run, superblock),
                superblock.at,
                &mut flight,
                one.at,
            );
        }
        tables.push(Exchange {
            at: one.at,
            flight,
            ground: one.after,
        });
    }
    // The first block comes last in the tables, and first here.
    covers.sort_by_key(|cover| cover.at);
    let superblocks = job.identity.saved.superblocks.iter();
    covers.extend(superblocks.map(|one| Exchange {
        at: one.at,
        flight: stand_in(contents.run, one),
        ground: one.bytes.clone(),
    }));
    Ok(Flight {
        run: contents.run,
        marker,
        covers,
        contents: in_destinations(job, contents.run),
        tables,
        wiped: wiped(job),
    })
}

fn stand_in(run: u128, superblock: &SavedBytes) -> Vec<u8> {
    set_aside(run, superblock.bytes.len())
}

/// The first block, which nothing may move to or from.
fn first_block(job: &Job) -> Result<&SavedBytes> {
    let first = job.identity.saved.tables.first();
    let first = first.filter(|first| first.at == 0 && first.bytes.len() >= BYTES);
    let free = |first: &&SavedBytes| {
        let place = first.place();
        !places(job).any(|other| overlap(&other, &place))
    };
    first.filter(free).ok_or_else(|| {
        let what = "the first block of the disk cannot be read, or is to be moved: there is no place for a marker";
        Error::new(ErrorKind::Refused, what)
    })
}

/// All places that data are moved from or to.
fn places(job: &Job) -> impl Iterator<Item = Range<u64>> {
    let moves = job.moves.iter();
    moves.flat_map(|one| [one.source(), one.destination()])
}

/// What the job writes into tables, GPT headers that it leaves alone, and the first block as the last.
fn table_bytes(job: &Job, first: &SavedBytes) -> Vec<TableBytes> {
    let end = first.place().end;
    let mut last = TableBytes {
        at: 0,
        before: first.bytes.clone(),
        after: first.bytes.clone(),
    };
    let mut all = Vec::new();
    for patch in job.patches(PatchPhase::Table) {
        lay(&patch.after, patch.at, &mut last.after, 0);
        all.extend(behind(patch, end));
    }
    for header in job.identity.saved.tables.iter().skip(1) {
        let place = header.place();
        let patches = job.patches.iter().map(Patch::place);
        let mut others = patches.chain(places(job)).chain(job.keep.iter().cloned());
        if !others.any(|other| overlap(&other, &place)) {
            all.push(TableBytes {
                at: header.at,
                before: header.bytes.clone(),
                after: header.bytes.clone(),
            });
        }
    }
    all.push(last);
    all
}

/// What of a patch lies behind the first block.
fn behind(patch: &Patch, end: u64) -> Option<TableBytes> {
    let skip = usize::try_from(end.saturating_sub(patch.at)).ok()?;
    let (before, after) = (patch.before.get(skip..)?, patch.after.get(skip..)?);
    (!before.is_empty()).then(|| TableBytes {
        at: patch.at.max(end),
        before: before.to_vec(),
        after: after.to_vec(),
    })
}

/// The bytes of before with the marker in the first sector, and no GPT header in any. What moves is left alone:
/// it would not find back.
fn marked(job: &Job, one: &TableBytes, marker: &[u8; BYTES]) -> Vec<u8> {
    let moves = |at: u64| {
        let mut sources = job.moves.iter().map(Move::source);
        sources.any(|source| source.contains(&at))
    };
    let mut bytes = one.before.clone();
    for (sector, at) in bytes
        .chunks_mut(TORN_BYTES)
        .zip((one.at..).step_by(TORN_BYTES))
    {
        if sector.starts_with(&GPT_SIGNATURE)
            && !moves(at)
            && let Some(signature) = sector.first_chunk_mut()
        {
            *signature = GPT_SET_ASIDE;
        }
    }
    lay(marker, 0, &mut bytes, one.at);
    bytes
}

/// The blocks that a mark changes.
fn changed(one: &TableBytes, marked: &[u8], logical: u64) -> Vec<Exchange> {
    let block = usize::try_from(logical).unwrap_or(TORN_BYTES).max(1);
    let pairs = one.before.chunks(block).zip(marked.chunks(block));
    let pairs = pairs.zip((one.at..).step_by(block));
    let pairs = pairs.filter(|((before, marked), _)| before != marked);
    pairs
        .map(|((before, marked), at)| Exchange {
            at,
            flight: marked.to_vec(),
            ground: before.to_vec(),
        })
        .collect()
}

/// Where a superblock arrives.
fn arrives(job: &Job, superblock: &SavedBytes) -> Option<u64> {
    let place = superblock.place();
    let holds = |one: &&Move| one.source().start <= place.start && place.end <= one.source().end;
    let one = job.moves.iter().find(holds)?;
    Some(superblock.at - one.from + one.to)
}

/// Patches of contents with what is set aside under them, and what is set aside beside them.
fn in_destinations(job: &Job, run: u128) -> Vec<Exchange> {
    let superblocks = job.identity.saved.superblocks.iter();
    let arriving = superblocks.filter_map(|one| Some((arrives(job, one)?, one)));
    let arriving: Vec<_> = arriving.collect();
    let mut all = Vec::new();
    for patch in job.patches(PatchPhase::Contents) {
        let mut flight = patch.before.clone();
        for (at, superblock) in &arriving {
            lay(&stand_in(run, superblock), *at, &mut flight, patch.at);
        }
        all.push(Exchange {
            at: patch.at,
            flight,
            ground: patch.after.clone(),
        });
    }
    for (at, superblock) in arriving {
        let whole = at..at + superblock.bytes.len() as u64;
        let patches = job.patches(PatchPhase::Contents).map(Patch::place);
        for place in without(&whole, patches) {
            all.extend(part(superblock, at, &place, run));
        }
    }
    all
}

fn part(superblock: &SavedBytes, at: u64, place: &Range<u64>, run: u128) -> Option<Exchange> {
    let index = |there: u64| usize::try_from(there - at).ok();
    let ground = superblock
        .bytes
        .get(index(place.start)?..index(place.end)?)?;
    Some(Exchange {
        at: place.start,
        flight: set_aside(run, ground.len()),
        ground: ground.to_vec(),
    })
}

/// The rest of superblocks at their sources when all has moved.
fn wiped(job: &Job) -> Vec<Range<u64>> {
    let taken = || {
        let tables = job.patches(PatchPhase::Table).map(Patch::place);
        tables.chain(job.moves.iter().map(Move::destination))
    };
    let superblocks = job.identity.saved.superblocks.iter();
    superblocks
        .flat_map(|one| without(&one.place(), taken()))
        .collect()
}
