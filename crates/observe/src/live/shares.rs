//! I/O by control group: the program's table, over all processors.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ioalign_core::profile::IoShare;

use super::layout::{ALL_OTHERS, OPS, SHARE};
use crate::record::Op;

/// The counters of one control group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupShare {
    /// The device's place.
    pub slot: usize,
    /// The number by which the kernel knows it, 0 for I/O of none; `None`: those past the limit.
    pub number: Option<u64>,
    /// Its I/O.
    pub io: IoShare,
}

/// Sums over processors, by control group, and slot times operation.
#[derive(Default)]
pub struct GroupShares(BTreeMap<[u64; 2], IoShare>);

impl GroupShares {
    /// Adds what one processor counted.
    pub fn add(&mut self, key: [u64; 2], words: &[u64; SHARE]) {
        let [ios, bytes, length_off, starts @ ..] = words;
        if *ios == 0 {
            return;
        }
        let more = IoShare {
            ios: *ios,
            bytes: *bytes,
            length_off_4096_ios: *length_off,
            start_pow2_histogram: starts.to_vec(),
            ..IoShare::default()
        };
        self.0.entry(key).or_default().add(&more);
    }

    /// Most I/Os first.
    pub fn sorted(self) -> Vec<GroupShare> {
        let all = self.0.into_iter().filter_map(|([whose, key], mut io)| {
            let key = usize::try_from(key).ok()?;
            let op = Op::ALL.get(key % OPS).copied().unwrap_or_default();
            op.name().clone_into(&mut io.op);
            Some(GroupShare {
                slot: key / OPS,
                number: (whose != ALL_OTHERS).then_some(whose),
                io,
            })
        });
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|group| (Reverse(group.io.ios), group.number));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_group_on_two_processors_is_one() {
        let words = |ios: u64| {
            let mut words = [0; SHARE];
            (words[0], words[1], words[3 + 9]) = (ios, ios * 512, ios);
            words
        };
        let mut all = GroupShares::default();
        for (key, ios) in [([7, 1], 3), ([ALL_OTHERS, 5], 9), ([7, 1], 4), ([8, 1], 0)] {
            all.add(key, &words(ios));
        }
        let all = all.sorted();
        let seen: Vec<_> = all
            .iter()
            .map(|group| (group.slot, group.number, group.io.ios))
            .collect();
        assert_eq!(seen, [(1, None, 9), (0, Some(7), 7)]);
        assert_eq!(all[1].io.bytes, 7 * 512);
        assert_eq!(all[1].io.start_pow2_histogram[9], 7);
        assert_eq!(
            (all[1].io.op.as_str(), all[0].io.op.as_str()),
            ("write", "read")
        );
    }
}
