//! One column of one row group, so many rows at a time, whatever its pages are.

use std::sync::Arc;

use parquet::basic::{Repetition, Type as Physical};
use parquet::column::page::PageReader;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::SchemaDescriptor;

use super::page::Decoder;
use super::source::{Ahead, At};
use super::value::{Names, Value};

/// Where a column is in the file.
#[derive(Copy, Clone, Debug)]
pub struct Place {
    index: usize,
    physical: Physical,
    optional: bool,
}

impl Place {
    /// The column with this name, where it is of such a type.
    pub fn find(schema: &SchemaDescriptor, name: &str, text: bool) -> Result<Option<Self>, String> {
        let mut columns = schema.columns().iter().enumerate();
        let Some((index, column)) = columns.find(|(_, column)| column.path().string() == name)
        else {
            return Ok(None);
        };
        let physical = column.physical_type();
        let known = match physical {
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
        let optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
        Ok(Some(Self {
            index,
            physical,
            optional,
        }))
    }
}

/// A column of one row group.
pub struct Chunk<'a> {
    place: Place,
    at: &'a At,
    group: &'a RowGroupMetaData,
}

impl Place {
    /// The column in a row group.
    pub const fn in_group<'a>(self, at: &'a At, group: &'a RowGroupMetaData) -> Chunk<'a> {
        Chunk {
            place: self,
            at,
            group,
        }
    }
}

impl Chunk<'_> {
    fn pages(&self) -> parquet::errors::Result<Pages> {
        let column = self.group.column(self.place.index);
        let rows = usize::try_from(self.group.num_rows())?;
        let source = Arc::new(Ahead::new(self.at.clone()));
        SerializedPageReader::new(source, column, rows, None)
    }
}

type Pages = SerializedPageReader<Ahead>;

/// One column of the row group that is being read.
pub struct Column<T> {
    name: &'static str,
    pages: Option<Pages>,
    decoder: Decoder<T>,
    /// Of the last page, what did not fit into the rows that were asked for.
    values: Vec<T>,
    used: usize,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self {
            name: "",
            pages: None,
            decoder: Decoder::default(),
            values: Vec::new(),
            used: 0,
        }
    }
}

impl<T: Value> Column<T> {
    /// To its first row in a row group; the space stays. A column that the file has not is without any
    /// value.
    pub fn open(&mut self, name: &'static str, chunk: Option<Chunk<'_>>) -> Result<(), String> {
        self.pages = None;
        self.name = name;
        self.values.clear();
        self.used = 0;
        self.decoder.reset(Physical::INT64, true);
        if let Some(chunk) = chunk {
            let pages = chunk.pages().map_err(|e| self.fault(&e.to_string()))?;
            self.pages = Some(pages);
            let place = chunk.place;
            self.decoder.reset(place.physical, place.optional);
        }
        Ok(())
    }

    /// Appends the values of the next `rows`. Pages go straight there; the one that is not used up waits.
    pub fn read(&mut self, rows: usize, out: &mut Vec<T>) -> Result<(), String> {
        let end = out.len() + rows;
        self.take(rows, out);
        while out.len() < end {
            let Some(pages) = &mut self.pages else {
                out.resize(end, T::MISSING);
                return Ok(());
            };
            let page = match pages.get_next_page() {
                Ok(Some(page)) => page,
                Ok(None) => return Err(self.fault("it has fewer rows than its row group")),
                Err(error) => return Err(self.fault(&error.to_string())),
            };
            let missing = end - out.len();
            let whole = usize::try_from(page.num_values()).is_ok_and(|count| count <= missing);
            let to = if whole { &mut *out } else { &mut self.values };
            self.decoder
                .page(&page, to)
                .map_err(|what| self.fault(what))?;
            self.take(missing, out);
        }
        Ok(())
    }

    /// Values that wait, as many as there are.
    fn take(&mut self, most: usize, out: &mut Vec<T>) {
        let rest = self.values.get(self.used..).unwrap_or_default();
        let some = rest.get(..most).unwrap_or(rest);
        out.extend_from_slice(some);
        self.used += some.len();
        if self.used == self.values.len() {
            self.values.clear();
            self.used = 0;
        }
    }

    /// What its values are numbers of.
    pub const fn names(&self) -> &Names {
        &self.decoder.names
    }

    fn fault(&self, what: &str) -> String {
        format!("The column `{}`: {what}", self.name)
    }
}
