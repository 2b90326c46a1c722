//! The order of arms: permuted blocks.
//!
//! Every block has each arm once, in a new random order (Fisher-Yates). So all arms are measured equally often
//! in any period, drift affects all of them alike, and none has a fixed place in the order or a fixed neighbour.

use ioalign_core::Random;

/// The numbers below a count, in one order after another.
#[derive(Clone, Debug)]
pub(crate) struct ShuffledOrder {
    random: Random,
    block: Vec<usize>,
}

impl ShuffledOrder {
    pub(crate) fn new(count: usize, seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            block: (0..count).collect(),
        }
    }

    /// The next block.
    pub(crate) fn next(&mut self) -> &[usize] {
        for last in (1..self.block.len()).rev() {
            let chosen = self.random.below_u32(last + 1);
            self.block.swap(last, chosen as usize);
        }
        &self.block
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_block_holds_each_arm_once() {
        let mut order = ShuffledOrder::new(5, 1);
        for _ in 0..100 {
            let mut block = order.next().to_vec();
            block.sort_unstable();
            assert_eq!(block, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn all_orders_are_equally_likely() {
        let mut order = ShuffledOrder::new(3, 7);
        let mut seen: HashMap<Vec<usize>, u32> = HashMap::new();
        for _ in 0..6000 {
            *seen.entry(order.next().to_vec()).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        // 1000 each, standard deviation 29.
        assert!(seen.values().all(|n| (880..1120).contains(n)), "{seen:?}");
    }
}
