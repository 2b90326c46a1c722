//! What the values of a column become: numbers as they are, texts their numbers, operations at once.

use std::collections::HashMap;

use crate::record::{NO_LATENCY, Op};

/// Different names of a column; those past them are one.
const MOST_NAMES: usize = 1 << 16;
/// Names found without a search; a power of two.
const NEAR: usize = 256;

/// What the numbers of one column stand for: texts, or numbers of eight bytes.
#[derive(Debug, Default)]
pub struct Names {
    all: Vec<Box<[u8]>>,
    index: HashMap<Box<[u8]>, u32>,
    near: Vec<u32>,
}

impl Names {
    /// By number.
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        Some(self.all.get(usize::try_from(number).ok()?)?)
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.all.iter().map(|name| &**name)
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.all.clear();
        self.index.clear();
    }

    fn number(&mut self, name: &[u8]) -> u32 {
        let mixed = name.iter().fold(name.len(), |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
        });
        self.near.resize(NEAR, 0);
        if let Some(near) = self.near.get(mixed % NEAR)
            && self.get(*near) == Some(name)
        {
            return *near;
        }
        let number = self.searched(name);
        if let Some(near) = self.near.get_mut(mixed % NEAR) {
            *near = number;
        }
        number
    }

    fn searched(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.index.get(name) {
            return *number;
        }
        if self.all.len() >= MOST_NAMES {
            return u32::MISSING;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MISSING);
        self.all.push(name.into());
        self.index.insert(name.into(), number);
        number
    }
}

/// A value of a column, in the form that is wanted of it.
pub trait Value: Copy + PartialEq {
    /// Of a row that has none.
    const MISSING: Self;

    /// Of a number.
    fn of_number(_: i64, _: &mut Names) -> Self {
        Self::MISSING
    }

    /// Of a text.
    fn of_text(_: &[u8], _: &mut Names) -> Self {
        Self::MISSING
    }

    /// The column, where numbers may be put there as they are; those that are negative are then given to
    /// [`Self::of_number`].
    fn direct(_: &mut Vec<Self>) -> Option<&mut Vec<u64>> {
        None
    }

    /// The number of a name, where that is the value.
    fn of_index(_: u32) -> Option<Self> {
        None
    }
}

/// Any number.
impl Value for i64 {
    const MISSING: Self = Self::MIN;

    #[inline]
    fn of_number(number: i64, _: &mut Names) -> Self {
        number
    }
}

/// Numbers that are not negative: those that are, are missing.
impl Value for u64 {
    const MISSING: Self = NO_LATENCY;

    #[inline]
    fn of_number(number: i64, _: &mut Names) -> Self {
        // All bits where the sign is set: without a branch.
        (number | number >> 63).cast_unsigned()
    }

    fn direct(column: &mut Vec<Self>) -> Option<&mut Vec<u64>> {
        Some(column)
    }
}

/// Names.
impl Value for u32 {
    const MISSING: Self = Self::MAX;

    fn of_number(number: i64, names: &mut Names) -> Self {
        names.number(&number.to_le_bytes())
    }

    fn of_text(text: &[u8], names: &mut Names) -> Self {
        names.number(text)
    }

    #[inline]
    fn of_index(index: u32) -> Option<Self> {
        Some(index)
    }
}

/// The names of [`Op`], and the letters of other tools.
impl Value for Option<Op> {
    const MISSING: Self = None;

    fn of_text(text: &[u8], _: &mut Names) -> Self {
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
        let of = |number| u64::of_number(number, &mut Names::default());
        assert_eq!(of(-1), u64::MISSING);
        assert_eq!(of(i64::MIN), u64::MISSING);
        assert_eq!(of(i64::MAX), i64::MAX.cast_unsigned());
    }

    #[test]
    fn operations_have_names_and_letters() {
        let op = |text: &[u8]| <Option<Op>>::of_text(text, &mut Names::default());
        assert_eq!(op(b"WRITE"), Some(Op::Write));
        assert_eq!(op(b"trim"), Some(Op::Discard));
        assert_eq!(op(b"x"), None);
    }

    #[test]
    fn names_are_numbered_as_they_come_and_not_without_end() {
        let mut names = Names::default();
        let wanted = |number: u32| number % 70_000;
        for number in 0..140_000 {
            let is = u32::of_number(i64::from(wanted(number)), &mut names);
            let known = wanted(number) < 1 << 16;
            assert_eq!(is, if known { wanted(number) } else { u32::MISSING });
        }
        assert_eq!(names.get(300), Some(&300_i64.to_le_bytes()[..]));
    }
}
