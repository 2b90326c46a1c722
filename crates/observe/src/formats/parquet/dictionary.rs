//! The different values of a column, which its pages are numbers of.

use super::value::Value;

/// Numbers of so many bits need no comparison each.
const SMALL: usize = 256;

/// The values, by number.
pub struct Dictionary<T> {
    /// And what stands for none, up to [`SMALL`].
    values: Vec<T>,
    known: usize,
    /// Whether every number is its value.
    same: bool,
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            known: 0,
            same: false,
        }
    }
}

impl<T: Value> Dictionary<T> {
    /// Other values.
    pub fn fill(&mut self, add: impl FnOnce(&mut Vec<T>) -> Option<()>) -> Option<()> {
        self.values.clear();
        let done = add(&mut self.values);
        let mut all = self.values.iter().zip(0..);
        self.same = all.all(|(value, index)| T::of_index(index) == Some(*value));
        self.known = self.values.len();
        self.values.resize(self.known.max(SMALL), T::MISSING);
        done
    }

    /// One of them.
    pub fn one(&self, index: u32) -> Option<T> {
        let known = self.values.get(..self.known)?;
        known.get(index as usize).copied()
    }

    /// Appends some of them; `None` where it has not all.
    #[inline]
    pub fn all(&self, indices: &[u32], out: &mut Vec<T>) -> Option<()> {
        // The sign of a number or of a difference says whether one is past the last: no branch each.
        let last = u32::try_from(self.known.checked_sub(1)?).ok()?;
        let past = |any, index: &u32| any | *index | last.wrapping_sub(*index);
        if indices.iter().fold(0, past) >> 31 != 0 {
            return None;
        }
        let indices = indices.iter();
        if self.same {
            out.extend(indices.map(|index| T::of_index(*index).unwrap_or(T::MISSING)));
        } else if self.known <= SMALL {
            let small: &[T; SMALL] = self.values.first_chunk()?;
            let of = |index: &u32| small.get(usize::from(index.to_le_bytes()[0])).copied();
            out.extend(indices.map(|index| of(index).unwrap_or(T::MISSING)));
        } else {
            let of = |index: &u32| self.values.get(*index as usize).copied();
            out.extend(indices.map(|index| of(index).unwrap_or(T::MISSING)));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: Value>(values: Vec<T>, indices: &[u32]) -> Option<Vec<T>> {
        let mut dictionary = Dictionary::default();
        dictionary.fill(|to| {
            to.extend(values);
            Some(())
        });
        let mut out = Vec::new();
        dictionary.all(indices, &mut out)?;
        assert!(
            out.iter()
                .zip(indices)
                .all(|(value, index)| dictionary.one(*index) == Some(*value))
        );
        Some(out)
    }

    #[test]
    fn values_by_number_whatever_their_kind() {
        assert_eq!(all(vec![7_i64, 8, 9], &[2, 0]), Some(vec![9, 7]));
        assert_eq!(all(vec![7_i64, 8, 9], &[2, 3]), None);
        assert_eq!(all(Vec::<i64>::new(), &[0]), None);
        assert_eq!(all(vec![0_u32, 1, 2], &[2, 0, 1]), Some(vec![2, 0, 1]));
        assert_eq!(all(vec![0_u32, 1, 2], &[3]), None);
        assert_eq!(all(vec![1_u32, 0], &[0, 1]), Some(vec![1, 0]));
        let many: Vec<i64> = (0..300).map(|value| value * 2).collect();
        assert_eq!(all(many.clone(), &[299, 256]), Some(vec![598, 512]));
        assert_eq!(all(many.clone(), &[300]), None);
        assert_eq!(all(many, &[u32::MAX]), None);
    }
}
