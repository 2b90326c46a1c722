//! One page of a column: which rows have a value, and the values.

use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::Page;

use super::bits::{self, Run};
use super::dictionary::Dictionary;
use super::value::{Names, Value};

/// Values of a page; more are no sensible page and would take too much memory.
const MOST: usize = 1 << 22;

/// What is wrong with a column.
pub type Fault = &'static str;

const CUT: Fault = "a page is cut off";

/// Decodes the pages of one column of one row group.
pub struct Decoder<T> {
    physical: Physical,
    optional: bool,
    dictionary: Dictionary<T>,
    /// Sums of differences before they become values.
    sums: Vec<u64>,
    /// Which rows of a page have a value; nothing where all have.
    present: Vec<bool>,
    /// What its numbers stand for, where they are no values.
    pub names: Names,
}

impl<T> Default for Decoder<T> {
    fn default() -> Self {
        Self {
            physical: Physical::INT64,
            optional: true,
            dictionary: Dictionary::default(),
            sums: Vec::new(),
            present: Vec::new(),
            names: Names::default(),
        }
    }
}

impl<T: Value> Decoder<T> {
    /// For another column; the space stays.
    pub fn reset(&mut self, physical: Physical, optional: bool) {
        self.physical = physical;
        self.optional = optional;
        self.dictionary.fill(|_| Some(()));
        self.names.clear();
    }

    /// Appends the values of a page; a dictionary has none.
    pub fn page(&mut self, page: &Page, out: &mut Vec<T>) -> Result<(), Fault> {
        let count = number(page.num_values())?;
        match page {
            Page::DictionaryPage { buf, .. } => {
                let mut dictionary = std::mem::take(&mut self.dictionary);
                let done = dictionary.fill(|values| self.plain(buf, count, values));
                self.dictionary = dictionary;
                done.ok_or("the dictionary is cut off")
            }
            Page::DataPage {
                buf,
                encoding,
                def_level_encoding,
                ..
            } => {
                let mut rest: &[u8] = buf;
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
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
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
        let present = &mut self.present;
        present.clear();
        if bits::constant(bytes, 1, count) == Some(1) {
            return Ok(());
        }
        let add = |run: Run| {
            match run {
                Run::Same(level, times) => present.resize(present.len() + times, level != 0),
                Run::Each(levels) => present.extend(levels.iter().map(|level| *level != 0)),
            }
            Some(())
        };
        bits::hybrid(bytes, 1, count, add).ok_or("its levels are damaged")
    }

    fn values(
        &mut self,
        bytes: &[u8],
        encoding: Encoding,
        count: usize,
        out: &mut Vec<T>,
    ) -> Result<(), Fault> {
        let missing = if self.optional {
            self.present.iter().filter(|present| !**present).count()
        } else {
            0
        };
        let present = count - missing.min(count);
        let before = out.len();
        out.reserve(count);
        let done = match encoding {
            _ if present == 0 => Some(()),
            Encoding::PLAIN => self.plain(bytes, present, out),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                self.by_dictionary(bytes, present, out)
            }
            Encoding::DELTA_BINARY_PACKED if self.physical != Physical::BYTE_ARRAY => {
                self.by_differences(bytes, present, out)
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
    fn spread(&self, before: usize, count: usize, out: &mut Vec<T>) {
        let mut from = out.len();
        out.resize(before + count, T::MISSING);
        for (index, present) in self.present.iter().enumerate().rev() {
            let mut value = T::MISSING;
            if *present && from > before {
                from -= 1;
                value = out.get(from).copied().unwrap_or(value);
            }
            if let Some(slot) = out.get_mut(before + index) {
                *slot = value;
            }
        }
    }

    fn plain(&mut self, bytes: &[u8], count: usize, out: &mut Vec<T>) -> Option<()> {
        let names = &mut self.names;
        match self.physical {
            Physical::INT64 => {
                let (all, _) = bytes.get(..count.checked_mul(8)?)?.as_chunks();
                let numbers = all.iter().map(|bytes| i64::from_le_bytes(*bytes));
                out.extend(numbers.map(|number| T::of_number(number, names)));
            }
            Physical::INT32 => {
                let (all, _) = bytes.get(..count.checked_mul(4)?)?.as_chunks();
                let numbers = all.iter().map(|bytes| i32::from_le_bytes(*bytes));
                out.extend(numbers.map(|number| T::of_number(i64::from(number), names)));
            }
            Physical::BYTE_ARRAY => {
                let mut rest = bytes;
                for _ in 0..count {
                    let (len, after) = rest.split_first_chunk::<4>()?;
                    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
                    let (text, after) = after.split_at_checked(len)?;
                    out.push(T::of_text(text, names));
                    rest = after;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn by_dictionary(&self, bytes: &[u8], count: usize, out: &mut Vec<T>) -> Option<()> {
        let (width, rest) = bytes.split_first()?;
        bits::hybrid(rest, u32::from(*width), count, |run| {
            match run {
                Run::Same(index, times) => {
                    out.resize(out.len() + times, self.dictionary.one(index)?);
                }
                Run::Each(indices) => self.dictionary.all(indices, out)?,
            }
            Some(())
        })
    }

    fn by_differences(&mut self, bytes: &[u8], most: usize, out: &mut Vec<T>) -> Option<()> {
        if self.physical == Physical::INT64
            && let Some(column) = T::direct(out)
        {
            return straight(bytes, most, column);
        }
        self.sums.clear();
        bits::delta(bytes, most, &mut self.sums)?;
        let names = &mut self.names;
        let sums = self.sums.iter().map(|sum| sum.cast_signed());
        if self.physical == Physical::INT32 {
            // Numbers of 32 bits wrap at 32 bits.
            #[allow(clippy::cast_possible_truncation)]
            let narrow = sums.map(|sum| i64::from(sum as i32));
            out.extend(narrow.map(|sum| T::of_number(sum, names)));
        } else {
            out.extend(sums.map(|sum| T::of_number(sum, names)));
        }
        Some(())
    }
}

/// Differences of numbers that are values unless they are negative.
fn straight(bytes: &[u8], most: usize, out: &mut Vec<u64>) -> Option<()> {
    let before = out.len();
    bits::delta(bytes, most, out)?;
    let sums = out.get_mut(before..)?;
    if sums.iter().fold(0, |all, sum| all | sum) >> 63 != 0 {
        for sum in sums {
            *sum = u64::of_number(sum.cast_signed(), &mut Names::default());
        }
    }
    Some(())
}

fn number(count: u32) -> Result<usize, Fault> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > MOST {
        return Err("a page has more than four million values");
    }
    Ok(count)
}
