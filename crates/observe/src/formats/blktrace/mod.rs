//! blktrace's binary records, versions 7 and 8 (`include/uapi/linux/blktrace_api.h`; version 8 comes
//! with Linux 6.19), per-CPU files or one mixed stream, in either byte order.
//!
//! Nothing is taken from sequence numbers or file names: blkparse does, and loses the records of all
//! CPUs but one from streams of the ftrace `blk` tracer.

mod action;
pub mod context;
mod layout;

use super::{Facts, Format, Framing, Hints, Parse, Parser};
use crate::error::Result;
use crate::record::{Io, Kind, NO_LATENCY, Op, Record, Records};
use action::{Act, Action};
use layout::{Layout, Plain, Raw};

/// blktrace, binary.
pub const FORMAT: Format = Format {
    name: "blktrace",
    title: "blktrace binary records",
    sniff: |head| Layout::of(context::after_lost(head)).is_some(),
    framing: Framing::Records(layout::whole),
    parser,
};

struct Reader;

fn parser(_: &[u8], _: &Hints) -> Result<Parser> {
    Ok(Box::new(Reader))
}

impl Parse for Reader {
    fn parse(&mut self, chunk: &[u8], out: &mut Records) {
        out.extent += chunk.len() as u64;
        let mut at = 0;
        // The layout is that of every record itself: `cat` may have joined files of two hosts.
        while let Some(rest) = chunk.get(at..).filter(|rest| !rest.is_empty()) {
            let used = plain(rest, out);
            if used > 0 {
                at += used;
                continue;
            }
            match Layout::of(rest) {
                Some(layout) => match layout.read(rest) {
                    Some((raw, pdu, len)) => {
                        add(at, &raw, pdu, out);
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

    fn facts(&self) -> Facts {
        Facts {
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
fn plain(rest: &[u8], out: &mut Records) -> usize {
    let (records, _) = rest.as_chunks::<48>();
    out.rows.reserve(records.len());
    let mut used = 0;
    while let Some(rest) = records.get(used..)
        && let Some(record) = rest.first().and_then(Plain::of)
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
fn run(records: &[[u8; 48]], of: u32, out: &mut Records) -> usize {
    let device = out.names.device_number(of >> 20, of & 0xf_ffff);
    let (names, rows) = (&out.names, &mut out.rows);
    let (mut used, mut other) = (0, 0);
    for record in records {
        let Some(record) = Plain::of(record) else {
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
            let io = io(&raw, op, device, process);
            rows.push(Record { io, kind });
        } else {
            other += 1;
        }
        used += 1;
    }
    out.other += other;
    used
}

/// What is wrong with an event, if anything is.
#[inline]
const fn out_of_bounds(raw: &Raw) -> Option<&'static str> {
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
const fn io(raw: &Raw, op: Op, device: u32, process: u32) -> Io {
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
fn resync(at: usize, rest: &[u8], out: &mut Records) -> usize {
    let next = (1..rest.len()).find(|ahead| rest.get(*ahead..).and_then(Layout::of).is_some());
    let end = next.unwrap_or(rest.len());
    context::gap(at, rest.get(..end).unwrap_or_default(), out);
    end
}

#[inline]
fn add(at: usize, raw: &Raw, pdu: &[u8], out: &mut Records) {
    let action = Action(raw.action);
    let kind = match action.act() {
        Act::Queue => Kind::Queue,
        Act::Issue => Kind::Issue,
        Act::Complete => Kind::Complete,
        Act::Requeue => Kind::Requeue,
        Act::Other => return other(raw, action, pdu, out),
    };
    if let Some(why) = out_of_bounds(raw) {
        return out.skipped.add(at as u64, &[], why);
    }
    let names = &mut out.names;
    let device = names.device_number(raw.device >> 20, raw.device & 0xf_ffff);
    let io = io(raw, action.op(), device, names.pid(raw.pid));
    out.rows.push(Record { io, kind });
}

/// What `watch --record` says at the end of its file: `ioalign: 9 events, 2 dropped`.
fn lost(message: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(message)
        .ok()?
        .strip_prefix("ioalign: ")?;
    let (_, dropped) = text.strip_suffix(" dropped")?.rsplit_once(' ')?;
    dropped.parse().ok()
}

fn other(raw: &Raw, action: Action, pdu: &[u8], out: &mut Records) {
    out.other += 1;
    if action.is_message() {
        out.dropped = out.dropped.saturating_add(lost(pdu).unwrap_or(0));
    }
    if action.is_process_note() {
        let skipped = if action.has_cgroup() { 8 } else { 0 };
        let name = pdu.get(skipped..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into();
        // The pid field of a process note is the process that the name belongs to.
        if out.names.told.len() < MOST_NAMES {
            out.names.told.push((raw.pid, name));
        }
    }
}

/// Names of processes kept from one chunk.
const MOST_NAMES: usize = 1 << 16;

#[cfg(test)]
mod tests;
