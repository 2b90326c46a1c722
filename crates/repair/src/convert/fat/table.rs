//! The table of clusters, decoded and made.

use ioalign_core::on_disk::bytes::{le16, le32, u8_at};

use super::{Old, refused};
use crate::Result;
use crate::content::fat::{FatGeometry, FatKind};

/// Entries above this end a chain, once all kinds count in 28 bits.
pub const LAST: u32 = 0x0fff_fff8;
/// What is written to end one.
pub const END: u32 = 0x0fff_ffff;
const BAD: u32 = 0x0fff_fff7;
/// Larger tables are not read.
const MOST_BYTES: u64 = 64 << 20;

/// The contents of a cluster's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nobody has it.
    Free,
    /// The chain goes on there.
    Cluster(u32),
    /// The chain ends here.
    End,
    /// It cannot be read.
    Bad,
}

/// All entries, in 28 bits each.
#[derive(Debug)]
pub struct FatTable(Vec<u32>);

impl FatTable {
    /// Reads the table that is right.
    pub fn read(old: &mut Old<'_>, geometry: &FatGeometry) -> Result<Self> {
        let entries = geometry.clusters() + 2;
        let bytes = (entries * geometry.kind.bits()).div_ceil(8);
        if bytes > MOST_BYTES {
            return Err(refused(format!("a table of {bytes} bytes is not read")));
        }
        let raw = old.read(geometry.fat_at(geometry.active), bytes)?;
        let count = usize::try_from(entries).unwrap_or(0);
        Ok(Self(
            (0..count).map(|i| entry(&raw, geometry.kind, i)).collect(),
        ))
    }

    /// What stands for a cluster.
    pub fn next(&self, cluster: u32) -> Next {
        let index = usize::try_from(cluster).unwrap_or(usize::MAX);
        match self.0.get(index).copied().unwrap_or(0) {
            0 => Next::Free,
            BAD => Next::Bad,
            LAST.. => Next::End,
            next => Next::Cluster(next),
        }
    }

    /// Clusters in use, without the bad ones.
    pub fn used(&self) -> u32 {
        let used = self
            .0
            .iter()
            .skip(2)
            .filter(|entry| !matches!(**entry, 0 | BAD));
        u32::try_from(used.count()).unwrap_or(u32::MAX)
    }

    /// Whether some cluster is marked as bad.
    pub fn has_bad(&self) -> bool {
        self.0.iter().skip(2).any(|entry| *entry == BAD)
    }
}

/// An entry in 28 bits: what ends a chain or is bad in fewer bits is that in 28.
fn entry(raw: &[u8], kind: FatKind, index: usize) -> u32 {
    let (value, bits) = match kind {
        FatKind::Fat12 => {
            let pair = u32::from(le16(raw, index + index / 2));
            let pair = if raw.len() == index + index / 2 + 1 {
                u32::from(u8_at(raw, index + index / 2))
            } else {
                pair
            };
            let shift = if index.is_multiple_of(2) { 0 } else { 4 };
            (pair >> shift & 0xfff, 12)
        }
        FatKind::Fat16 => (u32::from(le16(raw, index * 2)), 16),
        FatKind::Fat32 => (le32(raw, index * 4) & END, 28),
    };
    let special = (1u32 << bits) - 9;
    if bits < 28 && value >= special {
        value | (END & !((1 << bits) - 1))
    } else {
        value
    }
}

/// The bytes of a table.
pub fn encoded(entries: &[u32], kind: FatKind, length: usize) -> Vec<u8> {
    let mut raw = Vec::with_capacity(length);
    match kind {
        FatKind::Fat12 => {
            for pair in entries.chunks(2) {
                let first = pair.first().copied().unwrap_or(0) & 0xfff;
                let second = pair.get(1).copied().unwrap_or(0) & 0xfff;
                let [a, b, c, _] = (first | second << 12).to_le_bytes();
                raw.extend([a, b, c]);
            }
        }
        FatKind::Fat16 => {
            let short = entries.iter().map(|entry| entry.to_le_bytes());
            raw.extend(short.flat_map(|[a, b, _, _]| [a, b]));
        }
        FatKind::Fat32 => raw.extend(entries.iter().flat_map(|entry| entry.to_le_bytes())),
    }
    raw.resize(length, 0);
    raw
}

/// Refuses a file system that was not unmounted, or that is marked as damaged.
pub fn clean(old: &mut Old<'_>, geometry: &FatGeometry, boot: &[u8]) -> Result<()> {
    let (state_at, mask) = match geometry.kind {
        FatKind::Fat12 => (0x25, 0),
        FatKind::Fat16 => (0x25, 0xc000),
        FatKind::Fat32 => (0x41, 0x0c00_0000),
    };
    let raw = old.read(geometry.fat_at(geometry.active), 8)?;
    let second = match geometry.kind {
        FatKind::Fat32 => le32(&raw, 4),
        _ => u32::from(le16(&raw, 2)),
    };
    if u8_at(boot, state_at) & 1 != 0 || second & mask != mask {
        return Err(refused(
            "it was not unmounted, or has errors; run `fsck.fat -a` on it first",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_what_they_were() {
        let entries = [0x0fff_fff8, END, 3, 0, 5, END, BAD];
        for kind in [FatKind::Fat12, FatKind::Fat16, FatKind::Fat32] {
            let raw = encoded(&entries, kind, 64);
            let back: Vec<_> = (0..entries.len()).map(|i| entry(&raw, kind, i)).collect();
            assert_eq!(back, entries, "{kind:?}");
        }
    }
}
