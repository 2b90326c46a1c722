//! The next event: a tree of winners over the queues, of which each has at most one I/O under way.

/// The time of a queue without an I/O.
pub const NEVER: u64 = u64::MAX;

/// The times at which queues finish.
#[derive(Debug)]
pub struct NextDone {
    leaves: usize,
    /// The index of the earliest leaf below each node; node 1 is the root.
    nodes: Vec<u32>,
    times: Vec<u64>,
}

impl NextDone {
    pub fn new(queues: usize) -> Self {
        let leaves = queues.next_power_of_two();
        let mut out = Self {
            leaves,
            nodes: vec![0; leaves * 2],
            times: vec![NEVER; leaves],
        };
        for (leaf, node) in (0..).zip(out.nodes.iter_mut().skip(leaves)) {
            *node = leaf;
        }
        for node in (1..leaves).rev() {
            out.nodes[node] = out.nodes[node * 2];
        }
        out
    }

    #[inline]
    pub fn set(&mut self, queue: usize, time: u64) {
        self.times[queue] = time;
        let mut node = (queue + self.leaves) / 2;
        while node > 0 {
            let (a, b) = (self.nodes[node * 2], self.nodes[node * 2 + 1]);
            let earlier = self.times[a as usize] <= self.times[b as usize];
            self.nodes[node] = if earlier { a } else { b };
            node /= 2;
        }
    }

    /// The queue that finishes first, and when; between equals the lower one.
    #[inline]
    pub fn first(&self) -> (usize, u64) {
        let queue = self.nodes[1.min(self.nodes.len() - 1)] as usize;
        (queue, self.times[queue])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_is_first() {
        for queues in [1, 2, 3, 7, 60] {
            let mut next = NextDone::new(queues);
            assert_eq!(next.first().1, NEVER);
            let mut times = vec![NEVER; queues];
            let mut at = 1;
            for _ in 0..1000 {
                let random = ioalign_core::random::split_mix(&mut at);
                let queue = usize::try_from(random % queues as u64).unwrap();
                times[queue] = if random & 1024 == 0 {
                    NEVER
                } else {
                    random >> 40
                };
                next.set(queue, times[queue]);
                let least = *times.iter().min().unwrap();
                let at = times.iter().position(|time| *time == least).unwrap();
                assert_eq!(next.first().1, least);
                assert!(least == NEVER || next.first().0 == at);
            }
        }
    }
}
