//! The sector that MBR and EBR share: four entries of 16 bytes at 446, and a signature.

use super::chs;

/// Type of the entry that guards a GPT.
pub const PROTECTIVE: u8 = 0xee;
/// Where the entries begin.
const AT: usize = 446;
const LEN: usize = 16;

/// One entry, in sectors.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// 0x80: active.
    pub flags: u8,
    /// Partition type; 0 where the entry is not used.
    pub kind: u8,
    /// First sector, relative to what the table says it is relative to.
    pub start: u32,
    /// Sectors.
    pub count: u32,
}

impl Entry {
    /// Whether it says anything.
    pub const fn is_used(&self) -> bool {
        self.kind != 0 && self.count != 0
    }

    /// Whether it is a container of logical partitions.
    pub const fn is_extended(&self) -> bool {
        matches!(self.kind, 0x05 | 0x0f | 0x85)
    }
}

/// Whether the sector ends in 55 AA.
pub fn is_signed(sector: &[u8]) -> bool {
    sector.get(510..512) == Some(&[0x55, 0xaa])
}

/// The four entries.
pub fn all(sector: &[u8]) -> impl Iterator<Item = Entry> {
    (0..4).map(|index| get(sector, index))
}

/// One of the four.
pub fn get(sector: &[u8], index: usize) -> Entry {
    let raw = sector.get(AT + index * LEN..AT + (index + 1) * LEN);
    let Some([flags, _, _, _, kind, _, _, _, a, b, c, d, e, f, g, h]) = raw else {
        return Entry::default();
    };
    Entry {
        flags: *flags,
        kind: *kind,
        start: u32::from_le_bytes([*a, *b, *c, *d]),
        count: u32::from_le_bytes([*e, *f, *g, *h]),
    }
}

/// Sets one of the four; `base` is what its start is relative to. CHS addresses follow from it.
pub fn set(sector: &mut [u8], index: usize, entry: &Entry, base: u64) {
    let Some(raw) = sector.get_mut(AT + index * LEN..AT + (index + 1) * LEN) else {
        return;
    };
    let first = base + u64::from(entry.start);
    let last = first + u64::from(entry.count.max(1)) - 1;
    let mut bytes = vec![entry.flags];
    bytes.extend(chs::packed(first));
    bytes.push(entry.kind);
    bytes.extend(chs::packed(last));
    bytes.extend(entry.start.to_le_bytes());
    bytes.extend(entry.count.to_le_bytes());
    raw.copy_from_slice(&bytes);
}

/// Empties one of the four.
pub fn clear(sector: &mut [u8], index: usize) {
    if let Some(raw) = sector.get_mut(AT + index * LEN..AT + (index + 1) * LEN) {
        raw.fill(0);
    }
}
