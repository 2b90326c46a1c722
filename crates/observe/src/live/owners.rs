//! I/O by process: the program's table on each processor, and its hash of the rest.

use std::collections::BTreeMap;

use super::layout::{OPS, OTHERS, OWNER};
use crate::record::Op;

/// The counters of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The device's place.
    pub slot: usize,
    /// The operation.
    pub op: Op,
    /// The process.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// I/Os whose length is not a multiple of 4 KiB.
    pub length_off: u64,
    /// Starts by power of two.
    pub starts: Vec<u64>,
}

/// Sums over processors and tables, by slot times operation and process.
#[derive(Default)]
pub struct Owners(BTreeMap<[u32; 2], Owner>);

impl Owners {
    /// Adds what one processor counted in one of the tables.
    pub fn add(&mut self, key: [u32; 2], words: &[u64; OWNER]) {
        if let Some(owner) = owner(key, words) {
            let sum = self.0.entry(key).or_insert_with(|| owner.empty());
            merge(sum, &owner);
        }
    }

    /// Most I/Os first.
    pub fn sorted(self) -> Vec<Owner> {
        let mut all: Vec<_> = self.0.into_values().collect();
        all.sort_by_key(|owner| (std::cmp::Reverse(owner.ios), owner.pid));
        all
    }
}

fn owner([key, pid]: [u32; 2], words: &[u64; OWNER]) -> Option<Owner> {
    let [ios, bytes, first, second, length_off, starts @ ..] = words;
    let name = [first.to_ne_bytes(), second.to_ne_bytes()].concat();
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let number = usize::try_from(key).ok()?;
    (*ios > 0).then(|| Owner {
        slot: number / OPS,
        op: Op::ALL.get(number % OPS).copied().unwrap_or_default(),
        pid,
        name: match pid {
            OTHERS => "(others)".to_owned(),
            _ => String::from_utf8_lossy(name).into_owned(),
        },
        ios: *ios,
        bytes: *bytes,
        length_off: *length_off,
        starts: starts.to_vec(),
    })
}

fn merge(into: &mut Owner, more: &Owner) {
    into.ios += more.ios;
    into.bytes += more.bytes;
    into.length_off += more.length_off;
    for (mine, more) in into.starts.iter_mut().zip(&more.starts) {
        *mine += more;
    }
}

impl Owner {
    fn empty(&self) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            length_off: 0,
            starts: vec![0; self.starts.len()],
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ios: u64) -> [u64; OWNER] {
        let mut words = [0; OWNER];
        words[0] = ios;
        words[1] = ios * 512;
        words[2] = u64::from_ne_bytes(*b"fio\0\0\0\0\0");
        words[5 + 9] = ios;
        words
    }

    #[test]
    fn one_process_in_both_tables_and_on_two_processors_is_one() {
        let mut all = Owners::default();
        for (key, ios) in [([1, 7], 3), ([1, 8], 9), ([1, 7], 4), ([1, 7], 0)] {
            all.add(key, &words(ios));
        }
        let all = all.sorted();
        let seen: Vec<_> = all.iter().map(|owner| (owner.pid, owner.ios)).collect();
        assert_eq!(seen, [(8, 9), (7, 7)]);
        assert_eq!(all[1].bytes, 7 * 512);
        assert_eq!(all[1].starts[9], 7);
        assert_eq!((all[1].name.as_str(), all[1].op), ("fio", Op::Write));
    }
}
