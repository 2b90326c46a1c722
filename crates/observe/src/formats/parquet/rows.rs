//! The rows of a row group as records.

use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::SchemaDescriptor;

use super::column::{Column, Place};
use super::owners::Owners;
use super::source::At;
use super::value::{self, Value};
use crate::record::{Columns, Names, Op, Records};

/// Where the columns are, in the order of [`NAMES`].
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
    time: Column<i64>,
    op: Column<Option<Op>>,
    offset: Column<u64>,
    length: Column<u64>,
    latency: Column<u64>,
    device: Column<u32>,
    pid: Column<u32>,
    process: Column<u32>,
    left: u64,
    raw: Raw,
    owners: Owners,
}

/// What is made something else of, of some rows.
#[derive(Default)]
struct Raw {
    ops: Vec<Option<Op>>,
    lengths: Vec<u64>,
    pids: Vec<u32>,
    processes: Vec<u32>,
}

impl Rows {
    /// To the first row of a row group; the space stays.
    pub fn open(
        &mut self,
        at: &At,
        group: &RowGroupMetaData,
        places: &Places,
    ) -> Result<(), String> {
        self.left = u64::try_from(group.num_rows()).unwrap_or(0);
        self.owners.forget();
        let [time, op, offset, length, latency, device, pid, process] = places
            .0
            .map(|place| place.map(|place| place.in_group(at, group)));
        self.time.open("time_ns", time)?;
        self.op.open("op", op)?;
        self.offset.open("offset_bytes", offset)?;
        self.length.open("length_bytes", length)?;
        self.latency.open("latency_ns", latency)?;
        self.device.open("device", device)?;
        self.pid.open("pid", pid)?;
        self.process.open("process", process)
    }

    /// Whether all rows were read.
    pub const fn ended(&self) -> bool {
        self.left == 0
    }

    /// Adds the next rows, at most `most`.
    pub fn read(&mut self, most: usize, out: &mut Records) -> Result<(), String> {
        let rows = usize::try_from(self.left).unwrap_or(usize::MAX).min(most);
        self.left -= rows as u64;
        let from = out.columns.len();
        self.raw.clear();
        self.decode(rows, &mut out.columns)?;
        let devices = out.columns.device.get_mut(from..).unwrap_or_default();
        number_devices(devices, self.device.names(), &mut out.names);
        let owners = (self.raw.pids.as_slice(), self.raw.processes.as_slice());
        let known = (self.pid.names(), self.process.names());
        let to = &mut out.columns.process;
        self.owners.number(owners, known, &mut out.names, to);
        if self.raw.sound(from, &out.columns) {
            out.extent += rows as u64;
        } else {
            self.raw.drop_unsound(from, out);
        }
        Ok(())
    }

    fn decode(&mut self, rows: usize, to: &mut Columns) -> Result<(), String> {
        self.time.read(rows, &mut to.time)?;
        self.offset.read(rows, &mut to.offset)?;
        self.latency.read(rows, &mut to.latency)?;
        self.device.read(rows, &mut to.device)?;
        self.op.read(rows, &mut self.raw.ops)?;
        let ops = self.raw.ops.iter();
        to.op.extend(ops.map(|op| op.unwrap_or_default()));
        self.length.read(rows, &mut self.raw.lengths)?;
        #[allow(clippy::cast_possible_truncation)] // `sound` sees to it
        to.len
            .extend(self.raw.lengths.iter().map(|len| *len as u32));
        self.pid.read(rows, &mut self.raw.pids)?;
        self.process.read(rows, &mut self.raw.processes)
    }
}

impl Raw {
    fn clear(&mut self) {
        self.ops.clear();
        self.lengths.clear();
        self.pids.clear();
        self.processes.clear();
    }

    /// Whether all of the rows from this one on are I/Os; without a branch a row.
    fn sound(&self, from: usize, columns: &Columns) -> bool {
        let times = columns.time.get(from..).unwrap_or_default();
        let offsets = columns.offset.get(from..).unwrap_or_default();
        // The lowest number is the only one below zero whose neighbour below is not.
        let lowest = |any, time: &i64| any | time & !time.wrapping_sub(1);
        let untimed = times.iter().fold(0, lowest) < 0;
        let highest = offsets.iter().fold(0, |all, offset| all | offset);
        let longest = self.lengths.iter().fold(0, |all, length| all | length);
        let unknown = self.ops.iter().fold(false, |any, op| any | op.is_none());
        !untimed && !unknown && is_offset(highest) && is_length(longest)
    }

    /// Takes out the rows that are none, and tells of them.
    fn drop_unsound(&self, from: usize, out: &mut Records) {
        let to = &mut out.columns;
        let times = to.time.get(from..).unwrap_or_default().iter();
        let offsets = to.offset.get(from..).unwrap_or_default().iter();
        let lines = times.zip(offsets).zip(&self.lengths).zip(&self.ops);
        let mut good = vec![true; from];
        for (((time, offset), length), op) in lines {
            out.extent += 1;
            let fault = fault(*time, *offset, *length, *op);
            if let Some(why) = fault {
                out.skipped.add(out.extent, &[], why);
            }
            good.push(fault.is_none());
        }
        to.retain(&good);
    }
}

fn fault(time: i64, offset: u64, length: u64, op: Option<Op>) -> Option<&'static str> {
    if !is_offset(offset) {
        return Some("no offset");
    }
    if !is_length(length) {
        return Some("no length, or one of 4 GiB and more");
    }
    if op.is_none() {
        return Some("an operation that is not known");
    }
    (time == i64::MISSING).then_some("no time")
}

const fn is_offset(offset: u64) -> bool {
    offset >> 63 == 0
}

const fn is_length(length: u64) -> bool {
    length >> 32 == 0
}

/// Gives devices the numbers of their names; the first device stands for rows without one.
fn number_devices(devices: &mut [u32], texts: &value::Names, names: &mut Names) {
    let mut numbers: Vec<u32> = texts.iter().map(|text| device(text, names)).collect();
    if numbers.is_empty() {
        numbers.push(names.device_name(b"(no name)"));
    }
    let same = numbers
        .iter()
        .zip(0..)
        .all(|(number, text)| *number == text);
    let any = |missing, device: &u32| missing | (*device == u32::MISSING);
    if same && !devices.iter().fold(false, any) {
        return;
    }
    for device in devices {
        let number = usize::try_from(*device).ok().and_then(|at| numbers.get(at));
        *device = number.copied().unwrap_or(0);
    }
}

/// `8:16` is a number.
fn device(text: &[u8], names: &mut Names) -> u32 {
    let number = || -> Option<(u32, u32)> {
        let (major, minor) = std::str::from_utf8(text).ok()?.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    match number() {
        Some((major, minor)) => names.device_number(major, minor),
        None => names.device_name(text),
    }
}
