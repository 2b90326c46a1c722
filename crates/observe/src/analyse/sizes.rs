//! How large I/Os are: every multiple of 512 bytes up to a mebibyte exactly, others while they are few.

use std::collections::HashMap;

use ioalign_core::profile::SizeCount;

const STEP: u32 = 512;
const DIRECT: usize = (1 << 20) / STEP as usize + 1;
/// Odd sizes kept one by one; more of them are counted by power of two.
const MOST_ODD: usize = 1024;

/// A histogram of sizes.
#[derive(Default)]
pub struct Sizes {
    direct: Vec<u64>,
    odd: HashMap<u32, u64>,
}

impl Sizes {
    #[inline]
    pub fn add(&mut self, len: u32) {
        let index = (len / STEP) as usize;
        if len.is_multiple_of(STEP) && index < DIRECT {
            if index >= self.direct.len() {
                self.direct
                    .resize((index + 1).next_power_of_two().min(DIRECT), 0);
            }
            if let Some(count) = self.direct.get_mut(index) {
                *count += 1;
            }
        } else {
            self.add_odd(len);
        }
    }

    fn add_odd(&mut self, len: u32) {
        let full = self.odd.len() >= MOST_ODD && !self.odd.contains_key(&len);
        let len = if full { 1 << len.ilog2() } else { len };
        *self.odd.entry(len).or_default() += 1;
    }

    /// All sizes, smallest first.
    pub fn counts(&self) -> Vec<SizeCount> {
        let direct = self.direct.iter().zip(0_u64..);
        let direct = direct.map(|(ios, index)| SizeCount {
            bytes: index * u64::from(STEP),
            ios: *ios,
        });
        let odd = self.odd.iter().map(|(len, ios)| SizeCount {
            bytes: u64::from(*len),
            ios: *ios,
        });
        let mut all: Vec<_> = direct.chain(odd).filter(|size| size.ios > 0).collect();
        all.sort_by_key(|size| size.bytes);
        all
    }
}
