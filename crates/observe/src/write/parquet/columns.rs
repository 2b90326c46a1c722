//! The rows of a row group, column by column.

use std::collections::HashMap;
use std::io::Write;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedRowGroupWriter;

use super::super::TraceRow;
use crate::record::{NO_LATENCY, Op, TraceDevice};

/// Names remembered; past them, all are forgotten and learnt again.
const MOST: usize = 1 << 16;

#[derive(Default)]
pub struct ParquetColumns {
    time: Vec<i64>,
    op: Vec<ByteArray>,
    offset: Vec<i64>,
    length: Vec<i64>,
    latency: OptionalColumn<i64>,
    device: Vec<ByteArray>,
    pid: OptionalColumn<i64>,
    process: OptionalColumn<ByteArray>,
    devices: HashMap<TraceDevice, ByteArray>,
    names: HashMap<Box<str>, ByteArray>,
    last: Option<(TraceDevice, ByteArray)>,
}

/// A column whose rows may have no value.
#[derive(Default)]
struct OptionalColumn<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> OptionalColumn<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn clear(&mut self) {
        self.values.clear();
        self.levels.clear();
    }
}

const fn name_bytes(text: &'static str) -> &'static [u8] {
    text.as_bytes()
}

impl ParquetColumns {
    pub const fn len(&self) -> usize {
        self.time.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Adds a row; false where its offset is past 63 bits.
    pub fn add(&mut self, row: &TraceRow) -> bool {
        let io = row.io;
        let Ok(offset) = i64::try_from(io.offset) else {
            return false;
        };
        self.time.push(io.time);
        self.op.push(op(io.op));
        self.offset.push(offset);
        self.length.push(i64::from(io.len));
        let latency = (io.latency != NO_LATENCY).then_some(io.latency);
        self.latency
            .push(latency.and_then(|nanos| i64::try_from(nanos).ok()));
        let device = self.device(row.device);
        self.device.push(device);
        self.pid.push(row.process.map(|(pid, _)| i64::from(pid)));
        let name = row.process.filter(|(_, name)| !name.is_empty());
        let name = name.map(|(_, name)| self.name(name));
        self.process.push(name);
        true
    }

    fn device(&mut self, device: &TraceDevice) -> ByteArray {
        if let Some((last, text)) = &self.last
            && last == device
        {
            return text.clone();
        }
        if self.devices.len() >= MOST {
            self.devices.clear();
        }
        let known = self.devices.entry(device.clone());
        let text = known
            .or_insert_with(|| device.to_string().into_bytes().into())
            .clone();
        self.last = Some((device.clone(), text.clone()));
        text
    }

    fn name(&mut self, name: &str) -> ByteArray {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        if self.names.len() >= MOST {
            self.names.clear();
        }
        let text = ByteArray::from(name.as_bytes().to_vec());
        self.names.insert(name.into(), text.clone());
        text
    }

    /// Writes all rows, and has none then.
    pub fn write<W: Write + Send>(
        &mut self,
        group: &mut SerializedRowGroupWriter<W>,
    ) -> Result<()> {
        column::<Int64Type, W>(group, &self.time, None)?;
        column::<ByteArrayType, W>(group, &self.op, None)?;
        column::<Int64Type, W>(group, &self.offset, None)?;
        column::<Int64Type, W>(group, &self.length, None)?;
        column::<Int64Type, W>(group, &self.latency.values, Some(&self.latency.levels))?;
        column::<ByteArrayType, W>(group, &self.device, None)?;
        column::<Int64Type, W>(group, &self.pid.values, Some(&self.pid.levels))?;
        column::<ByteArrayType, W>(group, &self.process.values, Some(&self.process.levels))?;
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.time.clear();
        self.op.clear();
        self.offset.clear();
        self.length.clear();
        self.latency.clear();
        self.device.clear();
        self.pid.clear();
        self.process.clear();
    }
}

/// The bytes are static: no row costs an allocation.
fn op(op: Op) -> ByteArray {
    bytes::Bytes::from_static(name_bytes(op.name())).into()
}

/// The next column of the row group.
fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}
