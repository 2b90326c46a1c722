//! Makes a journal: its sizes, and the order in which it comes to be. The headers are written when all else
//! is durable, so a journal that was cut off while it was made is none.

use std::io;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use super::header::{BLOCK, JOB_AT, ORIGIN_AT, UNREADABLE_AT, UNREADABLE_BYTES, UNREADABLE_MOST};
use super::{Contents, Journal, JournalHeader, JournalState, failed, record};
use crate::mover::job::Track;
use crate::mover::{Job, digest};
use crate::{Disk, Error, ErrorKind, Result};

/// What a journal is sized by.
#[derive(Clone, Copy, Debug)]
pub struct JournalSizes {
    /// The longest window that goes through it.
    pub chunk: u64,
    /// Data are read and hashed in pieces of this.
    pub piece: u64,
    /// Moves of this distance or more go without it.
    pub direct_from: u64,
}

/// The header of a new journal for a job: how long it is, and where its parts lie.
pub fn header_for(job: &Job, sizes: JournalSizes) -> JournalHeader {
    let encoded = record::encode(job);
    let staged = job
        .moves
        .iter()
        .filter(|m| Track(**m).overlaps() && m.distance() < sizes.direct_from);
    let longest = staged.map(|m| m.bytes).max().unwrap_or(0);
    let slot_bytes = longest.min(sizes.chunk).next_multiple_of(BLOCK);
    let job_hash = digest::of(&encoded);
    let slots_at = (JOB_AT + encoded.len() as u64).next_multiple_of(BLOCK);
    JournalHeader {
        id: name(job_hash),
        disk_bytes: job.identity.size_bytes,
        logical_bytes: job.identity.logical_bytes,
        job_bytes: encoded.len() as u64,
        job_hash,
        slots_at,
        slot_bytes,
        piece_bytes: sizes.piece,
        direct_from: sizes.direct_from,
        total_bytes: slots_at + 2 * slot_bytes + BLOCK,
    }
}

/// A name that no other run has: from the job, the time and the process.
fn name(job_hash: u128) -> u128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.as_nanos());
    digest::of_pieces(&[job_hash, nanos, u128::from(std::process::id())])
}

impl<'a> Journal<'a> {
    /// Makes a journal on a store of exactly the right size. Nothing may move before this returns.
    pub fn create(
        store: &'a mut dyn Disk,
        header: JournalHeader,
        contents: &Contents,
    ) -> Result<Self> {
        if store.size_bytes() != header.total_bytes {
            return Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the journal needs {} bytes, there are {}",
                    header.total_bytes,
                    store.size_bytes()
                ),
            ));
        }
        for (at, mut encoded) in [
            (ORIGIN_AT, record::encode_origin(contents)),
            (JOB_AT, record::encode(&contents.job)),
        ] {
            pad(&mut encoded);
            store.write_at(at, &encoded).map_err(failed)?;
        }
        let state = contents.state;
        write_state(store, header.id, &state).map_err(failed)?;
        store.flush().map_err(failed)?;
        let mut block = header.encode();
        pad(&mut block);
        for at in [0, header.total_bytes - BLOCK] {
            store.write_at(at, &block).map_err(failed)?;
        }
        store.flush().map_err(failed)?;
        Ok(Self {
            store,
            header,
            number: state.number,
            busy: None,
            unreadable: Vec::new(),
        })
    }
}

fn pad(bytes: &mut Vec<u8>) {
    let block = usize::try_from(BLOCK).unwrap_or(usize::MAX);
    bytes.resize(bytes.len().next_multiple_of(block), 0);
}

/// Writes a record twice, in the two blocks of its place.
pub(super) fn write_state(store: &mut dyn Disk, id: u128, state: &JournalState) -> io::Result<()> {
    let mut block = state.encode(id);
    pad(&mut block);
    block.extend_from_within(..);
    store.write_at(JournalState::place(state.number), &block)
}

/// Writes places behind the `first` that are there already.
pub(super) fn write_unreadable(
    store: &mut dyn Disk,
    first: usize,
    places: &[Range<u64>],
) -> Result<()> {
    let first = first as u64;
    if first + places.len() as u64 > UNREADABLE_MOST {
        return Err(Error::new(
            ErrorKind::Device,
            format!(
                "more than {UNREADABLE_MOST} places cannot be read: this disk is to be copied with a rescue tool first"
            ),
        ));
    }
    let sector = usize::try_from(UNREADABLE_BYTES).unwrap_or(512);
    let mut bytes = Vec::new();
    for place in places {
        bytes.extend(record::encode_unreadable(place));
        bytes.resize(bytes.len().next_multiple_of(sector), 0);
    }
    let at = UNREADABLE_AT + first * UNREADABLE_BYTES;
    store.write_at(at, &bytes).map_err(failed)
}
