//! One column of one row group, so many rows at a time, whatever its pages are.

use parquet::basic::{Repetition, Type as Physical};
use parquet::column::page::PageReader;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

use super::page::{Decoder, NONE, Texts};

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

/// The values of a column that are decoded and not used yet.
#[derive(Default)]
pub struct Column {
    name: &'static str,
    pages: Option<Box<dyn PageReader>>,
    decoder: Decoder,
    values: Vec<i64>,
    used: usize,
}

impl Column {
    /// To the first row of a row group; the space stays. A column that the file has not is without any
    /// value.
    pub fn open(
        &mut self,
        name: &'static str,
        group: &dyn RowGroupReader,
        place: Option<Place>,
    ) -> Result<(), String> {
        self.pages = None;
        self.name = name;
        self.values.clear();
        self.used = 0;
        self.decoder.reset(Physical::INT64, true);
        if let Some(place) = place {
            let pages = group.get_column_page_reader(place.index);
            self.pages = Some(pages.map_err(|e| fault(name, &e.to_string()))?);
            self.decoder.reset(place.physical, place.optional);
        }
        Ok(())
    }

    /// Sees to it that the next `rows` are there.
    pub fn load(&mut self, rows: usize) -> Result<(), String> {
        if self.values.len() - self.used.min(self.values.len()) >= rows {
            return Ok(());
        }
        self.values.drain(..self.used.min(self.values.len()));
        self.used = 0;
        let Some(pages) = &mut self.pages else {
            self.values.resize(rows, NONE);
            return Ok(());
        };
        while self.values.len() < rows {
            let page = pages
                .get_next_page()
                .map_err(|e| fault(self.name, &e.to_string()))?;
            let Some(page) = page else {
                return Err(fault(self.name, "it has fewer rows than its row group"));
            };
            self.decoder
                .page(&page, &mut self.values)
                .map_err(|what| fault(self.name, what))?;
        }
        Ok(())
    }

    /// The next rows, which are there.
    pub fn values(&self, rows: usize) -> &[i64] {
        let end = self.used.saturating_add(rows);
        self.values.get(self.used..end).unwrap_or_default()
    }

    /// They are not needed any more.
    pub const fn used(&mut self, rows: usize) {
        self.used += rows;
    }

    /// The texts that its values are numbers of.
    pub const fn texts(&self) -> &Texts {
        &self.decoder.texts
    }
}

fn fault(name: &str, what: &str) -> String {
    format!("The column `{name}`: {what}")
}
