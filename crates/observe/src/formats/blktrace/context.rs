//! The binary output of the ftrace `blk` tracer with its context before each record: u32 pid, u32 cpu,
//! u64 ns (`print_bin_fmt` in the kernel's `trace.c`). Without (`nocontext-info`) it is plain blktrace.
//! `CPU:1 [LOST 4 EVENTS]` stands between the records as text where the kernel lost some.

use super::super::text::{self, ParsedLine};
use super::super::{FormatFacts, Framing, Parse, Parser, TraceFormat};
use super::add_record;
use super::layout::BlktraceLayout;
use crate::record::TraceRecords;

/// The ftrace `blk` tracer, binary.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "ftrace-blk",
    title: "ftrace blk tracer, binary, with context",
    sniff: |head| {
        let head = after_lost(head);
        layout(head).is_some() && BlktraceLayout::of(head).is_none()
    },
    framing: Framing::Records(whole),
    takes: &[],
    whole_disk: false,
    parser: |_, _| Ok(Box::new(BlktraceContextReader)),
};

/// Bytes before each record.
const CONTEXT: usize = 16;

/// The rest after `CPU:1 [LOST 4 EVENTS]`, with which an ftrace stream may begin.
pub(super) fn after_lost(head: &[u8]) -> &[u8] {
    match memchr::memchr(b'\n', head) {
        Some(end) if head.starts_with(b"CPU:") => head.get(end + 1..).unwrap_or_default(),
        _ => head,
    }
}

fn layout(bytes: &[u8]) -> Option<BlktraceLayout> {
    BlktraceLayout::of(bytes.get(CONTEXT..)?)
}

/// How many bytes are whole records; what is none counts as whole, as in plain blktrace.
fn whole(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= CONTEXT + 4) {
        let record = rest.get(CONTEXT..).unwrap_or_default();
        match BlktraceLayout::of(record) {
            Some(layout) => match layout.read(record) {
                Some((_, _, len)) => at += CONTEXT + len,
                None => return at,
            },
            None => at += 1,
        }
    }
    at
}

struct BlktraceContextReader;

impl Parse for BlktraceContextReader {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        out.extent += chunk.len() as u64;
        let mut at = 0;
        while let Some(rest) = chunk.get(at..).filter(|rest| !rest.is_empty()) {
            let record = rest.get(CONTEXT..).unwrap_or_default();
            let Some(layout) = BlktraceLayout::of(record) else {
                at += resync(at, rest, out);
                continue;
            };
            let Some((raw, pdu, len)) = layout.read(record) else {
                out.skipped.add(at as u64, rest, "the record is cut off");
                return;
            };
            add_record(at, &raw, pdu, out);
            at += CONTEXT + len;
        }
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(Self))
    }

    fn facts(&self) -> FormatFacts {
        super::BlktraceReader.facts()
    }
}

#[cold]
fn resync(at: usize, rest: &[u8], out: &mut TraceRecords) -> usize {
    let next = (1..rest.len()).find(|ahead| rest.get(*ahead..).and_then(layout).is_some());
    let end = next.unwrap_or(rest.len());
    gap(at, rest.get(..end).unwrap_or_default(), out);
    end
}

/// Bytes between records: the kernel's word that it lost events, or one bad row.
#[cold]
pub(super) fn gap(at: usize, bytes: &[u8], out: &mut TraceRecords) {
    match bytes.strip_prefix(b"CPU:").and_then(|text| {
        let bracket = memchr::memchr(b'[', text)?;
        let text = text.get(bracket..)?;
        text.starts_with(b"[LOST").then(|| text::lost(text))
    }) {
        Some(ParsedLine::Lost(events)) => out.dropped = out.dropped.saturating_add(events),
        _ => out
            .skipped
            .add(at as u64, bytes, "no blktrace record begins here"),
    }
}
