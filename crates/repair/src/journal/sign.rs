//! Makes the checksums of a damaged journal right, so that fuzzing gets behind them.

use super::codec::RecordReader;
use super::header::{self, BLOCK, JOB_AT, ORIGIN_AT, STATES_AT};
use super::state;
use crate::mover::digest;

/// Where a header has the length of the job and its hash.
const JOB_BYTES_AT: usize = 48;
const JOB_HASH_AT: usize = header::LENGTH - 20;

/// The CRCs of the first header, of the origin and of all states, and the hash of the job.
pub fn sign(bytes: &mut [u8]) {
    if let Some(hash) = job_hash(bytes)
        && let Some(place) = bytes.get_mut(JOB_HASH_AT..JOB_HASH_AT + 16)
    {
        place.copy_from_slice(&hash.to_le_bytes());
    }
    crc(bytes, 0, header::LENGTH);
    let origin = usize::try_from(ORIGIN_AT).unwrap_or(usize::MAX);
    let length = bytes
        .get(origin..)
        .and_then(|rest| RecordReader(rest).u64());
    if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
        crc(bytes, origin, length.saturating_add(12));
    }
    for block in 0..4 {
        let at = usize::try_from(STATES_AT + block * BLOCK).unwrap_or(usize::MAX);
        crc(bytes, at, state::LENGTH);
    }
}

fn job_hash(bytes: &[u8]) -> Option<u128> {
    let length = RecordReader(bytes.get(JOB_BYTES_AT..)?).u64()?;
    let at = usize::try_from(JOB_AT).ok()?;
    let end = at.checked_add(usize::try_from(length).ok()?)?;
    Some(digest::of(bytes.get(at..end)?))
}

fn crc(bytes: &mut [u8], at: usize, length: usize) {
    let record = at
        .checked_add(length)
        .and_then(|end| bytes.get_mut(at..end));
    if let Some((body, crc)) = record.and_then(|record| record.split_last_chunk_mut::<4>()) {
        *crc = crc32fast::hash(body).to_le_bytes();
    }
}
