//! Whose the I/Os are: pairs of a pid and a name.

use super::value::{Names, Value};
use crate::record::{self, Process};

/// As many pairs as there may be have a place each.
const PLACES: usize = 1 << 14;
/// Pairs found without a search where there may be more; a power of two.
const NEAR: usize = 256;
/// A pair that was not met yet.
const UNMET: u32 = u32::MAX - 1;
/// So many processes keep their numbers from one batch to the next: nothing is to be renumbered then.
const FAMILIAR: usize = 64;

/// Numbers of the column of pids and of that of names.
pub type Pairs<'a> = (&'a [u32], &'a [u32]);
/// What they stand for.
pub type Known<'a> = (&'a Names, &'a Names);

/// Numbers the processes of one batch after the other.
#[derive(Default)]
pub struct Owners {
    familiar: Vec<Process>,
    /// By place of a pair.
    numbers: Vec<u32>,
    /// Whether these are those of the next batch too.
    lasting: bool,
    places: Vec<u32>,
}

impl Owners {
    /// The columns stand for something else now.
    pub const fn forget(&mut self) {
        self.lasting = false;
    }

    /// Appends the number of each pair in `names`.
    pub fn number(
        &mut self,
        pairs: Pairs<'_>,
        known: Known<'_>,
        names: &mut record::Names,
        out: &mut Vec<u32>,
    ) {
        self.lasting &= names.processes().is_empty();
        if names.processes().is_empty() {
            for process in &self.familiar {
                names.process(process.pid, process.name.as_bytes());
            }
        }
        let bits = (known.1.len() + 1).next_power_of_two().ilog2();
        let all = (known.0.len() + 1) << bits;
        if all <= PLACES {
            // A page may have brought further names.
            if !self.lasting || self.numbers.len() != all {
                self.numbers.clear();
                self.numbers.resize(all, UNMET);
            }
            self.by_place(pairs, (known, bits), names, out);
        } else {
            nearby(pairs, known, names, out);
        }
        let met = names.processes();
        if met.len() > self.familiar.len() && met.len() <= FAMILIAR {
            self.familiar = met.to_vec();
        }
        self.lasting = met.len() == self.familiar.len();
    }

    fn by_place(
        &mut self,
        (pids, texts): Pairs<'_>,
        (known, bits): (Known<'_>, u32),
        names: &mut record::Names,
        out: &mut Vec<u32>,
    ) {
        // What is missing is the first.
        let place = |(pid, text): (&u32, &u32)| pid.wrapping_add(1) << bits | text.wrapping_add(1);
        self.places.clear();
        self.places.extend(pids.iter().zip(texts).map(place));
        let from = out.len();
        let numbers = self.numbers.as_slice();
        let number = |place: &u32| numbers.get(*place as usize).copied().unwrap_or(UNMET);
        out.extend(self.places.iter().map(number));
        let found = out.get_mut(from..).unwrap_or_default();
        if !found
            .iter()
            .fold(false, |any, number| any | (*number == UNMET))
        {
            return;
        }
        for (place, number) in self.places.iter().zip(found) {
            let Some(known_number) = self.numbers.get_mut(*place as usize) else {
                continue;
            };
            if *known_number == UNMET {
                let (pid, text) = (place >> bits, place & ((1 << bits) - 1));
                let pair = (pid.wrapping_sub(1), text.wrapping_sub(1));
                *known_number = process(pair, known, names);
            }
            *number = *known_number;
        }
    }
}

/// The same where pairs have no place each.
fn nearby(
    (pids, texts): Pairs<'_>,
    known: Known<'_>,
    names: &mut record::Names,
    out: &mut Vec<u32>,
) {
    let mut near = [((0, 0), UNMET); NEAR];
    let pairs = pids.iter().copied().zip(texts.iter().copied());
    out.extend(pairs.map(|pair| {
        let mixed = (pair.0 ^ pair.1.rotate_left(4)) as usize % NEAR;
        let Some(slot) = near.get_mut(mixed) else {
            return u32::MAX;
        };
        if slot.0 != pair || slot.1 == UNMET {
            *slot = (pair, process(pair, known, names));
        }
        slot.1
    }));
}

/// The number of one process.
#[cold]
fn process((pid, text): (u32, u32), known: Known<'_>, names: &mut record::Names) -> u32 {
    let pid = known.0.get(pid).and_then(|bytes| bytes.first_chunk());
    let pid = pid.and_then(|bytes| u32::try_from(i64::from_le_bytes(*bytes)).ok());
    match (pid, known.1.get(text)) {
        // Nobody knows.
        (None, None) => u32::MISSING,
        (pid, name) => names.process(pid.unwrap_or(0), name.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pids from 0, names of the letter of each.
    fn known(pids: u32, names: u32) -> (Names, Names) {
        let (mut numbers, mut texts) = (Names::default(), Names::default());
        for pid in 0..pids {
            u32::of_number(i64::from(pid) - 1, &mut numbers);
        }
        for name in 0..names {
            u32::of_text(format!("p{name}").as_bytes(), &mut texts);
        }
        (numbers, texts)
    }

    #[test]
    fn pairs_with_a_place_and_without() {
        // The pid -1 is none.
        let pids = [0, 1, 2, 2, u32::MISSING, u32::MISSING, 0];
        let texts = [0, 0, 1, u32::MISSING, 1, u32::MISSING, u32::MISSING];
        let wanted = [(0, "p0"), (1, "p1"), (1, ""), (0, "p1")];
        for (many, names) in [(3, 2), (5000, 7)] {
            let (numbers, all) = known(many, names);
            let (mut owners, mut out) = (Owners::default(), Vec::new());
            let mut found = record::Names::default();
            owners.number((&pids, &texts), (&numbers, &all), &mut found, &mut out);
            assert_eq!(out, [0, 0, 1, 2, 3, u32::MAX, u32::MAX]);
            let met = found.processes().iter();
            assert!(met.map(|one| (one.pid, &*one.name)).eq(wanted));
        }
    }

    #[test]
    fn numbers_stay_from_batch_to_batch() {
        let (numbers, texts) = known(9, 9);
        let known = (&numbers, &texts);
        let mut owners = Owners::default();
        for pairs in [[3, 4, 5], [5, 4, 3]] {
            let (mut found, mut out) = (record::Names::default(), Vec::new());
            owners.number((&pairs, &pairs), known, &mut found, &mut out);
            assert_eq!(out, pairs.map(|pair| pair - 3));
        }
    }
}
