//! blktrace's binary records, versions 7 and 8 (`include/uapi/linux/blktrace_api.h`; version 8 comes
//! with Linux 6.19), per-CPU files or one mixed stream, in either byte order.
//!
//! Nothing is taken from sequence numbers or file names: blkparse does, and loses the records of all
//! CPUs but one from streams of the ftrace `blk` tracer.

mod action;
pub mod context;
mod layout;

use super::{FormatFacts, Framing, Hints, Parse, Parser, TraceFormat};
use crate::error::Result;
use crate::record::{Io, NO_LATENCY, Op, RecordKind, TraceRecord, TraceRecords};
use action::{Act, Action};
use layout::{BlktraceLayout, PlainRecord, RawBlktrace};

/// blktrace, binary.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "blktrace",
    title: "blktrace binary records",
    sniff: |head| BlktraceLayout::of(context::after_lost(head)).is_some(),
    framing: Framing::Records(layout::whole),
    takes: &[],
    whole_disk: true,
    parser,
};

struct BlktraceReader;

fn parser(_: &[u8], _: &Hints) -> Result<Parser> {
    Ok(Box::new(BlktraceReader))
}

impl Parse for BlktraceReader {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        out.extent += chunk.len() as u64;
        let mut at = 0;
        // The layout is that of every record itself: `cat` may have joined files of two hosts.
        while let Some(rest) = chunk.get(at..).filter(|rest| !rest.is_empty()) {
            let used = plain(rest, out);
            if used > 0 {
                at += used;
                continue;
            }
            match BlktraceLayout::of(rest) {
                Some(layout) => match layout.read(rest) {
                    Some((raw, pdu, len)) => {
                        add_record(at, &raw, pdu, out);
                        at += len;
                    }
                    None => {
                        out.skipped.add(at as u64, rest, "the record is cut off");
                        return;
                    }
                },
                None => at += resync(at, rest, out),
            }
        }
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(Self))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "ns",
            offset: "512-byte sectors",
            len: "bytes",
            op: "action category bits",
            latency: "issue (D) to completion (C)",
        }
    }
}

/// Takes the records at the start of `rest` that have no payload and need no second look: how many
/// bytes they are.
fn plain(rest: &[u8], out: &mut TraceRecords) -> usize {
    let (records, _) = rest.as_chunks::<48>();
    out.rows.reserve(records.len());
    let mut used = 0;
    while let Some(rest) = records.get(used..)
        && let Some(record) = rest.first().and_then(PlainRecord::of)
    {
        let raw = record.raw();
        if let Some((Some(_), _)) = Action::plain(record.action()) {
            out.names.pid(raw.pid);
        }
        let taken = run(rest, raw.device, out);
        if taken == 0 {
            break;
        }
        used += taken;
    }
    used * 48
}

/// Takes plain records of one device, of processes that have numbers. Nothing is called in here, so that
/// all of it stays in registers.
#[inline(never)]
fn run(records: &[[u8; 48]], of: u32, out: &mut TraceRecords) -> usize {
    let device = out.names.device_number(of >> 20, of & 0xf_ffff);
    let (names, rows) = (&out.names, &mut out.rows);
    let (mut used, mut other) = (0, 0);
    for record in records {
        let Some(record) = PlainRecord::of(record) else {
            break;
        };
        let Some((kind, op)) = Action::plain(record.action()) else {
            break;
        };
        if let Some(kind) = kind {
            let raw = record.raw();
            let Some(process) = names.known_pid(raw.pid) else {
                break;
            };
            let full = rows.len() == rows.capacity();
            if full || raw.device != of || out_of_bounds(&raw).is_some() {
                break;
            }
            let op = Action(raw.action).op_of(op, raw.bytes);
            let io = io(&raw, op, device, process);
            rows.push(TraceRecord { io, kind });
        } else {
            other += 1;
        }
        used += 1;
    }
    out.other += other;
    used
}

/// The defect of an event, if there is one.
#[inline]
const fn out_of_bounds(raw: &RawBlktrace) -> Option<&'static str> {
    if raw.time >> 63 != 0 {
        Some("the time is past 63 bits")
    } else if raw.sector >> 55 != 0 {
        Some("the sector is past 64 bits of bytes")
    } else {
        None
    }
}

/// The I/O of an event that is within bounds.
#[inline]
const fn io(raw: &RawBlktrace, op: Op, device: u32, process: u32) -> Io {
    Io {
        time: raw.time.cast_signed(),
        offset: raw.sector << 9,
        latency: NO_LATENCY,
        len: raw.bytes,
        device,
        process,
        op,
    }
}

/// Bytes to the next thing that looks like a record: what lies between is counted as one bad row.
#[cold]
fn resync(at: usize, rest: &[u8], out: &mut TraceRecords) -> usize {
    let next =
        (1..rest.len()).find(|ahead| rest.get(*ahead..).and_then(BlktraceLayout::of).is_some());
    let end = next.unwrap_or(rest.len());
    context::gap(at, rest.get(..end).unwrap_or_default(), out);
    end
}

#[inline]
fn add_record(at: usize, raw: &RawBlktrace, pdu: &[u8], out: &mut TraceRecords) {
    let action = Action(raw.action);
    let kind = match action.act() {
        Act::Queue => RecordKind::Queue,
        Act::Issue => RecordKind::Issue,
        Act::Complete => RecordKind::Complete,
        Act::Requeue => RecordKind::Requeue,
        Act::Other => return other(raw, action, pdu, out),
    };
    if let Some(why) = out_of_bounds(raw) {
        return out.skipped.add(at as u64, &[], why);
    }
    let names = &mut out.names;
    let device = names.device_number(raw.device >> 20, raw.device & 0xf_ffff);
    let op = action.op_of(action.op(), raw.bytes);
    let io = io(raw, op, device, names.pid(raw.pid));
    out.rows.push(TraceRecord { io, kind });
}

/// The first message of a file of `watch --record`. One without the last was cut off.
pub const RECORD_BEGINS: &str = "ioalign: events follow";

/// The last message of a file of `watch --record`: `ioalign: 9 events, 2 dropped`.
fn lost(message: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(message)
        .ok()?
        .strip_prefix("ioalign: ")?;
    let (_, dropped) = text.strip_suffix(" dropped")?.rsplit_once(' ')?;
    dropped.parse().ok()
}

fn other(raw: &RawBlktrace, action: Action, pdu: &[u8], out: &mut TraceRecords) {
    out.other += 1;
    if action.is_message() {
        message(pdu, out);
    }
    if action.is_time() {
        out.epoch = out.epoch.or_else(|| epoch(raw, pdu));
    }
    if action.is_process_note() {
        let skipped = if action.has_cgroup() { 8 } else { 0 };
        let name = pdu.get(skipped..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into();
        // The pid field of a process note is the process that the name belongs to.
        if out.names.stated.len() < MOST_NAMES {
            out.names.stated.push((raw.pid, name));
        }
    }
}

fn message(pdu: &[u8], out: &mut TraceRecords) {
    if pdu == RECORD_BEGINS.as_bytes() {
        out.unended += 1;
    } else if let Some(lost) = lost(pdu) {
        out.unended -= 1;
        out.dropped = out.dropped.saturating_add(lost);
    }
}

/// The wall clock at time 0. Of a host of the other byte order it is wrong, and equally so in all of its files.
fn epoch(raw: &RawBlktrace, pdu: &[u8]) -> Option<i64> {
    let (words, _) = pdu.as_chunks::<4>();
    let [seconds, nanos] = words.first_chunk().copied()?.map(u32::from_le_bytes);
    let wall = i64::from(seconds) * 1_000_000_000 + i64::from(nanos);
    wall.checked_sub(i64::try_from(raw.time).ok()?)
}

/// Names of processes kept from one chunk.
const MOST_NAMES: usize = 1 << 16;

#[cfg(test)]
mod tests;
