//! One page of a column: which rows have a value, and the values, as numbers. Texts are numbered too.

use std::collections::HashMap;

use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::Page;

use super::bits;

/// Values of a page; more are no sensible page and would take too much memory.
const MOST: usize = 1 << 22;
/// Different texts of a column; those past them are one.
const MOST_TEXTS: usize = 1 << 16;

/// A row without a value.
pub const NONE: i64 = i64::MIN;

/// What is wrong with a column.
pub type Fault = &'static str;

/// The texts of one column.
#[derive(Debug, Default)]
pub struct Texts {
    all: Vec<Box<[u8]>>,
    index: HashMap<Box<[u8]>, u32>,
}

impl Texts {
    /// By number.
    pub fn get(&self, number: i64) -> Option<&[u8]> {
        Some(self.all.get(usize::try_from(number).ok()?)?)
    }

    fn number(&mut self, text: &[u8]) -> i64 {
        if let Some(number) = self.index.get(text) {
            return i64::from(*number);
        }
        if self.all.len() >= MOST_TEXTS {
            return NONE;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(0);
        self.all.push(text.into());
        self.index.insert(text.into(), number);
        i64::from(number)
    }
}

/// Decodes the pages of one column of one row group.
pub struct Decoder {
    physical: Physical,
    optional: bool,
    dictionary: Vec<i64>,
    indices: Vec<u32>,
    levels: Vec<u32>,
    /// The texts, where the column has such.
    pub texts: Texts,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            physical: Physical::INT64,
            optional: true,
            dictionary: Vec::new(),
            indices: Vec::new(),
            levels: Vec::new(),
            texts: Texts::default(),
        }
    }
}

impl Decoder {
    /// For another column; the space stays.
    pub fn reset(&mut self, physical: Physical, optional: bool) {
        self.physical = physical;
        self.optional = optional;
        self.dictionary.clear();
        self.texts.all.clear();
        self.texts.index.clear();
    }

    /// Appends the values of a page; a dictionary has none.
    pub fn page(&mut self, page: &Page, out: &mut Vec<i64>) -> Result<(), Fault> {
        match page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => {
                let mut dictionary = std::mem::take(&mut self.dictionary);
                dictionary.clear();
                let count = number(*num_values)?;
                let done = self.plain(buf, count, &mut dictionary);
                self.dictionary = dictionary;
                done.ok_or("the dictionary is cut off")
            }
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                ..
            } => {
                let mut rest: &[u8] = buf;
                let count = number(*num_values)?;
                if self.optional {
                    if *def_level_encoding != Encoding::RLE {
                        return Err("its levels are in an encoding that is not known");
                    }
                    let (len, after) = rest.split_first_chunk::<4>().ok_or(CUT)?;
                    let len = usize::try_from(u32::from_le_bytes(*len)).map_err(|_| CUT)?;
                    let (levels, after) = after.split_at_checked(len).ok_or(CUT)?;
                    self.levels(levels, count)?;
                    rest = after;
                }
                self.values(rest, *encoding, count, out)
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let count = number(*num_values)?;
                let skip = usize::try_from(*rep_levels_byte_len).map_err(|_| CUT)?;
                let len = usize::try_from(*def_levels_byte_len).map_err(|_| CUT)?;
                let rest = buf.get(skip..).ok_or(CUT)?;
                let (levels, rest) = rest.split_at_checked(len).ok_or(CUT)?;
                if self.optional {
                    self.levels(levels, count)?;
                }
                self.values(rest, *encoding, count, out)
            }
        }
    }

    fn levels(&mut self, bytes: &[u8], count: usize) -> Result<(), Fault> {
        self.levels.clear();
        // No levels: every row has a value.
        if bits::constant(bytes, 1, count) == Some(1) {
            return Ok(());
        }
        bits::hybrid(bytes, 1, count, &mut self.levels).ok_or("its levels are damaged")
    }

    fn values(
        &mut self,
        bytes: &[u8],
        encoding: Encoding,
        count: usize,
        out: &mut Vec<i64>,
    ) -> Result<(), Fault> {
        let missing = if self.optional {
            self.levels.iter().filter(|level| **level == 0).count()
        } else {
            0
        };
        let present = count - missing.min(count);
        let before = out.len();
        let done = match encoding {
            _ if present == 0 => Some(()),
            Encoding::PLAIN => self.plain(bytes, present, out),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                self.by_dictionary(bytes, present, out)
            }
            Encoding::DELTA_BINARY_PACKED if self.physical != Physical::BYTE_ARRAY => {
                bits::delta(bytes, present, out)
            }
            _ => return Err("it is in an encoding that is not read here: use plain or dictionary"),
        };
        if done.is_none() || out.len() - before != present {
            return Err("a page does not hold as many values as it says");
        }
        if missing > 0 {
            self.spread(before, count, out);
        }
        Ok(())
    }

    /// Puts values where their rows are, from the last to the first.
    fn spread(&self, before: usize, count: usize, out: &mut Vec<i64>) {
        let mut from = out.len();
        out.resize(before + count, NONE);
        for (index, level) in self.levels.iter().enumerate().rev() {
            let mut value = NONE;
            if *level != 0 && from > before {
                from -= 1;
                value = out.get(from).copied().unwrap_or(NONE);
            }
            if let Some(slot) = out.get_mut(before + index) {
                *slot = value;
            }
        }
    }

    fn plain(&mut self, bytes: &[u8], count: usize, out: &mut Vec<i64>) -> Option<()> {
        match self.physical {
            Physical::INT64 => {
                let bytes = bytes.get(..count.checked_mul(8)?)?;
                out.extend(
                    bytes
                        .chunks_exact(8)
                        .filter_map(|b| Some(i64::from_le_bytes(*b.first_chunk()?))),
                );
            }
            Physical::INT32 => {
                let bytes = bytes.get(..count.checked_mul(4)?)?;
                let each = bytes.chunks_exact(4);
                out.extend(
                    each.filter_map(|b| Some(i64::from(i32::from_le_bytes(*b.first_chunk()?)))),
                );
            }
            Physical::BYTE_ARRAY => {
                let mut rest = bytes;
                for _ in 0..count {
                    let (len, after) = rest.split_first_chunk::<4>()?;
                    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
                    let (text, after) = after.split_at_checked(len)?;
                    out.push(self.texts.number(text));
                    rest = after;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn by_dictionary(&mut self, bytes: &[u8], count: usize, out: &mut Vec<i64>) -> Option<()> {
        let (width, rest) = bytes.split_first()?;
        if let Some(index) = bits::constant(rest, u32::from(*width), count) {
            let value = *self.dictionary.get(index as usize)?;
            out.resize(out.len() + count, value);
            return Some(());
        }
        bits::hybrid(rest, u32::from(*width), count, &mut self.indices)?;
        let dictionary = self.dictionary.as_slice();
        let mut bad = false;
        out.extend(self.indices.iter().map(|index| {
            let value = dictionary.get(*index as usize).copied();
            bad |= value.is_none();
            value.unwrap_or(NONE)
        }));
        (!bad).then_some(())
    }
}

const CUT: Fault = "a page is cut off";

fn number(count: u32) -> Result<usize, Fault> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > MOST {
        return Err("a page has more than four million values");
    }
    Ok(count)
}
