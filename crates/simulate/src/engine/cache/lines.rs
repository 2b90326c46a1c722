//! What was read or written and is kept: lines in sets of eight, of which the one that was used least recently
//! goes. A line is here when any part of it was.

/// Bytes of a line.
const LINE: u64 = 4096;
/// Lines of a set.
const WAYS: usize = 8;
/// An empty place.
const EMPTY: u64 = u64::MAX;

/// The lines, by set; their memory is that of the cache over 256.
#[derive(Debug)]
pub struct CachedLines {
    tags: Vec<u64>,
    used: Vec<u64>,
    sets: u64,
    clock: u64,
}

impl CachedLines {
    pub fn new(bytes: u64) -> Self {
        let sets = bytes / LINE / WAYS as u64;
        let count = usize::try_from(sets).unwrap_or(0) * WAYS;
        Self {
            tags: vec![EMPTY; count],
            used: vec![0; count],
            sets,
            clock: 0,
        }
    }

    /// Whether every line of it is here.
    pub fn has(&mut self, at: u64, len: u64) -> bool {
        self.sets > 0 && (at / LINE..=(at + len - 1) / LINE).all(|line| self.touch(line))
    }

    /// Keeps its lines.
    pub fn add(&mut self, at: u64, len: u64) {
        if self.sets == 0 {
            return;
        }
        for line in at / LINE..=(at + len - 1) / LINE {
            if self.touch(line) {
                continue;
            }
            let set = self.set(line);
            let oldest = set.min_by_key(|place| self.used[*place]);
            if let Some(place) = oldest {
                self.tags[place] = line;
                self.used[place] = self.clock;
            }
        }
    }

    fn set(&self, line: u64) -> std::ops::Range<usize> {
        let mixed = u128::from(line.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * u128::from(self.sets);
        let first = usize::try_from(mixed >> 64).unwrap_or(0) * WAYS;
        first..first + WAYS
    }

    fn touch(&mut self, line: u64) -> bool {
        self.clock += 1;
        let found = self.set(line).find(|place| self.tags[*place] == line);
        if let Some(place) = found {
            self.used[place] = self.clock;
        }
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_and_the_rest_goes() {
        let mut lines = CachedLines::new(1 << 20);
        assert!(!lines.has(0, 512));
        lines.add(512, 4096);
        assert!(lines.has(0, 8192) && !lines.has(4096, 8192));
        for i in 0..64 {
            lines.add(i * 4096, 4096);
        }
        let kept = (0..64).filter(|i| lines.has(i * 4096, 4096)).count();
        assert!(kept >= 60, "{kept} of a quarter of the cache");
        for i in 0..10_000 {
            lines.add(i * 4096, 4096);
        }
        let kept = (0..10_000).filter(|i| lines.has(i * 4096, 4096)).count();
        assert_eq!(kept, 256);
        assert!(!CachedLines::new(0).has(0, 512));
    }
}
