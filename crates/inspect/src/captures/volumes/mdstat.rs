//! `/proc/mdstat`: running arrays with their members.
//!
//! The number in brackets behind a member is its number in the superblock's table, not its slot: a
//! disk that replaced another has a higher one. It is taken for the slot where it can be one, and the
//! last open slot goes to the last member without.

use ioalign_core::{Bytes, Kind};

use super::md;
use crate::captures::reading::{before, leading};
use crate::captures::{Number, Text, TextArray, TextEvidence, TextFormat};
use crate::error::Result;

/// `cat /proc/mdstat`.
pub const FORMAT: TextFormat = TextFormat {
    name: "mdstat",
    command: "cat /proc/mdstat",
    sniff,
    read,
};

/// Members of one array that are read.
const MOST_MEMBERS: usize = 4096;

/// One array: the line that names it and the one below, with its size.
struct MdstatEntry<'a> {
    name: &'a str,
    state: &'a str,
}

fn sniff(text: &Text) -> bool {
    text.any(|line| entry(line).is_some())
}

/// `md0 : active raid5 sdd1[4] sdc1[2]`.
fn entry(line: &str) -> Option<MdstatEntry<'_>> {
    let (name, state) = line.trim_start().split_once(" : ")?;
    let active = state.starts_with("active ") || state.starts_with("inactive ");
    let plain = !name.contains(char::is_whitespace) && state.contains('[');
    (name.starts_with("md") && active && plain).then_some(MdstatEntry { name, state })
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(entry) = entry(line) else { continue };
        let below = lines.peek().copied().unwrap_or_default();
        add(&entry, below, evidence);
    }
    Ok(())
}

fn add(entry: &MdstatEntry<'_>, below: &str, evidence: &mut TextEvidence) {
    let level = entry
        .state
        .split_whitespace()
        .find_map(|word| md::level(word).filter(|_| word.len() > 3));
    let numbered: Vec<_> = entry
        .state
        .split_whitespace()
        .filter_map(member)
        .take(MOST_MEMBERS)
        .collect();
    let stated = counts(below);
    let raid_disks = stated.unwrap_or_else(|| {
        let active = numbered
            .iter()
            .filter(|(_, number)| number.is_some())
            .count();
        u32::try_from(active).unwrap_or(0)
    });
    let size = before(below, "blocks").and_then(leading);
    let said = evidence.device(entry.name);
    said.kind = Some(Kind::Md);
    said.parents = numbered.iter().map(|(name, _)| name.clone()).collect();
    said.size = size
        .and_then(|kib| Bytes::KIB.checked_mul(kib))
        .map(|size| Number::exact(size.get()));
    let Some(level) = level else {
        return said.facts.push(("state", "inactive".to_owned()));
    };
    said.array = Some(TextArray {
        level,
        layout: layout(level, below),
        chunk: chunk(below),
        raid_disks,
        members: slots(numbered, raid_disks),
        metadata: Some(metadata(below)),
        ..TextArray::default()
    });
}

/// `sdb1[1]`, `sdc1[2](S)`: spares and journals have no slot.
fn member(word: &str) -> Option<(String, Option<u32>)> {
    let (name, rest) = word.split_once('[')?;
    let (number, flags) = rest.split_once(']')?;
    let holds = !flags.contains("(S)") && !flags.contains("(J)");
    let number: u32 = number.parse().ok()?;
    (!name.is_empty()).then(|| (name.to_owned(), holds.then_some(number)))
}

/// The slots of members by their numbers.
fn slots(numbered: Vec<(String, Option<u32>)>, disks: u32) -> Vec<(String, Option<u32>)> {
    let taken: Vec<u32> = numbered
        .iter()
        .filter_map(|(_, n)| *n)
        .filter(|n| *n < disks)
        .collect();
    let beyond = numbered
        .iter()
        .filter(|(_, n)| n.is_some_and(|n| n >= disks))
        .count();
    let open: Vec<u32> = (0..disks.min(4096))
        .filter(|slot| !taken.contains(slot))
        .collect();
    let last = match open.as_slice() {
        [only] if beyond == 1 => Some(*only),
        _ => None,
    };
    let slot = |number: u32| if number < disks { Some(number) } else { last };
    numbered
        .into_iter()
        .map(|(name, number)| (name, number.and_then(slot)))
        .collect()
}

/// Members that there should be: the first number of `[4/3]`.
fn counts(below: &str) -> Option<u32> {
    below.split_whitespace().find_map(|word| {
        let (all, _) = word.strip_prefix('[')?.strip_suffix(']')?.split_once('/')?;
        all.parse().ok()
    })
}

/// `64k chunk`, `512k chunks`, `64K chunks`.
fn chunk(below: &str) -> Option<Bytes> {
    let stated = before(below, "chunk").or_else(|| before(below, "chunks"))?;
    md::chunk(stated)
}

/// `algorithm 2`; `2 near-copies`, `2 far-copies`, `2 offset-copies`.
fn layout(level: i32, below: &str) -> Option<u32> {
    if matches!(level, 5 | 6) {
        let rest = below.split_once("algorithm ")?.1;
        return u32::try_from(leading(rest)?).ok();
    }
    let copies = |kind| {
        before(below, kind)?
            .parse()
            .ok()
            .filter(|n: &u32| (1..256).contains(n))
    };
    let (near, far, offset) = (
        copies("near-copies"),
        copies("far-copies"),
        copies("offset-copies"),
    );
    if level != 10 || near.or(far).or(offset).is_none() {
        return None;
    }
    let spread = offset.map(|n| n << 8 | 1 << 16).or(far.map(|n| n << 8));
    Some(near.unwrap_or(1) | spread.unwrap_or(1 << 8))
}

/// `super 1.2`; nothing is printed for 0.90.
fn metadata(below: &str) -> String {
    let rest = below.split_once("super ").map(|(_, rest)| rest);
    let word = rest.and_then(|rest| rest.split_whitespace().next());
    word.unwrap_or("0.90").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_of_raid_10() {
        assert_eq!(
            layout(10, "1 blocks 64K chunks 2 near-copies [4/4]"),
            Some(0x102)
        );
        assert_eq!(
            layout(10, "1 blocks 64K chunks 2 far-copies [4/4]"),
            Some(0x201)
        );
        assert_eq!(
            layout(10, "64K chunks 2 offset-copies [4/4]"),
            Some(0x1_0201)
        );
        assert_eq!(layout(5, "level 5, 64k chunk, algorithm 2 [4/4]"), Some(2));
    }

    #[test]
    fn replaced_disks_take_the_open_slot() {
        let numbered = |n: &[u32]| n.iter().map(|n| (format!("sd{n}"), Some(*n))).collect();
        let slot_of = |members: Vec<(String, Option<u32>)>| {
            members.into_iter().map(|(_, s)| s).collect::<Vec<_>>()
        };
        assert_eq!(
            slot_of(slots(numbered(&[4, 2, 1, 0]), 4)),
            [Some(3), Some(2), Some(1), Some(0)]
        );
        assert_eq!(
            slot_of(slots(numbered(&[5, 4, 1, 0]), 4)),
            [None, None, Some(1), Some(0)]
        );
    }
}
