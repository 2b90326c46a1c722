//! The rows of a row group as records.

use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

use super::column::{Column, Place};
use super::page::{NONE, Texts};
use crate::record::{Io, NO_LATENCY, Names, Op, Records};

/// Pairs of pid and name found without a search; a power of two.
const NEAR: usize = 256;
const MASK: i64 = 255;

/// Where the columns are.
#[derive(Copy, Clone, Debug)]
pub struct Places([Option<Place>; 8]);

const NAMES: [(&str, bool, bool); 8] = [
    ("time_ns", false, true),
    ("op", true, true),
    ("offset_bytes", false, true),
    ("length_bytes", false, true),
    ("latency_ns", false, false),
    ("device", true, false),
    ("pid", false, false),
    ("process", true, false),
];

impl Places {
    /// By the names of the columns.
    pub fn find(schema: &SchemaDescriptor) -> Result<Self, String> {
        let mut places = [None; 8];
        for (slot, (name, text, needed)) in places.iter_mut().zip(NAMES) {
            *slot = Place::find(schema, name, text)?;
            if needed && slot.is_none() {
                return Err(format!(
                    "It has no column `{name}`: a trace has time_ns, op, offset_bytes and length_bytes"
                ));
            }
        }
        Ok(Self(places))
    }
}

/// A row group that is being read.
#[derive(Default)]
pub struct Rows {
    columns: [Column; 8],
    left: u64,
}

impl Rows {
    /// To the first row of a row group; the space stays.
    pub fn open(&mut self, group: &dyn RowGroupReader, places: &Places) -> Result<(), String> {
        self.left = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
        let named = NAMES.iter().zip(places.0);
        for (column, ((name, ..), place)) in self.columns.iter_mut().zip(named) {
            column.open(name, group, place)?;
        }
        Ok(())
    }

    /// Whether all rows were read.
    pub const fn ended(&self) -> bool {
        self.left == 0
    }

    /// Adds the next rows, at most `most`.
    pub fn read(&mut self, most: usize, out: &mut Records) -> Result<(), String> {
        let rows = usize::try_from(self.left).unwrap_or(usize::MAX).min(most);
        self.left -= rows as u64;
        for column in &mut self.columns {
            column.load(rows)?;
        }
        let [_, op, _, _, _, device, _, process] = &self.columns;
        let mut meaning = Meaning {
            ops: numbers_of(op.texts()),
            devices: devices_of(device.texts(), &mut out.names),
            owners: Owners::default(),
            texts: process.texts(),
        };
        if !meaning.columns(&self.columns, rows, out) {
            for line in lines(&self.columns, rows) {
                out.extent += 1;
                match meaning.record(line, &mut out.names) {
                    Ok(io) => out.columns.extend(&[io]),
                    Err(why) => out.skipped.add(out.extent, &[], why),
                }
            }
        }
        for column in &mut self.columns {
            column.used(rows);
        }
        Ok(())
    }
}

/// Whether no value is such; without a branch a value.
fn none(values: &[i64], such: impl Fn(i64) -> bool) -> bool {
    !values.iter().fold(false, |any, value| any | such(*value))
}

/// The values of one row, in the order of [`NAMES`].
type Line = [i64; 8];

fn lines(columns: &[Column; 8], rows: usize) -> impl Iterator<Item = Line> {
    let [a, b, c, d, e, f, g, h] = columns.each_ref().map(|column| column.values(rows).iter());
    let all = a.zip(b).zip(c).zip(d).zip(e).zip(f).zip(g).zip(h);
    all.map(|(((((((a, b), c), d), e), f), g), h)| [*a, *b, *c, *d, *e, *f, *g, *h])
}

/// What the numbers of names mean in this row group.
struct Meaning<'a> {
    ops: Vec<Option<Op>>,
    devices: Vec<u32>,
    owners: Owners,
    texts: &'a Texts,
}

impl Meaning<'_> {
    /// All rows at once, where there is nothing wrong with any of them.
    fn columns(&mut self, columns: &[Column; 8], rows: usize, out: &mut Records) -> bool {
        let [time, op, offset, length, latency, device, pid, process] =
            columns.each_ref().map(|column| column.values(rows));
        let ops = self.ops.as_slice();
        let is_op =
            |op: &i64| usize::try_from(*op).is_ok_and(|op| matches!(ops.get(op), Some(Some(_))));
        let good = none(time, |time| time == NONE)
            && none(offset, |offset| offset < 0)
            && none(length, |length| length >> 32 != 0)
            && op.iter().all(is_op);
        if !good {
            return false;
        }
        let to = &mut out.columns;
        to.time.extend_from_slice(time);
        to.offset.extend(offset.iter().map(|at| at.cast_unsigned()));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 32 bits, as was seen
        to.len.extend(length.iter().map(|len| *len as u32));
        let known = |latency: &i64| {
            if *latency < 0 {
                NO_LATENCY
            } else {
                latency.cast_unsigned()
            }
        };
        to.latency.extend(latency.iter().map(known));
        let op_of = |op: &i64| usize::try_from(*op).ok().and_then(|op| *ops.get(op)?);
        to.op
            .extend(op.iter().map(|op| op_of(op).unwrap_or_default()));
        match device.first() {
            Some(one) if none(device, |other| other != *one) => {
                to.device.resize(to.device.len() + rows, self.device(*one));
            }
            _ => to
                .device
                .extend(device.iter().map(|device| self.device(*device))),
        }
        let owners = pid.iter().zip(process);
        let number =
            |(pid, name): (&i64, &i64)| self.owners.number(*pid, *name, self.texts, &mut out.names);
        to.process.extend(owners.map(number));
        out.extent += rows as u64;
        true
    }

    #[inline]
    fn device(&self, number: i64) -> u32 {
        let known = usize::try_from(number).ok();
        let device = known.and_then(|number| self.devices.get(number));
        device.copied().unwrap_or(0)
    }

    #[inline]
    fn record(&mut self, line: Line, names: &mut Names) -> Result<Io, &'static str> {
        let [time, op, offset, length, latency, device, pid, process] = line;
        let op = usize::try_from(op).ok().and_then(|op| *self.ops.get(op)?);
        let io = Io {
            time,
            offset: u64::try_from(offset).map_err(|_| "no offset")?,
            latency: u64::try_from(latency).unwrap_or(NO_LATENCY),
            len: u32::try_from(length).map_err(|_| "no length, or one of 4 GiB and more")?,
            device: self.device(device),
            process: self.owners.number(pid, process, self.texts, names),
            op: op.ok_or("an operation that is not known")?,
        };
        if time == NONE {
            return Err("no time");
        }
        Ok(io)
    }
}

fn numbers_of(texts: &Texts) -> Vec<Option<Op>> {
    (0..).map_while(|n| texts.get(n)).map(op).collect()
}

/// The names of [`Op`], and the letters of other tools.
fn op(name: &[u8]) -> Option<Op> {
    let named = Op::ALL
        .into_iter()
        .find(|op| op.name().as_bytes().eq_ignore_ascii_case(name));
    named.or(match name {
        b"R" | b"r" => Some(Op::Read),
        b"W" | b"w" => Some(Op::Write),
        b"D" | b"d" | b"trim" => Some(Op::Discard),
        b"F" | b"f" => Some(Op::Flush),
        _ => None,
    })
}

/// `8:16` is a number; the first device stands for rows without one.
fn devices_of(texts: &Texts, names: &mut Names) -> Vec<u32> {
    let number = |text: &[u8]| -> Option<(u32, u32)> {
        let (major, minor) = std::str::from_utf8(text).ok()?.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let mut all: Vec<u32> = (0..)
        .map_while(|n| texts.get(n))
        .map(|text| match number(text) {
            Some((major, minor)) => names.device_number(major, minor),
            None => names.device_name(text),
        })
        .collect();
    if all.is_empty() {
        all.push(names.device_name(b"(no name)"));
    }
    all
}

/// Processes by their pid and name.
struct Owners([(i64, i64, u32); NEAR]);

impl Default for Owners {
    fn default() -> Self {
        // No row has this pid.
        Self([(-2, NONE, 0); NEAR])
    }
}

impl Owners {
    #[inline]
    fn number(&mut self, pid: i64, name: i64, texts: &Texts, names: &mut Names) -> u32 {
        let mixed = (pid ^ name.rotate_left(4)) & MASK;
        let Some(slot) = usize::try_from(mixed)
            .ok()
            .and_then(|at| self.0.get_mut(at))
        else {
            return 0;
        };
        if (slot.0, slot.1) != (pid, name) {
            *slot = (pid, name, process(pid, texts.get(name), names));
        }
        slot.2
    }
}

fn process(pid: i64, name: Option<&[u8]>, names: &mut Names) -> u32 {
    match (u32::try_from(pid), name) {
        // Nobody knows.
        (Err(_), None) => u32::MAX,
        (pid, name) => names.process(pid.unwrap_or(0), name.unwrap_or_default()),
    }
}
