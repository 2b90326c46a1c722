//! Whether an I/O may have a neighbour in a queue: counters by a hash of starts and ends. Nearly every I/O
//! of a random load has none, and the queue is not searched for it.

const BITS: u32 = 9;

/// Starts and ends of what waits.
#[derive(Debug)]
pub struct NeighbourFilter {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

/// The counter of an address.
#[inline]
fn place(at: u64) -> usize {
    let mixed = (at >> 9).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
    usize::try_from(mixed).unwrap_or(0)
}

impl NeighbourFilter {
    /// An empty one; without counters if it is never asked.
    pub fn new(used: bool) -> Self {
        let counters = if used { 1 << BITS } else { 0 };
        Self {
            starts: vec![0; counters],
            ends: vec![0; counters],
        }
    }

    #[inline]
    pub fn add(&mut self, at: u64, len: u64) {
        self.starts[place(at)] += 1;
        self.ends[place(at + len)] += 1;
    }

    #[inline]
    pub fn remove(&mut self, at: u64, len: u64) {
        self.starts[place(at)] -= 1;
        self.ends[place(at + len)] -= 1;
    }

    /// Whether something may begin where this ends, or end where it begins.
    #[inline]
    pub fn may_have(&self, at: u64, len: u64) -> bool {
        self.ends[place(at)] > 0 || self.starts[place(at + len)] > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_never_missed() {
        let mut filter = NeighbourFilter::new(true);
        for i in 0..300 {
            filter.add(i * 8192, 4096);
        }
        for i in 0..300 {
            assert!(filter.may_have(i * 8192 + 4096, 512));
            filter.remove(i * 8192, 4096);
        }
        assert!((0..300).all(|i| !filter.may_have(i * 4096, 4096)));
    }
}
