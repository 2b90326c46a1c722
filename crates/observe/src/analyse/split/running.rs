//! The comparison of many I/Os at once.

use super::{Side, Split};
use crate::analyse::device::TOGETHER;
use crate::analyse::wide::{Classes, Rows};

/// From so many clean I/Os of a size on, their mean moves by a fixed part of the distance.
const MANY: i64 = 256;

/// What is summed up of I/Os that follow each other.
#[derive(Default)]
struct Sums {
    all: i64,
    straddling: i64,
    across: u64,
}

impl Split {
    /// Counts the rows of `fit`, which fit into a cell and are of some `sizes`; `across`: 1 where one straddles.
    #[inline(always)]
    pub fn add_rows(
        &mut self,
        rows: &Rows,
        classes: &Classes,
        (fit, sizes): (&[u8], u64),
        across: &[u8; TOGETHER],
    ) {
        let mut fit = fit;
        while !fit.is_empty() {
            let room = usize::try_from(self.batch - self.filled).unwrap_or(usize::MAX);
            let (now, later) = fit.split_at(room.clamp(1, fit.len()));
            if self.are_many(sizes) {
                let sums = if sizes.is_power_of_two() {
                    let size = sizes.trailing_zeros() as usize;
                    self.compare(|_| size, classes, now, across)
                } else {
                    self.compare(|row| class(rows.len[row]), classes, now, across)
                };
                self.take(now.len() as u64, &sums);
            } else {
                for row in now {
                    let at = usize::from(*row);
                    self.add(across[at] != 0, rows.len[at], rows.latency[at]);
                }
            }
            fit = later;
        }
    }

    /// Whether there were many of all these classes of sizes, a bit each.
    #[inline(always)]
    fn are_many(&self, sizes: u64) -> bool {
        let (mut many, mut left) = (true, sizes);
        while left != 0 {
            let reference = self.references.get(left.trailing_zeros() as usize);
            many &= reference.is_some_and(|reference| reference.ios >= MANY);
            left &= left - 1;
        }
        many
    }

    /// The running means, and the distances to them; `class` is that of a row's size.
    #[inline(always)]
    fn compare(
        &mut self,
        class: impl Fn(usize) -> usize,
        classes: &Classes,
        fit: &[u8],
        across: &[u8; TOGETHER],
    ) -> Sums {
        let mut sums = Sums::default();
        for row in fit {
            let at = usize::from(*row);
            let Some(reference) = self.references.get_mut(class(at)) else {
                continue;
            };
            let past = i64::from(classes.log[at]) - reference.mean;
            // All bits of a clean one, none of one that straddles.
            let clean = i64::from(across[at]) - 1;
            reference.ios -= clean;
            reference.mean += (past / MANY) & clean;
            sums.all += past;
            sums.straddling += past & !clean;
            sums.across += u64::from(across[at]);
        }
        sums
    }

    #[inline(always)]
    fn take(&mut self, ios: u64, sums: &Sums) {
        self.now.straddling.add(&Side {
            ios: sums.across,
            sum: sums.straddling,
        });
        self.now.clean.add(&Side {
            ios: ios - sums.across,
            sum: sums.all - sums.straddling,
        });
        self.filled += ios;
        if self.filled >= self.batch {
            self.close();
        }
    }
}

/// The class of a size: the number of its bits.
#[inline(always)]
pub const fn class(len: u32) -> usize {
    (32 - len.leading_zeros()) as usize
}
