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
            before: one.before,
            flight,
            after: one.after,
        });
    }
    // The first block comes last in the tables, and first here.
    covers.sort_by_key(|cover| cover.at);
    let superblocks = job.identity.saved.superblocks.iter();
    let superblocks = superblocks.map(|one| Exchange {
        at: one.at,
        before: one.bytes.clone(),
        flight: stand_in(contents.run, one),
        after: Vec::new(),
    });
    Ok(Flight {
        run: contents.run,
        marker,
        covers,
        superblocks: superblocks.collect(),
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
    let images = one.before.chunks(block).zip(marked.chunks(block));
    let images = images.zip(one.after.chunks(block));
    let images = images.zip((one.at..).step_by(block));
    let images = images.filter(|(((before, marked), _), _)| before != marked);
    images
        .map(|(((before, marked), after), at)| Exchange {
            at,
            before: before.to_vec(),
            flight: marked.to_vec(),
            after: after.to_vec(),
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
            before: patch.before.clone(),
            flight,
            after: patch.after.clone(),
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
    let bytes = superblock
        .bytes
        .get(index(place.start)?..index(place.end)?)?;
    Some(Exchange {
        at: place.start,
        before: bytes.to_vec(),
        flight: set_aside(run, bytes.len()),
        after: bytes.to_vec(),
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

#[cfg(test)]
mod tests {
    use ioalign_core::move_marker::MoveMarker;

    use super::*;
    use crate::mover::{Identity, MoveOrigin, MoverOptions, job::SavedBlocks};

    const END: u64 = 64 << 10;

    fn saved(at: u64, fill: u8) -> SavedBytes {
        SavedBytes {
            at,
            bytes: vec![fill; 512],
        }
    }

    fn header(at: u64) -> SavedBytes {
        let mut one = saved(at, 1);
        one.bytes[..8].copy_from_slice(&GPT_SIGNATURE);
        one
    }

    fn patch(phase: PatchPhase, place: &SavedBytes, after: u8) -> Patch {
        Patch {
            phase,
            at: place.at,
            before: place.bytes.clone(),
            after: vec![after; place.bytes.len()],
        }
    }

    /// 4 KiB from 8 to 9 KiB, with superblocks at 8 and 10 KiB; both copies of a GPT, the first of which changes.
    fn job() -> Job {
        Job {
            moves: vec![Move {
                from: 8 << 10,
                to: 9 << 10,
                bytes: 4 << 10,
            }],
            patches: vec![
                patch(PatchPhase::Table, &header(512), 0x12),
                patch(PatchPhase::Contents, &saved(9 << 10, 0x81), 0x82),
                patch(PatchPhase::Table, &saved(0, 0x10), 0x11),
            ],
            keep: Vec::new(),
            identity: Identity {
                size_bytes: END,
                logical_bytes: 512,
                witnesses: Vec::new(),
                saved: SavedBlocks {
                    tables: vec![saved(0, 0x10), header(512), header(END - 512)],
                    superblocks: vec![saved(8 << 10, 0x81), saved(10 << 10, 0x83)],
                    ..SavedBlocks::default()
                },
            },
        }
    }

    fn built(job: &Job) -> Result<Flight> {
        let sizes = MoverOptions::default().sizes(512)?;
        let header = crate::journal::header_for(job, sizes);
        flight(&Contents::first(&header, job, &MoveOrigin::default()))
    }

    /// Place, length and last byte of an image: a stand-in ends otherwise.
    fn shape(all: &[Exchange], image: fn(&Exchange) -> &Vec<u8>) -> Vec<(u64, usize, Option<u8>)> {
        let one = |one: &Exchange| {
            let bytes = image(one);
            assert_eq!(
                (one.flight.len(), one.before.len()),
                (bytes.len(), bytes.len())
            );
            (one.at, bytes.len(), bytes.last().copied())
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn all_by_which_a_disk_is_recognised_is_replaced() {
        let flight = built(&job()).unwrap();
        let stand_in = set_aside(flight.run, 512);
        let before = [
            (0, 512, Some(0x10)),
            (512, 512, Some(1)),
            (END - 512, 512, Some(1)),
        ];
        assert_eq!(shape(&flight.covers, |one| &one.before), before);
        let after = [0x11, 0x12, 1].map(Some);
        let last = |one: &Exchange| one.after.last().copied();
        assert!(flight.covers.iter().map(last).eq(after));
        assert_eq!(flight.covers[0].flight, flight.marker);
        for header in &flight.covers[1..] {
            assert_eq!(header.flight[..8], GPT_SET_ASIDE);
            assert_eq!(header.flight[8..], header.before[8..]);
        }
        let before = [(8 << 10, 512, Some(0x81)), (10 << 10, 512, Some(0x83))];
        assert_eq!(shape(&flight.superblocks, |one| &one.before), before);
        let mut covered = flight.superblocks.iter().chain(&flight.contents);
        assert!(covered.all(|one| one.flight == stand_in));
        let before = [(9 << 10, 512, Some(0x81)), (11 << 10, 512, Some(0x83))];
        assert_eq!(shape(&flight.contents, |one| &one.before), before);
        let after = [(9 << 10, 512, Some(0x82)), (11 << 10, 512, Some(0x83))];
        assert_eq!(shape(&flight.contents, |one| &one.after), after);
        let after = [
            (512, 512, Some(0x12)),
            (END - 512, 512, Some(1)),
            (0, 512, Some(0x11)),
        ];
        assert_eq!(shape(&flight.tables, |one| &one.after), after);
        let before = [1, 1, 0x10].map(Some);
        let last = |one: &Exchange| one.before.last().copied();
        assert!(flight.tables.iter().map(last).eq(before));
        let in_flight = [&flight.covers[1], &flight.covers[2], &flight.covers[0]];
        for (table, cover) in flight.tables.iter().zip(in_flight) {
            assert_eq!(table.flight, cover.flight);
        }
        // The other superblock is written over by data.
        let rest = std::iter::once(8 << 10..(8 << 10) + 512);
        assert_eq!(flight.wiped, rest.collect::<Vec<_>>());
    }

    #[test]
    fn the_marker_covers_the_blocks_of_the_disk() {
        let flight = built(&job()).unwrap();
        let marker = MoveMarker {
            run: flight.run,
            host: String::new(),
            journal: std::path::PathBuf::new(),
            old_table: MoveMarker::table_in(&[0x10; 512]),
        };
        assert_eq!(flight.marker, marker.encode(END / 512));
    }

    #[test]
    fn the_first_block_is_known_and_stays() {
        let refused = |change: fn(&mut Job)| {
            let mut job = job();
            change(&mut job);
            built(&job).err().map(|error| error.kind())
        };
        let no = Some(ErrorKind::Refused);
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|job| job.identity.saved.tables.clear()), no);
        assert_eq!(refused(|job| job.identity.saved.tables[0].at = 512), no);
        assert_eq!(
            refused(|job| job.identity.saved.tables[0].bytes.truncate(511)),
            no
        );
        assert_eq!(refused(|job| job.moves[0].to = 0), no);
        assert_eq!(refused(|job| job.moves[0].from = 511), no);
        assert_eq!(refused(|job| job.moves[0].from = 512), None);
    }

    #[test]
    fn a_header_that_moves_or_is_moved_over_is_left_alone() {
        // A table of before, in the source of what moves, is data; so is one in a destination, and one that stays.
        for change in [
            |job: &mut Job| job.identity.saved.tables[2].at = 11 << 10,
            |job: &mut Job| job.identity.saved.tables[2].at = 12 << 10,
            |job: &mut Job| job.keep = std::iter::once(END - 1024..END).collect(),
        ] {
            let mut job = job();
            change(&mut job);
            let flight = built(&job).unwrap();
            let at: Vec<_> = flight.tables.iter().map(|one| one.at).collect();
            assert_eq!(at, [512, 0]);
        }
    }

    #[test]
    fn a_header_in_a_source_keeps_its_signature_in_a_patch() {
        let mut job = job();
        job.patches[0] = patch(PatchPhase::Table, &header((8 << 10) + 512), 0x12);
        let flight = built(&job).unwrap();
        assert_eq!(flight.tables[0].at, (8 << 10) + 512);
        assert_eq!(flight.tables[0].flight[..8], GPT_SIGNATURE);
    }

    #[test]
    fn a_patch_over_the_first_block_is_written_in_two() {
        let mut job = job();
        let whole = SavedBytes {
            at: 0,
            bytes: [saved(0, 0x10).bytes, header(512).bytes].concat(),
        };
        job.patches = vec![patch(PatchPhase::Table, &whole, 0x12)];
        let flight = built(&job).unwrap();
        let after = [
            (512, 512, Some(0x12)),
            (END - 512, 512, Some(1)),
            (0, 512, Some(0x12)),
        ];
        assert_eq!(shape(&flight.tables, |one| &one.after), after);
    }

    #[test]
    fn what_a_patch_covers_in_part_is_set_aside_beside_it() {
        let mut job = job();
        // Of the superblock that arrives at 11 KiB, the first half of a longer one is patched.
        job.identity.saved.superblocks[1].bytes = vec![0x83; 1024];
        job.patches[1] = patch(PatchPhase::Contents, &saved(11 << 10, 0x83), 0x82);
        let flight = built(&job).unwrap();
        let after = [
            (11 << 10, 512, Some(0x82)),
            (9 << 10, 512, Some(0x81)),
            ((11 << 10) + 512, 512, Some(0x83)),
        ];
        assert_eq!(shape(&flight.contents, |one| &one.after), after);
        assert_eq!(
            flight.contents[0].flight,
            set_aside(flight.run, 1024)[..512]
        );
    }

    #[test]
    fn a_table_over_a_superblock_is_in_flight_with_its_replacement() {
        let mut job = job();
        job.patches[0] = patch(PatchPhase::Table, &saved(8 << 10, 0x81), 0x12);
        let flight = built(&job).unwrap();
        assert_eq!(flight.tables[0].flight, set_aside(flight.run, 512));
        assert!(flight.wiped.is_empty(), "a table is written there");
    }
}
