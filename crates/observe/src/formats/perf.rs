//! The text of `perf script`:
//! `fio  5821 [001]  1234.567890: block:block_rq_issue: 8,16 W 4096 () 63 + 8 [fio]`, or with fewer
//! columns by `-F`; the time must be among them.

use memchr::memmem::Finder;

use super::events::{self, EventPrefix};
use super::fields::{FieldCursor, last_word};
use super::text::{self, LineFormat, ParsedLine, TextParser};
use super::{FormatFacts, Framing, TraceFormat};
use crate::record::ChunkNames;

/// perf script.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "perf",
    title: "perf script",
    sniff,
    framing: Framing::Lines,
    takes: &[],
    whole_disk: true,
    parser: |_, _| Ok(Box::new(TextParser(Perf::new()))),
};

/// Recognised without a time too, so that the rows say what is missing.
fn sniff(head: &[u8]) -> bool {
    let perf = Perf::new();
    text::has_events(head, &perf) || text::first_lines(head).any(|line| is_bare(&perf, line))
}

fn is_bare(perf: &Perf, line: &[u8]) -> bool {
    perf.event.find(line).is_some_and(|at| {
        let fields = line.get(at + 6..).unwrap_or_default();
        fields.starts_with(b"block_rq_") && memchr::memchr(b'+', fields).is_some()
    })
}

#[derive(Clone)]
struct Perf {
    event: Finder<'static>,
}

impl Perf {
    fn new() -> Self {
        let event = Finder::new(b"block:block_");
        Self { event }
    }
}

impl LineFormat for Perf {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        let Some(at) = self.event.find(line) else {
            return around(line);
        };
        let (before, event) = line.split_at(at);
        let mut event = FieldCursor::new(event.get(6..).unwrap_or_default());
        let name = event.until(b':');
        match parse(before) {
            Some(before) => events::event_row(name, event.rest(), before, names),
            None => ParsedLine::Bad("no time before the event: perf script -F +time"),
        }
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "seconds with six or nine digits",
            offset: "512-byte sectors of the whole disk",
            len: "512-byte sectors",
            op: "letters of RWBS",
            latency: "issue to completion",
        }
    }
}

/// `comm pid [cpu] time:`, from the right; all but the time may miss.
#[inline]
fn parse(text: &[u8]) -> Option<EventPrefix<'_>> {
    let (rest, word) = last_word(text)?;
    let time = FieldCursor::new(word.strip_suffix(b":")?).seconds()?;
    let mut before = EventPrefix {
        time,
        pid: 0,
        comm: b"",
    };
    let mut left = rest;
    while let Some((rest, word)) = last_word(left) {
        // `[001]` or `pid/tid` or `pid`: what is before them is the name.
        if !word.starts_with(b"[") {
            let mut cursor = FieldCursor::new(word);
            match cursor.number().and_then(|pid| u32::try_from(pid).ok()) {
                Some(pid) => (before.pid, before.comm) = (pid, rest.trim_ascii_start()),
                None => before.comm = left.trim_ascii_start(),
            }
            break;
        }
        left = rest;
    }
    Some(before)
}

/// Lost events, other events, stack frames, headings.
#[cold]
fn around(line: &[u8]) -> ParsedLine {
    const LOST: &[u8] = b"PERF_RECORD_LOST";
    if let Some(at) = memchr::memmem::find(line, LOST) {
        return text::lost(line.get(at + LOST.len()..).unwrap_or_default());
    }
    let blank = line.trim_ascii().is_empty();
    // Stack frames begin with a tab; other events end their time and their name in a colon.
    if blank || line.starts_with(b"#") || line.starts_with(b"\t") {
        return ParsedLine::Other;
    }
    match memchr::memmem::find(line, b": ") {
        Some(_) => ParsedLine::Other,
        None => ParsedLine::Bad("not a line of perf script"),
    }
}
