//! The `-f` formats of blkparse: `%T.%9t %p %a %d %S + %n [%C]\n`, given by `--columns`. Letters and
//! widths: blkparse(1), "Output description and formatting".

use super::super::FormatFacts;
use super::super::fields::FieldCursor;
use super::super::text::{LineFormat, ParsedLine, UNKNOWN};
use super::{kind, rwbs};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, RecordKind, TraceRecord};

/// A format of the operator's own.
#[derive(Clone, Debug)]
pub struct Spec {
    tokens: Vec<SpecToken>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SpecToken {
    /// Anything but blanks, which separate and may be many.
    Literal(u8),
    Field(u8),
}

/// Letters of blkparse(1).
const LETTERS: &[u8] = b"acCdDeMmnNpPsStTuU";

impl Spec {
    /// Understands the text of blkparse's `-f`; without an action, a sector and a length there is
    /// nothing to count.
    pub fn new(format: &str) -> Result<Self> {
        let mut tokens = Vec::new();
        let mut bytes = format.bytes().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                // A line ends with it: `\n` as typed in a shell, too.
                b'\\' => drop(bytes.next()),
                b' ' | b'\t' | b'\n' => {}
                b'%' => {
                    while bytes
                        .next_if(|b| b.is_ascii_digit() || *b == b'-')
                        .is_some()
                    {}
                    let letter = bytes
                        .next()
                        .filter(|b| LETTERS.contains(b))
                        .ok_or_else(unknown)?;
                    tokens.push(SpecToken::Field(letter));
                }
                literal => tokens.push(SpecToken::Literal(literal)),
            }
        }
        let has = |letters: &[u8]| {
            letters
                .iter()
                .any(|letter| tokens.contains(&SpecToken::Field(*letter)))
        };
        for (letters, what) in [
            (&b"a"[..], "%a (action)"),
            (b"S", "%S (sector)"),
            (b"nN", "%n or %N (length)"),
            (b"tT", "%T.%t (time)"),
        ] {
            if !has(letters) {
                let what = format!("--columns of blkparse lack {what}: record with it");
                return Err(ObserveError::new(ObserveErrorKind::Unsupported, what));
            }
        }
        Ok(Self { tokens })
    }
}

fn unknown() -> ObserveError {
    let what = "--columns: not a letter of blkparse -f; known: a c C d D e M m n N p P s S t T u U";
    ObserveError::new(ObserveErrorKind::Unsupported, what)
}

/// The values of one line.
#[derive(Default)]
struct BlkparseValues<'a> {
    kind: Option<RecordKind>,
    letters: &'a [u8],
    major: u32,
    minor: u32,
    seconds: u64,
    nanos: u64,
    pid: u32,
    comm: &'a [u8],
    sector: u64,
    bytes: u64,
}

impl LineFormat for Spec {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Other;
        }
        match self.values(line) {
            Some(BlkparseValues { kind: None, .. }) => ParsedLine::Other,
            Some(values) => record(&values, names)
                .map_or(ParsedLine::Bad("a number is out of range"), ParsedLine::Io),
            // The summary follows the events.
            None if is_summary(line) => ParsedLine::Other,
            None => ParsedLine::Bad("does not fit --columns"),
        }
    }

    fn facts(&self) -> FormatFacts {
        super::FACTS
    }
}

impl Spec {
    #[inline]
    fn values<'a>(&self, line: &'a [u8]) -> Option<BlkparseValues<'a>> {
        let mut values = BlkparseValues::default();
        let mut cursor = FieldCursor::new(line);
        let mut tokens = self.tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                SpecToken::Literal(byte) => cursor.blanks().byte(*byte)?,
                SpecToken::Field(letter) => {
                    let end = match tokens.peek() {
                        Some(SpecToken::Literal(byte)) => Some(*byte),
                        _ => None,
                    };
                    values.take(*letter, end, tokens.peek().is_none(), &mut cursor)?;
                }
            }
        }
        Some(values)
    }
}

impl<'a> BlkparseValues<'a> {
    /// Takes one field; a text ends at the literal after it, at a blank, or with the line.
    #[inline]
    fn take(
        &mut self,
        letter: u8,
        end: Option<u8>,
        last: bool,
        cursor: &mut FieldCursor<'a>,
    ) -> Option<()> {
        cursor.blanks();
        match letter {
            b'a' => self.kind = kind(text(end, false, cursor)),
            b'd' => self.letters = text(end, false, cursor),
            b'C' => self.comm = text(end, last, cursor).trim_ascii(),
            b'P' => drop(text(end, last, cursor)),
            b'D' => {
                self.major = u32::try_from(cursor.number()?).ok()?;
                cursor.byte(b',')?;
                self.minor = u32::try_from(cursor.blanks().number()?).ok()?;
            }
            _ => self.number(letter, cursor.number()?)?,
        }
        Some(())
    }

    #[inline]
    fn number(&mut self, letter: u8, value: u64) -> Option<()> {
        match letter {
            b'M' => self.major = u32::try_from(value).ok()?,
            b'm' => self.minor = u32::try_from(value).ok()?,
            b'T' => self.seconds = value,
            b't' => self.nanos = value,
            b'p' => self.pid = u32::try_from(value).ok()?,
            b'S' => self.sector = value,
            b'n' => self.bytes = value.checked_mul(512)?,
            b'N' => self.bytes = value,
            _ => {}
        }
        Some(())
    }
}

#[inline]
fn text<'a>(end: Option<u8>, all: bool, cursor: &mut FieldCursor<'a>) -> &'a [u8] {
    let rest = cursor.rest();
    let stop = match end {
        Some(end) => memchr::memchr(end, rest),
        None if all => None,
        None => memchr::memchr2(b' ', b'\t', rest),
    };
    let len = stop.unwrap_or(rest.len());
    let (field, left) = rest.split_at(len);
    *cursor = FieldCursor::new(left);
    field.trim_ascii_end()
}

#[inline]
fn record(values: &BlkparseValues, names: &mut ChunkNames) -> Option<TraceRecord> {
    let time = values
        .seconds
        .checked_mul(1_000_000_000)?
        .checked_add(values.nanos)?;
    let len = u32::try_from(values.bytes).ok()?;
    let io = Io {
        time: i64::try_from(time).ok()?,
        offset: values.sector.checked_mul(512)?,
        len,
        device: names.device_number(values.major, values.minor),
        process: names.process(values.pid, values.comm),
        op: rwbs(values.letters, len),
        ..UNKNOWN
    };
    Some(TraceRecord {
        io,
        kind: values.kind?,
    })
}

/// `CPU0 (8,16):`, ` Reads Queued:`, `Events (8,16): 5 entries`, `Input file sdb.blktrace.0 added`.
#[cold]
pub fn is_summary(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let word = line.first().is_some_and(u8::is_ascii_alphabetic);
    word && (line.starts_with(b"Input file") || memchr::memchr(b':', line).is_some())
}
