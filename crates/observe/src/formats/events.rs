//! The kernel's block tracepoints as text (`include/trace/events/block.h`), which ftrace, trace-cmd
//! and perf print alike: `8,16 W 4096 () 63 + 8 be,0,4 [fio]`.

use super::blkparse::rwbs;
use super::fields::{FieldCursor, sectors};
use super::text::{ParsedLine, UNKNOWN};
use crate::record::{ChunkNames, Io, Op, RecordKind, TraceRecord};

/// The facts in the text before an event.
#[derive(Copy, Clone, Debug)]
pub struct EventPrefix<'a> {
    /// Nanoseconds.
    pub time: i64,
    /// Who was on the processor; 0 where not printed.
    pub pid: u32,
    /// Its name, where the event itself has none.
    pub comm: &'a [u8],
}

/// The meaning of the event with this name (`block_rq_issue`).
#[inline]
pub fn event_row(
    name: &[u8],
    fields: &[u8],
    before: EventPrefix,
    names: &mut ChunkNames,
) -> ParsedLine {
    let kind = match name {
        b"block_rq_issue" => RecordKind::Issue,
        b"block_rq_complete" | b"block_bio_complete" => RecordKind::Complete,
        b"block_bio_queue" => RecordKind::Queue,
        b"block_rq_requeue" => RecordKind::Requeue,
        // Remaps, splits, merges, plugs, insertions.
        _ => return ParsedLine::Other,
    };
    parse(fields, kind, before, names).map_or(
        ParsedLine::Bad("not the fields of a block event"),
        ParsedLine::Io,
    )
}

#[inline]
fn parse(
    fields: &[u8],
    kind: RecordKind,
    before: EventPrefix,
    names: &mut ChunkNames,
) -> Option<TraceRecord> {
    let mut cursor = FieldCursor::new(fields);
    let major = u32::try_from(cursor.blanks().number()?).ok()?;
    cursor.byte(b',')?;
    let minor = u32::try_from(cursor.number()?).ok()?;
    let letters = cursor.word();
    let (sector, bytes) = start(&mut cursor)?;
    cursor.blanks().byte(b'+')?;
    let count = cursor.blanks().number()?;
    let op = rwbs(letters, u32::try_from(count | bytes).unwrap_or(u32::MAX));
    let (offset, len) = place(sector, count, bytes, op)?;
    let process = match kind {
        RecordKind::Complete | RecordKind::Requeue => UNKNOWN.process,
        _ => names.process(before.pid, comm(cursor).unwrap_or(before.comm)),
    };
    let io = Io {
        time: before.time,
        offset,
        len,
        device: names.device_number(major, minor),
        process,
        op,
        ..UNKNOWN
    };
    Some(TraceRecord { io, kind })
}

/// The sector, after the bytes and the command that some events have before it.
#[inline]
fn start(cursor: &mut FieldCursor) -> Option<(u64, u64)> {
    let first = cursor.blanks().number();
    if cursor.blanks().byte(b'(').is_some() {
        cursor.until(b')');
        return Some((cursor.blanks().number()?, first.unwrap_or(0)));
    }
    Some((first?, 0))
}

/// Old kernels print 0 bytes for what file systems issue, and all print 0 sectors for pass-through;
/// flushes have neither, and the largest sector for a place.
#[inline]
fn place(sector: u64, count: u64, bytes: u64, op: Op) -> Option<(u64, u32)> {
    if count > 0 {
        return sectors(sector, count);
    }
    let offset = if op.has_place() {
        sector.checked_mul(512)?
    } else {
        0
    };
    Some((offset, u32::try_from(bytes).ok()?))
}

/// `be,0,4 [fio]`: kernels from 6.11 on print the priority before the name.
#[inline]
fn comm<'a>(mut cursor: FieldCursor<'a>) -> Option<&'a [u8]> {
    cursor.until(b'[');
    cursor.rest().trim_ascii_end().strip_suffix(b"]")
}
