//! A Parquet file, its row groups read side by side.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, Length, SerializedFileReader};

use super::rows::{GroupRows, TraceColumns};
use super::source::ParquetBytes;
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::TraceRecords;

/// Rows handed on at a time: as many records as a processor's cache holds.
const BATCH: usize = 1 << 13;

/// A file whose directory was read.
#[derive(Clone)]
pub struct Groups {
    file: Arc<SerializedFileReader<ParquetBytes>>,
    source: ParquetBytes,
    places: TraceColumns,
}

/// Metadata of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParquetNotes {
    /// Events that the tracer of the source said it lost.
    pub dropped: u64,
    /// Whether offsets are those of whole disks.
    pub whole_disk: bool,
}

/// The keys of the notes in the key-value metadata of the footer.
pub const DROPPED: &str = "ioalign.dropped";
/// `whole-disk` or `device`.
pub const OFFSETS: &str = "ioalign.offsets";

impl Groups {
    /// Reads the directory.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| ObserveError::io("Cannot open it", error).in_file(path);
        let at = File::open(path)
            .and_then(ParquetBytes::file)
            .map_err(failed)?;
        Self::of(at).map_err(|error| error.in_file(path))
    }

    /// The same of a file that is in memory.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::of(ParquetBytes::Memory(bytes.into()))
    }

    fn of(at: ParquetBytes) -> Result<Self> {
        let (len, source) = (at.len(), at.clone());
        let damaged = |what: String| {
            let what = format!("It is no whole Parquet file: {what}");
            ObserveError::new(ObserveErrorKind::Malformed, what)
        };
        let open = || SerializedFileReader::new(at).map_err(|e| e.to_string());
        let file = guarded(open).map_err(damaged)?;
        placed(file.metadata(), len).map_err(damaged)?;
        let places = TraceColumns::find(file.metadata().file_metadata().schema_descr())
            .map_err(|what| ObserveError::new(ObserveErrorKind::Unsupported, what))?;
        let file = Arc::new(file);
        Ok(Self {
            file,
            source,
            places,
        })
    }

    /// Its metadata.
    pub fn notes(&self) -> ParquetNotes {
        let metadata = self.file.metadata().file_metadata().key_value_metadata();
        let value = |key: &str| {
            let pair = metadata?.iter().find(|pair| pair.key == key)?;
            pair.value.as_deref()
        };
        ParquetNotes {
            dropped: value(DROPPED)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            whole_disk: value(OFFSETS) == Some("whole-disk"),
        }
    }

    /// How many row groups.
    pub fn count(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Bytes of a row group in the file.
    pub fn bytes(&self, group: usize) -> u64 {
        let groups = self.file.metadata().row_groups();
        let size = groups.get(group).map_or(0, |group| group.compressed_size());
        u64::try_from(size).unwrap_or(0)
    }

    /// To the rows of one row group.
    pub fn open_rows(&self, group: usize, batches: &mut Batches) -> io::Result<()> {
        let open = || {
            let groups = self.file.metadata().row_groups();
            let group = groups.get(group).ok_or("there is no such row group")?;
            batches.rows.open(&self.source, group, &self.places)
        };
        guarded(open).map_err(damage)
    }
}

/// All records of a file in memory: what tests and the mutation loop call.
pub fn all(bytes: Vec<u8>) -> Result<u64> {
    let groups = Groups::of_bytes(bytes)?;
    let failed = |error| ObserveError::io("Cannot read on", error);
    let mut rows = 0;
    let (mut batches, mut records) = (Batches::default(), TraceRecords::default());
    for group in 0..groups.count() {
        groups.open_rows(group, &mut batches).map_err(failed)?;
        let mut more = true;
        while more {
            records.clear();
            more = batches.next(&mut records).map_err(failed)?;
            rows += records.count() as u64;
        }
    }
    Ok(rows)
}

/// The rows of one row group, a batch at a time; for one after another, so that space is used again.
#[derive(Default)]
pub struct Batches {
    rows: GroupRows,
}

impl Batches {
    /// Adds the next batch; whether there are more.
    pub fn next(&mut self, out: &mut TraceRecords) -> io::Result<bool> {
        let rows = &mut self.rows;
        guarded(|| rows.read(BATCH, out)).map_err(damage)?;
        Ok(!self.rows.ended())
    }
}

/// The crate takes it for granted that columns lie within the file.
fn placed(metadata: &ParquetMetaData, len: u64) -> std::result::Result<(), String> {
    let columns = metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns);
    for column in columns {
        let data = column.data_page_offset();
        let start = column
            .dictionary_page_offset()
            .map_or(data, |dictionary| dictionary.min(data));
        let place = u64::try_from(start)
            .ok()
            .zip(u64::try_from(column.compressed_size()).ok());
        let end = place.and_then(|(start, size)| start.checked_add(size));
        if end.is_none_or(|end| end > len) || data < 0 {
            return Err("a column lies outside of it".to_owned());
        }
    }
    Ok(())
}

fn damage(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The `parquet` crate takes footers and page headers apart; where bytes are damaged it may panic.
fn guarded<T>(
    work: impl FnOnce() -> std::result::Result<T, String>,
) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("its bytes contradict each other".to_owned()))
}
