//! Whether an I/O may have a neighbour that waits: the times until which something with an edge there may wait, by
//! a hash of the place. Nearly every I/O of a random load has none, and the queue is not searched for it.

const BITS: u32 = 9;

/// Starts and ends of what waits.
#[derive(Debug)]
pub struct WaitingEdges {
    until: Box<[u64; 1 << BITS]>,
}

/// The line of a place.
#[inline]
fn line(at: u64) -> usize {
    let mixed = (at >> 9).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
    usize::try_from(mixed).unwrap_or(0) % (1 << BITS)
}

impl WaitingEdges {
    pub fn new() -> Self {
        Self {
            until: Box::new([0; 1 << BITS]),
        }
    }

    /// The lines of both edges of an I/O.
    #[inline]
    pub fn lines(at: u64, len: u64) -> [usize; 2] {
        [line(at), line(at + len)]
    }

    /// Something with these edges waits, at most until `end`.
    #[inline]
    pub fn add(&mut self, lines: [usize; 2], end: u64) {
        for line in lines {
            let until = &mut self.until[line];
            *until = (*until).max(end);
        }
    }

    /// Whether something that waits may have one of these edges.
    #[inline]
    pub fn may_touch(&self, lines: [usize; 2], now: u64) -> bool {
        lines.iter().any(|line| self.until[*line] > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_never_missed() {
        let mut edges = WaitingEdges::new();
        for i in 0..300 {
            edges.add(WaitingEdges::lines(i * 8192, 4096), 100 + i);
        }
        for i in 0..300 {
            for (at, len) in [(i * 8192 + 4096, 512), (i * 8192, 512)] {
                assert!(edges.may_touch(WaitingEdges::lines(at, len), 99 + i));
            }
        }
        let late = |i: u64| edges.may_touch(WaitingEdges::lines(i * 4096, 4096), 400);
        assert!(!(0..300).any(late));
    }
}
