//! The text of blkparse in its default form:
//! `8,16   1      357     0.000241205  5821  D   W 32256 + 8 [fio]`.

use super::fields::{Cursor, lines};
use super::{Facts, Format, Framing, Hints, Parse, Parser};
use crate::error::Result;
use crate::record::{Io, Kind, NO_LATENCY, Op, Record, Records};

/// blkparse, default form.
pub const FORMAT: Format = Format {
    name: "blkparse",
    title: "blkparse text",
    sniff,
    framing: Framing::Lines,
    parser,
};

/// Lines looked at: `blkparse` may begin with complaints.
const SNIFFED: usize = 50;

fn sniff(head: &[u8]) -> bool {
    lines(head).take(SNIFFED).any(|line| {
        let mut names = crate::record::Names::default();
        matches!(row(line, &mut names), Row::Io(_))
    })
}

struct Reader;

fn parser(_: &[u8], _: &Hints) -> Result<Parser> {
    Ok(Box::new(Reader))
}

impl Parse for Reader {
    fn parse(&mut self, chunk: &[u8], out: &mut Records) {
        for line in lines(chunk) {
            out.extent += 1;
            match row(line, &mut out.names) {
                Row::Io(record) => out.rows.push(record),
                Row::Other => out.other += 1,
                Row::Bad(why) => out.skipped.add(out.extent, line, why),
            }
        }
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(Self))
    }

    fn facts(&self) -> Facts {
        Facts {
            time: "seconds with nine digits",
            offset: "512-byte sectors",
            len: "512-byte sectors",
            op: "letters of RWBS",
            latency: "issue (D) to completion (C)",
        }
    }
}

enum Row {
    Io(Record),
    /// A plug, a merge, a message, a line of the summary.
    Other,
    Bad(&'static str),
}

fn row(line: &[u8], names: &mut crate::record::Names) -> Row {
    let mut cursor = Cursor::new(line);
    // A line that does not begin like an event is the summary, a heading, or text around it.
    let Some((major, minor)) = device(&mut cursor) else {
        return Row::Other;
    };
    event(&mut cursor, major, minor, names).unwrap_or(Row::Bad("not a line of blkparse"))
}

fn device(cursor: &mut Cursor) -> Option<(u32, u32)> {
    let major = u32::try_from(cursor.blanks().number()?).ok()?;
    cursor.byte(b',')?;
    let minor = u32::try_from(cursor.number()?).ok()?;
    Some((major, minor))
}

fn event(
    cursor: &mut Cursor,
    major: u32,
    minor: u32,
    names: &mut crate::record::Names,
) -> Option<Row> {
    cursor.blanks().number()?;
    cursor.blanks().number()?;
    let time = cursor.blanks().seconds()?;
    let pid = u32::try_from(cursor.blanks().number()?).ok()?;
    let kind = match cursor.word() {
        b"Q" => Kind::Queue,
        b"D" => Kind::Issue,
        b"C" => Kind::Complete,
        b"R" => Kind::Requeue,
        _ => return Some(Row::Other),
    };
    let op = rwbs(cursor.word());
    let (offset, len) = place(cursor)?;
    let process = names.process(pid, comm(cursor, kind));
    let io = Io {
        time,
        offset,
        latency: NO_LATENCY,
        len,
        device: names.device_number(major, minor),
        process,
        op,
    };
    Some(Row::Io(Record { io, kind }))
}

/// `sector + sectors`; a flush has neither, or only a place. Pass-through requests have their length
/// in bytes.
fn place(cursor: &mut Cursor) -> Option<(u64, u32)> {
    let Some(sector) = cursor.blanks().number() else {
        return Some((0, 0));
    };
    let mut sectors = 0;
    if cursor.blanks().byte(b'+').is_some() {
        sectors = cursor.blanks().number()?;
    }
    let len = u32::try_from(sectors.checked_mul(512)?).ok()?;
    Some((sector.checked_mul(512)?, len))
}

/// `[fio]`; a completion has the error there.
fn comm<'a>(cursor: &mut Cursor<'a>, kind: Kind) -> &'a [u8] {
    if kind == Kind::Complete || cursor.blanks().byte(b'[').is_none() {
        return b"";
    }
    cursor.rest().strip_suffix(b"]").unwrap_or_default()
}

/// Letters of the kernel's `blk_fill_rwbs`: an F before the operation is a flush of its own only
/// where nothing else follows.
pub fn rwbs(letters: &[u8]) -> Op {
    match letters {
        [b'F', b'W', ..] | [b'W', ..] => Op::Write,
        [b'F', b'R', ..] | [b'R', ..] => Op::Read,
        [b'D', ..] => Op::Discard,
        [b'F', ..] => Op::Flush,
        _ => Op::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Records {
        let mut out = Records::default();
        Reader.parse(text.as_bytes(), &mut out);
        out
    }

    #[test]
    fn an_event() {
        let out = parse("  8,16   1      357     0.000241205  5821  D   W 63 + 8 [kworker/u4:1]\n");
        let Record { io, kind } = out.rows[0];
        assert_eq!(kind, Kind::Issue);
        assert_eq!((io.offset, io.len, io.time), (63 * 512, 4096, 241_205));
        assert_eq!(io.op, Op::Write);
        assert_eq!(&*out.names.processes()[0].name, "kworker/u4:1");
    }

    #[test]
    fn what_is_no_event_is_no_error() {
        let out = parse(
            "  8,16   1      2     0.000000001  5  P   N [fio]\n\
             CPU0 (8,16):\n Reads Queued:  1,  4KiB\n\n  8,0 1 1 0.0 1 D W x + 8 [a]\n",
        );
        assert_eq!(out.rows.len(), 1, "a flush-like line without a place");
        assert!(parse("  8,16 1 nonsense\n").skipped.rows == 1);
        assert_eq!(out.skipped.rows, 0);
    }

    #[test]
    fn letters() {
        assert_eq!(rwbs(b"FWFS"), Op::Write);
        assert_eq!(rwbs(b"RAM"), Op::Read);
        assert_eq!(rwbs(b"FN"), Op::Flush);
        assert_eq!(rwbs(b"FF"), Op::Flush);
        assert_eq!(rwbs(b"DS"), Op::Discard);
        assert_eq!(rwbs(b"N"), Op::Other);
    }
}
