//! One column of one row group, a batch of rows at a time.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Type as Physical;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::source::ParquetBytes;

/// Values of a page; more are no sensible page and would take too much memory.
const MOST_IN_PAGE: usize = 1 << 22;

/// The place of a column in the file.
#[derive(Clone, Debug)]
pub struct ColumnPlace {
    index: usize,
    column: ColumnDescPtr,
}

impl ColumnPlace {
    /// The column with this name, where it is of such a type.
    pub fn find(schema: &SchemaDescriptor, name: &str, text: bool) -> Result<Option<Self>, String> {
        let mut columns = schema.columns().iter().enumerate();
        let found = columns.find(|(_, column)| column.path().string() == name);
        let Some((index, column)) = found else {
            return Ok(None);
        };
        let known = match column.physical_type() {
            Physical::BYTE_ARRAY => text,
            Physical::INT32 | Physical::INT64 => !text,
            _ => false,
        };
        if !known || column.max_rep_level() > 0 || column.max_def_level() > 1 {
            let wanted = if text {
                "text"
            } else {
                "a number of 32 or 64 bits"
            };
            return Err(format!("The column `{name}` is not {wanted}"));
        }
        let column = Arc::clone(column);
        Ok(Some(Self { index, column }))
    }

    /// The column in a row group.
    pub fn in_group(
        &self,
        bytes: &ParquetBytes,
        group: &RowGroupMetaData,
    ) -> Result<GroupColumn, String> {
        let name = self.column.path().string();
        let pages = self
            .pages(bytes, group)
            .map_err(|error| format!("The column `{name}`: {error}"))?;
        let pages = Box::new(BoundedPages(pages));
        let reader = match get_column_reader(Arc::clone(&self.column), pages) {
            ColumnReader::Int32ColumnReader(reader) => ColumnValues::Short(reader),
            ColumnReader::Int64ColumnReader(reader) => ColumnValues::Long(reader),
            ColumnReader::ByteArrayColumnReader(reader) => ColumnValues::Text(reader),
            _ => {
                return Err(format!(
                    "The column `{name}` is of a type that no trace has"
                ));
            }
        };
        let optional = self.column.max_def_level() > 0;
        Ok(GroupColumn {
            name,
            reader,
            optional,
            levels: Vec::new(),
        })
    }

    fn pages(
        &self,
        bytes: &ParquetBytes,
        group: &RowGroupMetaData,
    ) -> ParquetResult<SerializedPageReader<ParquetBytes>> {
        let rows = usize::try_from(group.num_rows())?;
        SerializedPageReader::new(
            Arc::new(bytes.clone()),
            group.column(self.index),
            rows,
            None,
        )
    }
}

/// A column that is being read from its first row on.
pub struct GroupColumn {
    name: String,
    reader: ColumnValues,
    optional: bool,
    /// 1 for each row that has a value, 0 for the others.
    levels: Vec<i16>,
}

enum ColumnValues {
    Short(ColumnReaderImpl<Int32Type>),
    Long(ColumnReaderImpl<Int64Type>),
    Text(ColumnReaderImpl<ByteArrayType>),
}

impl GroupColumn {
    /// Appends the numbers of the next `rows`; [`i64::MIN`] where there is none.
    pub fn numbers(&mut self, rows: usize, out: &mut Vec<i64>) -> Result<(), String> {
        match &mut self.reader {
            ColumnValues::Long(_) if !self.optional => self.read(rows, out, long),
            ColumnValues::Long(_) => {
                let mut values = Vec::with_capacity(rows);
                self.read(rows, &mut values, long)?;
                self.spread(values.into_iter(), i64::MIN, out);
                Ok(())
            }
            ColumnValues::Short(_) => {
                let mut values = Vec::with_capacity(rows);
                self.read(rows, &mut values, short)?;
                self.spread(values.into_iter().map(i64::from), i64::MIN, out);
                Ok(())
            }
            ColumnValues::Text(_) => Err(self.fault("it holds text")),
        }
    }

    /// Appends the texts of the next `rows`; empty ones where there is none.
    pub fn texts(&mut self, rows: usize, out: &mut Vec<ByteArray>) -> Result<(), String> {
        let mut values = Vec::with_capacity(rows);
        self.read(rows, &mut values, text)?;
        self.spread(values.into_iter(), ByteArray::from(Bytes::new()), out);
        Ok(())
    }

    fn read<T: DataType>(
        &mut self,
        rows: usize,
        values: &mut Vec<T::T>,
        reader: fn(&mut ColumnValues) -> Option<&mut ColumnReaderImpl<T>>,
    ) -> Result<(), String> {
        self.levels.clear();
        let levels = self.optional.then_some(&mut self.levels);
        let Some(reader) = reader(&mut self.reader) else {
            return Err(self.fault("it is of another type"));
        };
        let read = reader.read_records(rows, levels, None, values);
        match read {
            Ok((records, _, _)) if records == rows => Ok(()),
            Ok(_) => Err(self.fault("it has fewer rows than its row group")),
            Err(error) => Err(self.fault(&error.to_string())),
        }
    }

    /// Puts the values to their rows.
    fn spread<T: Clone>(&self, mut values: impl Iterator<Item = T>, missing: T, out: &mut Vec<T>) {
        if !self.optional {
            return out.extend(values);
        }
        let of_level = |level: &i16| match level {
            0 => missing.clone(),
            _ => values.next().unwrap_or_else(|| missing.clone()),
        };
        out.extend(self.levels.iter().map(of_level));
    }

    fn fault(&self, what: &str) -> String {
        format!("The column `{}`: {what}", self.name)
    }
}

const fn short(values: &mut ColumnValues) -> Option<&mut ColumnReaderImpl<Int32Type>> {
    match values {
        ColumnValues::Short(reader) => Some(reader),
        _ => None,
    }
}

const fn long(values: &mut ColumnValues) -> Option<&mut ColumnReaderImpl<Int64Type>> {
    match values {
        ColumnValues::Long(reader) => Some(reader),
        _ => None,
    }
}

const fn text(values: &mut ColumnValues) -> Option<&mut ColumnReaderImpl<ByteArrayType>> {
    match values {
        ColumnValues::Text(reader) => Some(reader),
        _ => None,
    }
}

/// Pages whose number of values fits their bytes: the crate takes memory for a dictionary by that number.
struct BoundedPages<P>(P);

impl<P: PageReader> BoundedPages<P> {
    fn checked(page: Page) -> ParquetResult<Page> {
        let count = usize::try_from(page.num_values()).unwrap_or(usize::MAX);
        // A number of a dictionary has four bytes at least, and a text as many for its length.
        let most = match &page {
            Page::DictionaryPage { buf, .. } => buf.len() / 4,
            _ => MOST_IN_PAGE,
        };
        if count > most.min(MOST_IN_PAGE) {
            let what = format!("a page of {count} values has no room for them");
            return Err(ParquetError::General(what));
        }
        Ok(page)
    }
}

impl<P: PageReader> Iterator for BoundedPages<P> {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for BoundedPages<P> {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.0.get_next_page()?.map(Self::checked).transpose()
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.0.skip_next_page()
    }
}
