//! A registry hive in a file: where it names a partition by disk and byte.
//!
//! The boot store has *devices*: from the type (6: a partition) on, 0x48 bytes with the byte where it starts at 0x10,
//! the kind of disk at 0x20 and 0x24 (0 and 1: a hard disk with an MBR) and its signature at 0x28; they also stand
//! inside of others (a RAM disk from a file on a partition). The value of a drive letter is the signature
//! and the byte. Both are long enough to be looked for as they are; no checksum covers them.

use std::ops::Range;

use crate::boot::survey::Survey;
use crate::tables::{le32, le64};

/// More than any hive of a boot store or of a system has.
const MOST_BYTES: u64 = 128 << 20;
const PIECE: u64 = 64 << 10;

/// A hive with its places on the disk.
pub struct Hive {
    bytes: Vec<u8>,
    places: Vec<Range<u64>>,
}

/// What names a partition in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A boot store.
    Store,
    /// Drive letters.
    Letters,
}

impl Hive {
    /// Reads it.
    pub fn read(survey: &mut Survey<'_>, places: Vec<Range<u64>>) -> Option<Self> {
        let len = places.iter().map(|place| place.end - place.start);
        let len = len.fold(0u64, u64::saturating_add);
        let mut bytes = Vec::new();
        for place in places.iter().filter(|_| len <= MOST_BYTES) {
            let mut at = place.start;
            while at < place.end {
                let step = PIECE.min(place.end - at);
                bytes.extend(survey.read(at, usize::try_from(step).ok()?)?);
                at += step;
            }
        }
        (bytes.get(..4) == Some(b"regf")).then_some(Self { bytes, places })
    }

    /// Whether all changes are in it, and none in its log.
    pub fn is_clean(&self) -> bool {
        le32(&self.bytes, 4) == le32(&self.bytes, 8)
    }

    /// Where the byte of a partition is written: indexes of its eight bytes.
    pub fn named(&self, kind: Kind, signature: u32, start: u64) -> Vec<usize> {
        let (before, len) = match kind {
            Kind::Store => (0x10, 0x48),
            Kind::Letters => (4, 12),
        };
        let is_named = |part: &[u8]| match kind {
            Kind::Store => is_device(part, signature, start),
            Kind::Letters => le32(part, 0) == signature && le64(part, 4) == start,
        };
        let all = self.bytes.windows(len).enumerate();
        all.filter(|(_, part)| is_named(part))
            .map(|(index, _)| index + before)
            .collect()
    }

    /// Writes another byte at such an index.
    pub fn set(&self, survey: &mut Survey<'_>, index: usize, start: u64) {
        for (index, byte) in (index as u64..).zip(start.to_le_bytes()) {
            if let Some(at) = self.address(index) {
                survey.edits.set(at, &[byte]);
            }
        }
    }

    fn address(&self, index: u64) -> Option<u64> {
        let mut skip = index;
        for place in &self.places {
            let len = place.end - place.start;
            if skip < len {
                return Some(place.start + skip);
            }
            skip -= len;
        }
        None
    }
}

fn is_device(part: &[u8], signature: u32, start: u64) -> bool {
    le64(part, 0) == 6
        && le64(part, 8) == 0x48
        && le64(part, 0x10) == start
        && le64(part, 0x20) == 1 << 32
        && le32(part, 0x28) == signature
}
