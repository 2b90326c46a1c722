//! The rows of a row group as records.

use parquet::data_type::ByteArray;
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::SchemaDescriptor;

use super::column::{ColumnPlace, GroupColumn};
use super::source::ParquetBytes;
use crate::record::{ChunkNames, Io, NO_LATENCY, Op, TraceRecord, TraceRecords};

/// The columns: name, whether it is text, whether a trace must have it.
const COLUMNS: [(&str, bool, bool); 8] = [
    ("time_ns", false, true),
    ("op", true, true),
    ("offset_bytes", false, true),
    ("length_bytes", false, true),
    ("latency_ns", false, false),
    ("device", true, false),
    ("pid", false, false),
    ("process", true, false),
];

/// The indexes of the columns, in the order of [`COLUMNS`].
#[derive(Clone, Debug)]
pub struct TraceColumns([Option<ColumnPlace>; 8]);

impl TraceColumns {
    /// By the names of the columns.
    pub fn find(schema: &SchemaDescriptor) -> Result<Self, String> {
        let mut places = [const { None }; 8];
        for (slot, (name, text, needed)) in places.iter_mut().zip(COLUMNS) {
            *slot = ColumnPlace::find(schema, name, text)?;
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
pub struct GroupRows {
    columns: [Option<GroupColumn>; 8],
    left: u64,
    batch: RowBatch,
}

/// Columns of some rows, in the order of [`COLUMNS`]; those that the file has not are empty.
#[derive(Default)]
struct RowBatch {
    numbers: [Vec<i64>; 8],
    texts: [Vec<ByteArray>; 8],
}

impl GroupRows {
    /// To the first row of a row group; the space stays.
    pub fn open(
        &mut self,
        bytes: &ParquetBytes,
        group: &RowGroupMetaData,
        places: &TraceColumns,
    ) -> Result<(), String> {
        self.left = u64::try_from(group.num_rows()).unwrap_or(0);
        for (column, place) in self.columns.iter_mut().zip(&places.0) {
            let open = place.as_ref().map(|place| place.in_group(bytes, group));
            *column = open.transpose()?;
        }
        Ok(())
    }

    /// Whether all rows were read.
    pub const fn ended(&self) -> bool {
        self.left == 0
    }

    /// Adds the next rows, at most `most`.
    pub fn read(&mut self, most: usize, out: &mut TraceRecords) -> Result<(), String> {
        let rows = usize::try_from(self.left).unwrap_or(usize::MAX).min(most);
        self.left -= rows as u64;
        self.batch.read(rows, &mut self.columns)?;
        let mut recent = RecentNames::default();
        out.rows.reserve(rows);
        for row in 0..rows {
            out.extent += 1;
            match self.batch.io(row, &mut recent, &mut out.names) {
                Ok(io) => out.rows.push(TraceRecord::whole(io)),
                Err(why) => out.skipped.add(out.extent, &[], why),
            }
        }
        Ok(())
    }
}

impl RowBatch {
    fn read(&mut self, rows: usize, columns: &mut [Option<GroupColumn>; 8]) -> Result<(), String> {
        let to = self.numbers.iter_mut().zip(&mut self.texts);
        for ((column, (numbers, texts)), (_, is_text, _)) in columns.iter_mut().zip(to).zip(COLUMNS)
        {
            numbers.clear();
            texts.clear();
            match column {
                Some(column) if is_text => column.texts(rows, texts)?,
                Some(column) => column.numbers(rows, numbers)?,
                None => {}
            }
        }
        Ok(())
    }

    fn io(
        &self,
        row: usize,
        recent: &mut RecentNames,
        names: &mut ChunkNames,
    ) -> Result<Io, &'static str> {
        let [time, _, offset, length, latency, _, pid, _] = &self.numbers;
        let [_, op, _, _, _, device, _, process] = &self.texts;
        let number = |column: &[i64]| column.get(row).copied().unwrap_or(i64::MIN);
        Ok(Io {
            offset: u64::try_from(number(offset)).map_err(|_| "no offset")?,
            len: u32::try_from(number(length))
                .map_err(|_| "no length, or one of 4 GiB and more")?,
            op: operation(bytes_at(op, row)).ok_or("an operation that is not known")?,
            time: Some(number(time))
                .filter(|time| *time != i64::MIN)
                .ok_or("no time")?,
            latency: u64::try_from(number(latency)).unwrap_or(NO_LATENCY),
            device: recent.device(bytes_at(device, row), names),
            process: recent.process(number(pid), bytes_at(process, row), names),
        })
    }
}

fn bytes_at(column: &[ByteArray], row: usize) -> &[u8] {
    column.get(row).map_or(&[], ByteArray::data)
}

/// The names of [`Op`], and the letters of other tools.
fn operation(text: &[u8]) -> Option<Op> {
    // The two that nearly every row has.
    match text {
        b"read" => return Some(Op::Read),
        b"write" => return Some(Op::Write),
        _ => {}
    }
    let is = |op: &Op| op.name().as_bytes().eq_ignore_ascii_case(text);
    Op::ALL.into_iter().find(is).or(match text {
        b"R" | b"r" => Some(Op::Read),
        b"W" | b"w" => Some(Op::Write),
        b"D" | b"d" | b"trim" => Some(Op::Discard),
        b"F" | b"f" => Some(Op::Flush),
        _ => None,
    })
}

/// Devices and processes of the rows before: most rows have one of a few.
#[derive(Default)]
struct RecentNames {
    devices: Vec<(Vec<u8>, u32)>,
    processes: Vec<(i64, Vec<u8>, u32)>,
}

impl RecentNames {
    fn device(&mut self, text: &[u8], names: &mut ChunkNames) -> u32 {
        if let Some((_, number)) = self.devices.iter().find(|(known, _)| known == text) {
            return *number;
        }
        let number = device_number(text, names);
        remember(&mut self.devices, (text.to_owned(), number));
        number
    }

    fn process(&mut self, pid: i64, name: &[u8], names: &mut ChunkNames) -> u32 {
        let is_known = |known: &&(i64, Vec<u8>, u32)| known.0 == pid && known.1 == name;
        if let Some((_, _, number)) = self.processes.iter().find(is_known) {
            return *number;
        }
        let number = match u32::try_from(pid) {
            Err(_) if name.is_empty() => u32::MAX,
            known => names.process(known.unwrap_or(0), name),
        };
        remember(&mut self.processes, (pid, name.to_owned(), number));
        number
    }
}

/// A few are searched faster than a table.
fn remember<T>(recent: &mut Vec<T>, one: T) {
    const MOST: usize = 16;
    if recent.len() == MOST {
        recent.clear();
    }
    recent.push(one);
}

/// `8:16` is a number.
fn device_number(text: &[u8], names: &mut ChunkNames) -> u32 {
    let number = || -> Option<(u32, u32)> {
        let (major, minor) = std::str::from_utf8(text).ok()?.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    match number() {
        Some((major, minor)) => names.device_number(major, minor),
        None if text.is_empty() => names.device_name(b"(no name)"),
        None => names.device_name(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_names_and_letters() {
        assert_eq!(operation(b"WRITE"), Some(Op::Write));
        assert_eq!(operation(b"trim"), Some(Op::Discard));
        assert_eq!(operation(b"x"), None);
    }

    #[test]
    fn devices_have_names_and_numbers() {
        let mut names = ChunkNames::default();
        let mut recent = RecentNames::default();
        let all = ["sda", "sda", "8:16", "", "sda"]
            .map(|name| recent.device(name.as_bytes(), &mut names));
        assert_eq!(all, [0, 0, 1, 2, 0]);
    }

    #[test]
    fn a_process_without_pid_or_name_is_not_known() {
        let mut names = ChunkNames::default();
        let mut recent = RecentNames::default();
        let mut number = |pid, name: &str| recent.process(pid, name.as_bytes(), &mut names);
        let all = [
            number(7, "a"),
            number(7, "b"),
            number(-1, "a"),
            number(i64::MIN, ""),
        ];
        assert_eq!(all, [0, 1, 2, u32::MAX]);
    }
}
