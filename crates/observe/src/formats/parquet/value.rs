//! What the values of a column become: numbers as they are, texts their numbers, operations at once.

use std::collections::HashMap;

use crate::record::{NO_LATENCY, Op};

/// Different texts of a column; those past them are one.
const MOST_TEXTS: usize = 1 << 16;

/// The texts of one column.
#[derive(Debug, Default)]
pub struct Texts {
    all: Vec<Box<[u8]>>,
    index: HashMap<Box<[u8]>, u32>,
}

impl Texts {
    /// By number.
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        Some(self.all.get(usize::try_from(number).ok()?)?)
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.all.iter().map(|text| &**text)
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.all.clear();
        self.index.clear();
    }

    fn number(&mut self, text: &[u8]) -> u32 {
        if let Some(number) = self.index.get(text) {
            return *number;
        }
        if self.all.len() >= MOST_TEXTS {
            return u32::MISSING;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MISSING);
        self.all.push(text.into());
        self.index.insert(text.into(), number);
        number
    }
}

/// A value of a column, in the form that is wanted of it.
pub trait Value: Copy {
    /// Of a row that has none.
    const MISSING: Self;

    /// Of a number.
    fn of_number(_: i64) -> Self {
        Self::MISSING
    }

    /// Of a text.
    fn of_text(_: &[u8], _: &mut Texts) -> Self {
        Self::MISSING
    }
}

/// Any number.
impl Value for i64 {
    const MISSING: Self = Self::MIN;

    #[inline]
    fn of_number(number: i64) -> Self {
        number
    }
}

/// Numbers that are not negative: those that are, are missing.
impl Value for u64 {
    const MISSING: Self = NO_LATENCY;

    #[inline]
    fn of_number(number: i64) -> Self {
        // All bits where the sign is set: without a branch.
        (number | number >> 63).cast_unsigned()
    }
}

/// Texts.
impl Value for u32 {
    const MISSING: Self = Self::MAX;

    fn of_text(text: &[u8], texts: &mut Texts) -> Self {
        texts.number(text)
    }
}

/// The names of [`Op`], and the letters of other tools.
impl Value for Option<Op> {
    const MISSING: Self = None;

    fn of_text(text: &[u8], _: &mut Texts) -> Self {
        let is = |op: &Op| op.name().as_bytes().eq_ignore_ascii_case(text);
        Op::ALL.into_iter().find(is).or(match text {
            b"R" | b"r" => Some(Op::Read),
            b"W" | b"w" => Some(Op::Write),
            b"D" | b"d" | b"trim" => Some(Op::Discard),
            b"F" | b"f" => Some(Op::Flush),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_are_no_offset_and_no_latency() {
        assert_eq!(u64::of_number(-1), u64::MISSING);
        assert_eq!(u64::of_number(i64::MIN), u64::MISSING);
        assert_eq!(u64::of_number(i64::MAX), i64::MAX.cast_unsigned());
    }

    #[test]
    fn operations_have_names_and_letters() {
        let op = |text: &[u8]| <Option<Op>>::of_text(text, &mut Texts::default());
        assert_eq!(op(b"WRITE"), Some(Op::Write));
        assert_eq!(op(b"trim"), Some(Op::Discard));
        assert_eq!(op(b"x"), None);
    }
}
