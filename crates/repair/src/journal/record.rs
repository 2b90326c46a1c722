//! The job as bytes in the journal, and places that could not be read.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Contents;
use super::codec::{RecordReader, RecordWriter};
use crate::mover::MoveOrigin;
use crate::mover::job::{Identity, Job, Move, Patch, PatchPhase, SavedBlocks, SavedBytes, Witness};

const PHASES: [PatchPhase; 3] = [PatchPhase::Contents, PatchPhase::Table, PatchPhase::Covered];

/// A job as bytes; the header holds their hash.
pub fn encode(job: &Job) -> Vec<u8> {
    let mut out = RecordWriter::default();
    out.u64(job.identity.size_bytes);
    out.u64(job.identity.logical_bytes);
    out.count(job.identity.witnesses.len());
    for witness in &job.identity.witnesses {
        range(&mut out, &witness.place);
        out.u128(witness.hash);
    }
    out.count(job.moves.len());
    for one in &job.moves {
        out.u64(one.from);
        out.u64(one.to);
        out.u64(one.bytes);
    }
    out.count(job.patches.len());
    for patch in &job.patches {
        let phase = PHASES.iter().position(|phase| *phase == patch.phase);
        out.byte(phase.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        out.u64(patch.at);
        out.bytes(&patch.before);
        out.bytes(&patch.after);
    }
    ranges(&mut out, &job.keep);
    let saved = &job.identity.saved;
    for all in [&saved.tables, &saved.superblocks, &saved.gap] {
        out.count(all.len());
        for one in all {
            out.u64(one.at);
            out.bytes(&one.bytes);
        }
    }
    ranges(&mut out, &saved.zeros);
    out.0
}

/// The job in these bytes.
pub fn decode(bytes: &[u8]) -> Option<Job> {
    let mut from = RecordReader(bytes);
    let (size_bytes, logical_bytes) = (from.u64()?, from.u64()?);
    let witnesses = list(&mut from, 32, |from| {
        let place = read_range(from)?;
        let hash = from.u128()?;
        Some(Witness { place, hash })
    })?;
    let moves = list(&mut from, 24, |from| {
        let (from, to, bytes) = (from.u64()?, from.u64()?, from.u64()?);
        Some(Move { from, to, bytes })
    })?;
    let patches = list(&mut from, 25, |from| {
        Some(Patch {
            phase: *PHASES.get(usize::from(from.byte()?))?,
            at: from.u64()?,
            before: from.bytes()?.to_vec(),
            after: from.bytes()?.to_vec(),
        })
    })?;
    let keep = list(&mut from, 16, read_range)?;
    let mut bytes = || list(&mut from, 16, read_bytes);
    let (tables, superblocks, gap) = (bytes()?, bytes()?, bytes()?);
    let identity = Identity {
        size_bytes,
        logical_bytes,
        witnesses,
        saved: SavedBlocks {
            tables,
            superblocks,
            gap,
            zeros: list(&mut from, 16, read_range)?,
        },
    };
    from.0.is_empty().then_some(Job {
        moves,
        patches,
        keep,
        identity,
    })
}

fn list<'a, T>(
    from: &mut RecordReader<'a>,
    least: usize,
    mut read: impl FnMut(&mut RecordReader<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = from.count(least)?;
    (0..count).map(|_| read(from)).collect()
}

fn read_bytes(from: &mut RecordReader<'_>) -> Option<SavedBytes> {
    let at = from.u64()?;
    let bytes = from.bytes()?.to_vec();
    Some(SavedBytes { at, bytes })
}

fn ranges(out: &mut RecordWriter, all: &[Range<u64>]) {
    out.count(all.len());
    for one in all {
        range(out, one);
    }
}

fn range(out: &mut RecordWriter, range: &Range<u64>) {
    out.u64(range.start);
    out.u64(range.end);
}

fn read_range(from: &mut RecordReader<'_>) -> Option<Range<u64>> {
    let (start, end) = (from.u64()?, from.u64()?);
    (start <= end).then_some(start..end)
}

/// Who began a job: length, the three, and a CRC.
pub fn encode_origin(contents: &Contents) -> Vec<u8> {
    let mut body = RecordWriter::default();
    body.bytes(contents.host.as_bytes());
    body.bytes(contents.journal.as_os_str().as_bytes());
    body.bytes(contents.target.as_bytes());
    let mut out = RecordWriter::default();
    out.bytes(&body.0);
    out.close()
}

/// The origin in such a record.
pub fn decode_origin(bytes: &[u8]) -> Option<MoveOrigin> {
    let body = RecordReader(bytes).bytes()?;
    RecordReader::checked(bytes, body.len().checked_add(12)?)?;
    let mut from = RecordReader(body);
    let mut next = || from.bytes();
    let origin = MoveOrigin {
        host: String::from_utf8(next()?.to_vec()).ok()?,
        journal: Path::new(OsStr::from_bytes(next()?)).to_owned(),
        target: String::from_utf8(next()?.to_vec()).ok()?,
    };
    from.0.is_empty().then_some(origin)
}

/// A place that could not be read, with its CRC.
pub fn encode_unreadable(place: &Range<u64>) -> Vec<u8> {
    let mut out = RecordWriter::default();
    range(&mut out, place);
    out.close()
}

/// The place in such a record.
pub fn decode_unreadable(bytes: &[u8]) -> Option<Range<u64>> {
    read_range(&mut RecordReader::checked(bytes, 20)?)
}
