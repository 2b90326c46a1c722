//! Reads a journal that may be anything: of another version, cut off, damaged, or no journal at all.

use std::ops::Range;

use super::header::{
    self, BLOCK, JOB_AT, MAGIC, ORIGIN_AT, ORIGIN_BYTES, STATES_AT, UNREADABLE_AT,
    UNREADABLE_BYTES, UNREADABLE_MOST,
};
use super::{Contents, JournalHeader, JournalState, failed, record};
use crate::mover::job::Track;
use crate::mover::{Job, MoveOrigin, check, digest};
use crate::{Disk, Error, ErrorKind, Result};

/// No job is longer: two images of patches, and what is kept of superblocks and free space, have limits.
const JOB_MOST: u64 = 272 << 20;

/// A program that is killed between making the file and reserving its space leaves this.
const EMPTY: &str = "it is empty: it was cut off while it was made, before anything moved, unless somebody emptied \
                     it; it can be deleted";

/// No journal has that many records.
const NUMBER_MOST: u64 = 1 << 60;

/// The header and what the journal says, if all of it is whole.
pub fn open(store: &mut dyn Disk) -> Result<(JournalHeader, Contents)> {
    let header = find_header(store)?;
    let job = read_job(store, &header)?;
    let state = newest_state(store, &header)
        .and_then(|state| fits(state, &job, &header))
        .ok_or_else(|| refused("it is damaged: there is no whole record of how far the job is"))?;
    let unreadable = read_unreadable(store, state.unreadable)?;
    let contents = Contents {
        state,
        unreadable,
        ..Contents::first(&header, &job, &read_origin(store)?)
    };
    Ok((header, contents))
}

fn refused(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, format!("the journal: {}", what.into()))
}

fn read(store: &mut dyn Disk, at: u64, bytes: u64) -> Result<Vec<u8>> {
    let end = at.checked_add(bytes);
    if end.is_none_or(|end| end > store.size_bytes()) {
        return Err(refused("it is cut off"));
    }
    let mut all = vec![0; usize::try_from(bytes).map_err(|_| refused("it is too long"))?];
    store.read_at(at, &mut all).map_err(failed)?;
    Ok(all)
}

/// Whether it has no header yet: that is written when all else is durable, and before the marker.
pub fn is_unfinished(store: &mut dyn Disk) -> Result<bool> {
    let size = store.size_bytes();
    if size == 0 {
        return Ok(true);
    }
    let first = read(store, 0, BLOCK)?;
    let last = read(store, size.saturating_sub(BLOCK), BLOCK)?;
    let blank = |block: &[u8]| block.iter().all(|byte| *byte == 0);
    let begun = |block: &[u8]| blank(block) || header::version(block) == Some(header::VERSION);
    let whole = |block: &[u8]| JournalHeader::decode(block).is_some();
    Ok([&first, &last]
        .iter()
        .all(|block| begun(block) && !whole(block)))
}

fn find_header(store: &mut dyn Disk) -> Result<JournalHeader> {
    let size = store.size_bytes();
    if size == 0 {
        return Err(refused(EMPTY));
    }
    let first = read(store, 0, BLOCK)?;
    let last = read(store, size.saturating_sub(BLOCK), BLOCK)?;
    let header = JournalHeader::decode(&first).or_else(|| JournalHeader::decode(&last));
    let Some(header) = header else {
        return Err(refused(no_header(&first, &last)));
    };
    if header.total_bytes != size {
        return Err(refused(format!(
            "it is cut off: {size} bytes of {}",
            header.total_bytes
        )));
    }
    Ok(header)
}

fn no_header(first: &[u8], last: &[u8]) -> String {
    let blank = |block: &[u8]| block.iter().all(|byte| *byte == 0);
    if blank(first) && blank(last) {
        return "it was cut off while it was made, before anything moved: it can be deleted".into();
    }
    match header::version(first) {
        Some(version) if version != header::VERSION => {
            format!(
                "it has version {version}, this program knows {} only: the ioalign that began the move can end it",
                header::VERSION
            )
        }
        _ if first.starts_with(&MAGIC) || last.starts_with(&MAGIC) => {
            "its header is damaged, or it was cut off while it was made, before anything moved"
                .into()
        }
        _ => "this is none".into(),
    }
}

fn read_job(store: &mut dyn Disk, header: &JournalHeader) -> Result<Job> {
    if header.job_bytes > JOB_MOST {
        return Err(refused("it is damaged: the job is too long"));
    }
    let bytes = read(store, JOB_AT, header.job_bytes)?;
    let job = (digest::of(&bytes) == header.job_hash)
        .then(|| record::decode(&bytes))
        .flatten()
        .ok_or_else(|| refused("it is damaged: the job is not what was written"))?;
    check(&job, header.disk_bytes, header.logical_bytes)?;
    Ok(job)
}

fn read_origin(store: &mut dyn Disk) -> Result<MoveOrigin> {
    let bytes = read(store, ORIGIN_AT, ORIGIN_BYTES)?;
    record::decode_origin(&bytes)
        .ok_or_else(|| refused("it is damaged: where it was begun is not what was written"))
}

fn newest_state(store: &mut dyn Disk, header: &JournalHeader) -> Option<JournalState> {
    let states = (0..4).filter_map(|block| {
        let bytes = read(store, STATES_AT + block * BLOCK, BLOCK).ok()?;
        JournalState::decode(&bytes, header.id)
    });
    states.max_by_key(|state| state.number)
}

/// A state whose numbers are impossible is damaged, even if its CRC is right.
fn fits(state: JournalState, job: &Job, header: &JournalHeader) -> Option<JournalState> {
    let index = usize::try_from(state.index).ok()?;
    let bytes = match job.moves.get(index) {
        Some(one) => one.bytes,
        None if index == job.moves.len() => 0,
        None => return None,
    };
    let staged = state.staged.is_none_or(|staged| {
        let length = staged.end.checked_sub(staged.start);
        let edge = Track::edge(staged.toward, &(staged.start..staged.end));
        staged.slot < 2
            && staged.end <= bytes
            && length.is_some_and(|length| length <= header.slot_bytes)
            && edge == state.done
    });
    let places = u64::from(state.unreadable) <= UNREADABLE_MOST;
    let whole = state.done.is_multiple_of(header.logical_bytes);
    let counts = state.number < NUMBER_MOST;
    (state.done <= bytes && whole && staged && places && counts).then_some(state)
}

fn read_unreadable(store: &mut dyn Disk, count: u32) -> Result<Vec<Range<u64>>> {
    let bytes = read(store, UNREADABLE_AT, u64::from(count) * UNREADABLE_BYTES)?;
    let length = usize::try_from(UNREADABLE_BYTES).unwrap_or(1);
    let places: Option<_> = bytes
        .chunks_exact(length)
        .map(record::decode_unreadable)
        .collect();
    places.ok_or_else(|| refused("it is damaged: the list of what could not be read"))
}
