//! The traces of Florida International University (SNIA IOTTA):
//! `89966104454294 4892 syslogd 904265560 8 W 6 0 531e779...`. Layout: the README that comes with
//! them. A name may hold blanks, so the end of the line is read first.

use super::fields::{Cursor, last_word, number, sectors};
use super::text::{self, Line, Row, Text, UNKNOWN};
use super::{Facts, Format, Framing};
use crate::record::{Io, Names, Op, Record};

/// FIU.
pub const FORMAT: Format = Format {
    name: "fiu",
    title: "FIU traces",
    sniff: |head| text::is_table(head, &Fiu),
    framing: Framing::Lines,
    parser: |_, _| Ok(Box::new(Text(Fiu))),
};

#[derive(Copy, Clone)]
struct Fiu;

impl Line for Fiu {
    #[inline]
    fn row(&self, line: &[u8], names: &mut Names) -> Row {
        if line.trim_ascii().is_empty() {
            return Row::Other;
        }
        parse(line, names).map_or(Row::Bad("not a row of an FIU trace"), Row::Io)
    }

    fn facts(&self) -> Facts {
        Facts {
            time: "ns",
            offset: "512-byte sectors",
            len: "512-byte sectors",
            op: "R, W",
            latency: "none",
        }
    }
}

#[inline]
fn parse(line: &[u8], names: &mut Names) -> Option<Record> {
    let mut cursor = Cursor::new(line);
    let time = cursor.blanks().number()?;
    let pid = u32::try_from(cursor.blanks().number()?).ok()?;
    let (rest, _digest) = last_word(cursor.rest())?;
    let (rest, minor) = last_word(rest)?;
    let (rest, major) = last_word(rest)?;
    let (rest, op) = last_word(rest)?;
    let (rest, count) = last_word(rest)?;
    let (name, start) = last_word(rest)?;
    let op = match op {
        b"R" | b"r" => Op::Read,
        b"W" | b"w" => Op::Write,
        _ => return None,
    };
    let (offset, len) = sectors(number(start)?, number(count)?)?;
    let major = u32::try_from(number(major)?).ok()?;
    let minor = u32::try_from(number(minor)?).ok()?;
    let io = Io {
        time: i64::try_from(time).ok()?,
        offset,
        len,
        device: names.device_number(major, minor),
        process: names.process(pid, name.trim_ascii()),
        op,
        ..UNKNOWN
    };
    Some(Record::whole(io))
}
