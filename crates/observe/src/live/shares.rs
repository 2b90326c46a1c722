//! I/O by control group and by file: the program's tables, over all processors.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ioalign_core::profile::IoShare;

use super::layout::{OPS, SHARE};
use crate::record::Op;

/// Whose I/O it is: `struct identity`. Of a control group the number is all.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShareOwner {
    /// The number by which the kernel knows it, 0 for I/O of none.
    pub number: u64,
    /// The kernel's number of the file system's device.
    pub dev: u32,
    /// Numbers of files are used again.
    pub generation: u32,
}

/// The counters of one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedShare {
    /// The device's place.
    pub slot: usize,
    /// Whose they are.
    pub owner: ShareOwner,
    /// The I/O.
    pub io: IoShare,
}

/// Sums over processors, by owner, and slot times operation.
#[derive(Default)]
pub struct ShareSums(BTreeMap<[u64; 3], IoShare>);

impl ShareSums {
    /// Adds what one processor counted.
    pub fn add(&mut self, key: [u64; 3], words: &[u64; SHARE]) {
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
    pub fn sorted(self) -> Vec<OwnedShare> {
        let all = self
            .0
            .into_iter()
            .filter_map(|([number, rest, key], mut io)| {
                let key = usize::try_from(key).ok()?;
                let op = Op::ALL.get(key % OPS).copied().unwrap_or_default();
                op.name().clone_into(&mut io.op);
                Some(OwnedShare {
                    slot: key / OPS,
                    owner: owner(number, rest),
                    io,
                })
            });
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|share| (Reverse(share.io.ios), share.owner));
        all
    }
}

/// The `struct identity` that two words are.
pub fn owner(number: u64, rest: u64) -> ShareOwner {
    let [a, b, c, d, e, f, g, h] = rest.to_ne_bytes();
    let [dev, generation] = [[a, b, c, d], [e, f, g, h]].map(u32::from_ne_bytes);
    ShareOwner {
        number,
        dev,
        generation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::layout::ALL_OTHERS;

    #[test]
    fn one_owner_on_two_processors_is_one() {
        let words = |ios: u64| {
            let mut words = [0; SHARE];
            (words[0], words[1], words[3 + 9]) = (ios, ios * 512, ios);
            words
        };
        let mut all = ShareSums::default();
        for (key, ios) in [
            ([7, 0, 1], 3),
            ([ALL_OTHERS, 0, 5], 9),
            ([7, 0, 1], 4),
            ([8, 0, 1], 0),
        ] {
            all.add(key, &words(ios));
        }
        let all = all.sorted();
        let seen: Vec<_> = all
            .iter()
            .map(|share| (share.slot, share.owner.number, share.io.ios))
            .collect();
        assert_eq!(seen, [(1, ALL_OTHERS, 9), (0, 7, 7)]);
        assert_eq!(all[1].io.bytes, 7 * 512);
        assert_eq!(all[1].io.start_pow2_histogram[9], 7);
        assert_eq!(
            (all[1].io.op.as_str(), all[0].io.op.as_str()),
            ("write", "read")
        );
    }

    #[test]
    fn an_identity_is_number_device_and_generation() {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&(7_u32 << 20 | 3).to_ne_bytes());
        bytes[4..].copy_from_slice(&9_u32.to_ne_bytes());
        let found = owner(131, u64::from_ne_bytes(bytes));
        assert_eq!(
            (found.number, found.dev, found.generation),
            (131, 7 << 20 | 3, 9)
        );
    }
}
