//! Parquet: one row an I/O, in the order of issue; `docs/trace-parquet.md` is its description.
//!
//! Numbers are signed 64-bit, because query engines make decimals of unsigned ones. Times, offsets and
//! latencies are stored as differences, sizes and names by a dictionary: ten to twelve bytes an I/O.

mod columns;

use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::{Fact, Out, TraceRow, WritableFormat, WriteTrace, WrittenRows, numbered};
use columns::ParquetColumns;

/// Parquet, in our schema.
pub const TARGET: WritableFormat = WritableFormat {
    name: "parquet",
    title: "Parquet, ioalign.trace/1",
    writer: |out, _| Ok(Box::new(Parquet::new(out)?)),
    tick: 1,
    latency_tick: Some(1),
    unit: 1,
    processes: true,
    all_ops: true,
    device: numbered,
};

/// The name of the schema, under the key [`KEY`].
pub const SCHEMA: &str = "ioalign.trace/1";
/// The key of the schema's name in the footer.
pub const KEY: &str = "ioalign.schema";

/// Rows a row group: small enough that a reader holds several, large enough to be worth a column.
const GROUP: usize = 1 << 17;
/// Rows of a page: those of all columns together stay in a processor's cache.
const PAGE: usize = 1 << 13;

struct Parquet {
    /// Empty once the file has ended.
    file: Option<SerializedFileWriter<Out>>,
    columns: ParquetColumns,
    written: WrittenRows,
}

impl Parquet {
    fn new(out: Out) -> io::Result<Self> {
        let schema = Arc::new(schema().map_err(failed)?);
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties()));
        Ok(Self {
            file: Some(file.map_err(failed)?),
            columns: ParquetColumns::default(),
            written: WrittenRows::default(),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        if !self.columns.is_empty() {
            let mut group = file.next_row_group().map_err(failed)?;
            self.columns.write(&mut group).map_err(failed)?;
            group.close().map_err(failed)?;
        }
        Ok(())
    }
}

impl WriteTrace for Parquet {
    fn write(&mut self, row: &TraceRow) -> io::Result<()> {
        if !self.columns.add(row) {
            self.written.left_out += 1;
            return Ok(());
        }
        self.written.ios += 1;
        if self.columns.len() == GROUP {
            self.flush()?;
        }
        Ok(())
    }

    fn finish(&mut self, facts: &[Fact]) -> io::Result<WrittenRows> {
        self.flush()?;
        let Some(mut file) = self.file.take() else {
            return Ok(self.written);
        };
        let own = [(KEY.to_owned(), SCHEMA.to_owned())];
        for (key, value) in own.iter().chain(facts) {
            file.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        let mut out = file.into_inner().map_err(failed)?;
        out.flush()?;
        Ok(self.written)
    }
}

/// An error of the operating system as such, others by their words.
#[allow(clippy::needless_pass_by_value)] // what `map_err` gives
fn failed(error: parquet::errors::ParquetError) -> io::Error {
    use parquet::errors::ParquetError::External;
    match error {
        External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other.to_string()),
        },
        other => io::Error::other(other.to_string()),
    }
}

/// The columns in their order: name, type, whether a row may have none.
const COLUMNS: [(&str, Physical, bool); 8] = [
    ("time_ns", Physical::INT64, false),
    ("op", Physical::BYTE_ARRAY, false),
    ("offset_bytes", Physical::INT64, false),
    ("length_bytes", Physical::INT64, false),
    ("latency_ns", Physical::INT64, true),
    ("device", Physical::BYTE_ARRAY, false),
    ("pid", Physical::INT64, true),
    ("process", Physical::BYTE_ARRAY, true),
];

fn schema() -> parquet::errors::Result<Type> {
    let field = |(name, physical, optional): &(&str, Physical, bool)| {
        let logical = (*physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let repetition = if *optional {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        Type::primitive_type_builder(name, *physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("trace")
        .with_fields(fields)
        .build()
}

fn properties() -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("ioalign ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(PAGE)
        .set_write_batch_size(PAGE)
        .set_max_row_group_row_count(Some(GROUP));
    for name in ["time_ns", "offset_bytes", "latency_ns"] {
        let path = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            // Differences are packed already: nothing is left to be compressed.
            .set_column_compression(path.clone(), Compression::UNCOMPRESSED)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}
