//! Attributes of an MFT record, and the runs of clusters of those that lie outside of it.

use std::ops::Range;

use crate::tables::{le32, le64};

/// More than a record has room for.
const MOST: usize = 128;
/// More runs than this are a file that nothing here is made for.
const MOST_RUNS: usize = 4096;
const END: u32 = 0xffff_ffff;

/// One attribute: its bytes with the header.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a>(&'a [u8]);

/// Clusters one after the other, `None` where there is a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first cluster of the volume.
    pub first: Option<u64>,
    /// How many.
    pub count: u64,
}

/// All attributes of a record.
pub fn all(record: &[u8]) -> Vec<Attribute<'_>> {
    let mut out = Vec::new();
    let mut at = word(record, 0x14);
    while out.len() < MOST && le32(record, at) != END {
        let len = usize::try_from(le32(record, at.saturating_add(4))).unwrap_or(usize::MAX);
        let Some(bytes) = record.get(at..at.saturating_add(len)) else {
            break;
        };
        if len < 0x18 {
            break;
        }
        out.push(Attribute(bytes));
        at += len;
    }
    out
}

/// 16 bits, 0 past the end.
pub fn word(bytes: &[u8], at: usize) -> usize {
    let two = bytes.get(at..at.saturating_add(2));
    let two = two.and_then(|two| two.try_into().ok());
    two.map_or(0, |two| usize::from(u16::from_le_bytes(two)))
}

impl<'a> Attribute<'a> {
    /// Whether it is of this type and has this name, in ASCII.
    pub fn is(&self, kind: u32, name: &str) -> bool {
        let len = usize::from(self.0.get(9).copied().unwrap_or(0));
        le32(self.0, 0) == kind && is_name(self.0, word(self.0, 0x0a), len, name)
    }

    /// Whether its value is in the record.
    pub fn is_resident(&self) -> bool {
        self.0.get(8) == Some(&0)
    }

    /// Whether it is compressed, encrypted or has holes.
    pub fn is_special(&self) -> bool {
        word(self.0, 0x0c) != 0
    }

    /// The value of one that is in the record.
    pub fn value(&self) -> Option<&'a [u8]> {
        let len = usize::try_from(le32(self.0, 0x10)).ok()?;
        let at = word(self.0, 0x14);
        self.0
            .get(at..at.checked_add(len)?)
            .filter(|_| self.is_resident())
    }

    /// The cluster of the value that its runs begin with.
    pub fn first(&self) -> u64 {
        le64(self.0, 0x10)
    }

    /// Bytes of a value outside of the record, as far as it was ever written.
    pub fn written_bytes(&self) -> u64 {
        le64(self.0, 0x30).min(le64(self.0, 0x38))
    }

    /// The clusters of a value outside of the record.
    pub fn runs(&self) -> Option<Vec<Run>> {
        if self.is_resident() {
            return None;
        }
        runs(self.0.get(word(self.0, 0x20)..)?)
    }
}

/// Whether UTF-16 at a place is this name, whatever the case.
pub fn is_name(bytes: &[u8], at: usize, len: usize, name: &str) -> bool {
    let end = len.checked_mul(2).and_then(|len| at.checked_add(len));
    let text = end.and_then(|end| bytes.get(at..end)).unwrap_or_default();
    let units = text.chunks_exact(2).map(|two| match two {
        [low, 0] => low.to_ascii_uppercase(),
        _ => 0,
    });
    len == name.len() && units.eq(name.bytes().map(|byte| byte.to_ascii_uppercase()))
}

/// Runs as packed: a byte with the widths, the count, the distance from the run before.
fn runs(packed: &[u8]) -> Option<Vec<Run>> {
    let mut out = Vec::new();
    let (mut rest, mut place) = (packed, 0i64);
    loop {
        let (head, tail) = rest.split_first()?;
        if *head == 0 {
            return Some(out);
        }
        let (wide, far) = (usize::from(head & 15), usize::from(head >> 4));
        if wide == 0 || wide > 8 || far > 8 || out.len() == MOST_RUNS {
            return None;
        }
        let count = signed(tail.get(..wide)?);
        let distance = signed(tail.get(wide..wide.checked_add(far)?)?);
        place = place.checked_add(distance)?;
        let first = if far == 0 {
            None
        } else {
            Some(u64::try_from(place).ok()?)
        };
        out.push(Run {
            first,
            count: u64::try_from(count).ok().filter(|count| *count > 0)?,
        });
        rest = tail.get(wide + far..)?;
    }
}

/// A number of up to eight bytes whose highest bit is its sign.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let start = if negative { -1i64 } else { 0 };
    bytes
        .iter()
        .rev()
        .fold(start, |sum, byte| sum << 8 | i64::from(*byte))
}

/// Where bytes of a value are on its volume: by its runs, in pieces.
pub fn places(runs: &[Run], cluster: u64, value: &Range<u64>) -> Option<Vec<Range<u64>>> {
    let mut out = Vec::new();
    let mut at = 0u64;
    for run in runs {
        let end = at.checked_add(run.count.checked_mul(cluster)?)?;
        let (from, to) = (value.start.max(at), value.end.min(end));
        if from < to {
            let base = run.first?.checked_mul(cluster)?;
            let start = base.checked_add(from - at)?;
            out.push(start..start.checked_add(to - from)?);
        }
        at = end;
    }
    (value.end <= at).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_distances_from_each_other() {
        let packed = [0x21, 0x04, 0x00, 0x01, 0x11, 0x02, 0xf0, 0x01, 0x03, 0];
        let runs = runs(&packed).unwrap();
        let seen: Vec<_> = runs.iter().map(|run| (run.first, run.count)).collect();
        assert_eq!(seen, [(Some(256), 4), (Some(240), 2), (None, 3)]);
        let found = places(&runs, 10, &(35..45)).unwrap();
        assert_eq!(found, [2595..2600, 2400..2405]);
        assert_eq!(places(&runs, 10, &(55..65)), None);
        assert_eq!(super::runs(&[0x99, 1, 1]), None);
    }
}
