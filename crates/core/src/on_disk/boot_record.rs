//! The sector that MBR and EBR share: four entries of 16 bytes at 446, and a signature
//! (the kernel's `block/partitions/msdos.c`).

use super::bytes::{has, le32, put, u8_at};
use super::chs;

/// Bytes of a boot record, whatever the sector size.
pub const BOOT_RECORD_BYTES: usize = 512;
/// Where the four entries begin.
pub const DOS_ENTRIES_AT: usize = 446;
/// Bytes of an entry.
pub const DOS_ENTRY_BYTES: usize = 16;
/// Type of the entry that guards a GPT.
pub const PROTECTIVE: u8 = 0xee;

/// One of the four entries. Sectors are of the disk's size.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DosEntry {
    /// Its place in the table: 0 to 3.
    pub slot: u8,
    /// 0x80: active.
    pub flags: u8,
    /// Partition type; 0 where the entry is not used.
    pub kind: u8,
    /// First sector, relative to what the table says it is relative to.
    pub start: u32,
    /// Sectors.
    pub count: u32,
    /// Whether all 16 bytes are zero.
    pub is_blank: bool,
}

/// Whether a sector ends in 55 AA.
pub fn is_boot_record(sector: &[u8]) -> bool {
    has(sector, 510, &[0x55, 0xaa])
}

impl DosEntry {
    /// The four entries of a sector; those past its end are empty.
    pub fn all(sector: &[u8]) -> [Self; 4] {
        [0, 1, 2, 3].map(|slot| Self::read(sector, slot))
    }

    /// One of the four.
    pub fn read(sector: &[u8], slot: u8) -> Self {
        let at = Self::at(slot);
        let raw = sector.get(at..at + DOS_ENTRY_BYTES).unwrap_or_default();
        Self {
            slot,
            flags: u8_at(raw, 0),
            kind: u8_at(raw, 4),
            start: le32(raw, 8),
            count: le32(raw, 12),
            is_blank: raw.iter().all(|byte| *byte == 0),
        }
    }

    /// Where an entry lies in its sector.
    pub fn at(slot: u8) -> usize {
        DOS_ENTRIES_AT + DOS_ENTRY_BYTES * usize::from(slot)
    }

    /// Whether it describes a partition.
    pub const fn is_used(&self) -> bool {
        self.kind != 0 && self.count != 0
    }

    /// Whether it is a container of logical partitions, or a link to the next EBR.
    pub const fn is_extended(&self) -> bool {
        matches!(self.kind, 0x05 | 0x0f | 0x85) && self.count != 0
    }

    /// First sector past it.
    pub fn end(&self) -> u64 {
        u64::from(self.start) + u64::from(self.count)
    }

    /// Writes it into its slot; `base` is what its start is relative to. CHS addresses follow from it.
    pub fn write(&self, sector: &mut [u8], base: u64) {
        let first = base.saturating_add(u64::from(self.start));
        let last = first.saturating_add(u64::from(self.count.max(1)) - 1);
        let mut bytes = vec![self.flags];
        bytes.extend(chs::packed(first));
        bytes.push(self.kind);
        bytes.extend(chs::packed(last));
        bytes.extend(self.start.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        put(sector, Self::at(self.slot), &bytes);
    }

    /// Empties a slot.
    pub fn clear(sector: &mut [u8], slot: u8) {
        put(sector, Self::at(slot), &[0; DOS_ENTRY_BYTES]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let mut sector = [0; 512];
        let entry = DosEntry {
            slot: 2,
            flags: 0x80,
            kind: 0x0f,
            start: 63,
            count: 100,
            is_blank: false,
        };
        entry.write(&mut sector, 0);
        assert_eq!(DosEntry::read(&sector, 2), entry);
        assert!(entry.is_extended() && entry.is_used());
        assert_eq!((entry.end(), &sector[479..482]), (163, &[1, 1, 0][..]));
        DosEntry::clear(&mut sector, 2);
        assert!(DosEntry::all(&sector).iter().all(|one| one.is_blank));
    }
}
