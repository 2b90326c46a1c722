//! How large I/Os are: every multiple of 512 bytes up to a mebibyte exactly, others while they are few.

use std::collections::HashMap;

use ioalign_core::profile::SizeCount;

const STEP: u32 = 512;
const DIRECT: usize = (1 << 20) / STEP as usize + 1;
/// Counters that are made together: most devices know few sizes.
const PAGE: usize = 64;
/// Odd sizes kept one by one, at most; more of them are counted by power of two.
const MOST_ODD: usize = 1024;

/// I/Os of one size, and those that do not start at a multiple of 4096 bytes.
#[derive(Copy, Clone, Default)]
struct SizeBin {
    ios: u64,
    off: u64,
}

impl SizeBin {
    #[inline]
    const fn add(&mut self, ios: u64, off: u64) {
        self.ios += ios;
        self.off += off;
    }

    const fn named(self, bytes: u64) -> SizeCount {
        SizeCount {
            bytes,
            ios: self.ios,
            off_4096_ios: self.off,
        }
    }
}

/// A histogram of sizes.
pub struct SizeHistogram {
    /// Pages that may still be made.
    pages: usize,
    most_odd: usize,
    direct: [Option<Box<[SizeBin; PAGE]>>; DIRECT.div_ceil(PAGE)],
    odd: HashMap<u32, SizeBin>,
}

impl SizeHistogram {
    /// Room for this many sizes, in pages of 64 neighbours.
    pub fn new(room: usize) -> Self {
        Self {
            pages: room / PAGE,
            most_odd: room.min(MOST_ODD),
            direct: [const { None }; DIRECT.div_ceil(PAGE)],
            odd: HashMap::new(),
        }
    }

    #[inline]
    pub fn add(&mut self, len: u32, off: bool) {
        self.add_many(len, 1, u64::from(off));
    }

    /// Counts I/Os of one size, `off` of them off 4096 bytes.
    #[inline]
    pub fn add_many(&mut self, len: u32, ios: u64, off: u64) {
        let index = (len / STEP) as usize;
        if len.is_multiple_of(STEP)
            && index < DIRECT
            && let Some(count) = self.direct(index)
        {
            return count.add(ios, off);
        }
        self.add_odd(len, ios, off);
    }

    #[inline]
    fn direct(&mut self, index: usize) -> Option<&mut SizeBin> {
        let page = self.direct.get_mut(index / PAGE)?;
        if page.is_none() && self.pages > 0 {
            self.pages -= 1;
            *page = Some(Box::new([SizeBin::default(); PAGE]));
        }
        page.as_mut()?.get_mut(index % PAGE)
    }

    fn add_odd(&mut self, len: u32, ios: u64, off: u64) {
        let full = self.odd.len() >= self.most_odd && !self.odd.contains_key(&len);
        let len = match len.checked_ilog2() {
            Some(power) if full => 1 << power,
            _ => len,
        };
        self.odd.entry(len).or_default().add(ios, off);
    }

    /// All sizes, smallest first.
    pub fn counts(&self) -> Vec<SizeCount> {
        let direct = self.direct.iter().zip((0_u64..).step_by(PAGE));
        let direct = direct.filter_map(|(page, first)| Some((first..).zip(page.as_ref()?.iter())));
        let direct = direct.flatten();
        let direct = direct.map(|(index, count)| count.named(index * u64::from(STEP)));
        let odd = self
            .odd
            .iter()
            .map(|(len, count)| count.named(u64::from(*len)));
        let mut all: Vec<_> = direct.chain(odd).filter(|size| size.ios > 0).collect();
        all.sort_by_key(|size| size.bytes);
        all
    }
}
