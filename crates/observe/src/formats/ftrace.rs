//! The text of ftrace (`trace`, `trace_pipe`) and of `trace-cmd report`:
//! `fio-5821    [001] d..1.  1234.567890: block_rq_issue: 8,16 W 4096 () 63 + 8 be,0,4 [fio]`,
//! with or without the column of flags and that of thread groups.

use memchr::memmem::Finder;

use super::events::{self, EventPrefix};
use super::fields::{FieldCursor, last_word, number};
use super::text::{self, LineFormat, ParsedLine, TextParser};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::Result;
use crate::record::ChunkNames;

/// ftrace.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "ftrace",
    title: "ftrace text (trace, trace_pipe, trace-cmd report)",
    sniff: |head| text::has_events(head, &Ftrace::new(None)),
    framing: Framing::Lines,
    takes: &[TraceHint::TimeUnit],
    whole_disk: true,
    parser,
};

// Called through the table of formats, which can fail.
#[allow(clippy::unnecessary_wraps)]
fn parser(_: &[u8], hints: &Hints) -> Result<Parser> {
    Ok(Box::new(TextParser(Ftrace::new(hints.time_unit))))
}

#[derive(Clone)]
struct Ftrace {
    event: Finder<'static>,
    /// Nanoseconds of a tick, for clocks that count ticks.
    tick: Option<u64>,
}

impl Ftrace {
    fn new(tick: Option<u64>) -> Self {
        let event = Finder::new(b": block_");
        Self { event, tick }
    }
}

impl LineFormat for Ftrace {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        let Some(colon) = self.event.find(line) else {
            return around(line);
        };
        let (before, event) = line.split_at(colon);
        let mut event = FieldCursor::new(event.get(2..).unwrap_or_default());
        let name = event.until(b':');
        match self.before(before) {
            Some(before) => events::event_row(name, event.rest(), before, names),
            None if before.ends_with(b"us") => {
                ParsedLine::Bad("latency-format: switch the option off")
            }
            None => {
                ParsedLine::Bad("no time in seconds before the event: set trace_clock to local")
            }
        }
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: match self.tick {
                None => "seconds with six digits",
                Some(_) => "ticks of the trace clock, as given",
            },
            offset: "512-byte sectors of the whole disk",
            len: "512-byte sectors",
            op: "letters of RWBS",
            latency: "issue to completion",
        }
    }
}

impl Ftrace {
    /// `comm-pid (group) [cpu] flags time`, from the right: names hold blanks, and columns may miss.
    #[inline]
    fn before<'a>(&self, text: &'a [u8]) -> Option<EventPrefix<'a>> {
        let (rest, time) = last_word(text)?;
        let time = self.time(time)?;
        let (rest, word) = last_word(rest)?;
        let rest = if word.ends_with(b"]") {
            rest
        } else {
            let (rest, cpu) = last_word(rest)?;
            cpu.ends_with(b"]").then_some(rest)?
        };
        let rest = match rest {
            [start @ .., b')'] => {
                let open = memchr::memrchr(b'(', start)?;
                start.get(..open)?.trim_ascii_end()
            }
            _ => rest,
        };
        let dash = memchr::memrchr(b'-', rest)?;
        let pid = number(rest.get(dash + 1..)?)?;
        let comm = rest.get(..dash)?.trim_ascii_start();
        let pid = u32::try_from(pid).ok()?;
        Some(EventPrefix { time, pid, comm })
    }

    #[inline]
    fn time(&self, word: &[u8]) -> Option<i64> {
        let mut cursor = FieldCursor::new(word);
        match self.tick {
            Some(tick) => i64::try_from(cursor.number()?.checked_mul(tick)?).ok(),
            None if memchr::memchr(b'.', word).is_some() => cursor.seconds(),
            None => None,
        }
    }
}

/// `CPU:1 [LOST 4 EVENTS]`, `CPU 0: [4 EVENTS DROPPED]`, headings, and events that are not of the
/// block layer.
#[cold]
fn around(line: &[u8]) -> ParsedLine {
    let has = |what: &[u8]| memchr::memmem::find(line, what).is_some();
    if line.starts_with(b"CPU") && (has(b"LOST") || has(b"EVENTS DROPPED")) {
        let bracket = memchr::memchr(b'[', line).unwrap_or(0);
        return text::lost(line.get(bracket..).unwrap_or_default());
    }
    let heading =
        line.starts_with(b"#") || line.trim_ascii().is_empty() || line.starts_with(b"cpus=");
    if heading || (has(b": ") && has(b"] ")) {
        return ParsedLine::Other;
    }
    ParsedLine::Bad("not a line of ftrace")
}
