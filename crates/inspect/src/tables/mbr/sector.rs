//! Sector 0 as a boot record: four entries, and what distinguishes a table from a boot sector.
//!
//! The signature 55 AA also ends every FAT, NTFS and exFAT boot sector and remains of boot loaders,
//! so the entries themselves decide, with the same tests as the kernel (`block/partitions/msdos.c`)
//! and libblkid.

use ioalign_core::on_disk::{BOOT_RECORD_BYTES, DosEntry, is_boot_record};

use crate::error::Result;
use crate::view::{Record, View};

/// IBM's mark of an AIX disk in EBCDIC: it has 55 AA and no table.
const AIX: &[u8] = &[0xC9, 0xC2, 0xD4, 0xC1];

/// A sector that ends in 55 AA.
pub struct BootRecord {
    /// Its bytes.
    pub record: Record,
    /// The entries in table order.
    pub entries: [DosEntry; 4],
}

impl BootRecord {
    /// The record at `offset`; `None` where it does not fit or has no 55 AA.
    pub fn read(view: &View, offset: u64) -> Result<Option<Self>> {
        let record = view.try_record(offset, BOOT_RECORD_BYTES)?;
        let signed = record.filter(|record| is_boot_record(record.bytes()));
        Ok(signed.map(|record| Self {
            entries: DosEntry::all(record.bytes()),
            record,
        }))
    }

    /// The entries in use.
    pub fn used(&self) -> impl Iterator<Item = &DosEntry> {
        self.entries.iter().filter(|entry| entry.is_used())
    }

    /// The disk signature at byte 440; zero where there is none.
    pub fn signature(&self) -> u32 {
        self.record.le32(440)
    }

    /// Whether this is a partition table of a space of `sectors`: the entries make sense.
    ///
    /// `strict` is for where a table is unlikely: behind a file system's signature or inside a
    /// partition. Otherwise entries may reach past the end, as in the head of a disk kept in a file.
    pub fn is_table(&self, sectors: u64, strict: bool) -> bool {
        let strict = strict || self.is_file_system();
        self.used().next().is_some()
            && !self.record.has(0, AIX)
            && self.entries.iter().all(|e| matches!(e.flags, 0x00 | 0x80))
            && (!strict || self.is_strict(sectors))
    }

    /// No junk in unused slots, all used ones inside, none at zero, none on another.
    fn is_strict(&self, sectors: u64) -> bool {
        let inside = |e: &DosEntry| e.is_blank || e.is_used() && e.start > 0 && e.end() <= sectors;
        self.entries.iter().all(inside) && !self.overlaps()
    }

    fn overlaps(&self) -> bool {
        let crosses = |a: &DosEntry, b: &DosEntry| {
            a.slot != b.slot && u64::from(a.start) < b.end() && u64::from(b.start) < a.end()
        };
        self.used().any(|a| self.used().any(|b| crosses(a, b)))
    }

    /// An empty table as tools leave it: a disk signature and nothing else.
    pub fn is_blank_table(&self) -> bool {
        let code = self.record.slice(0, 440);
        self.signature() != 0
            && self.entries.iter().all(|e| e.is_blank)
            && !self.is_file_system()
            && !matches!(code.first(), Some(0xEB | 0xE9))
    }

    /// Whether FAT, NTFS, exFAT, ReFS or BitLocker signed this sector.
    pub fn is_file_system(&self) -> bool {
        const NAMES: [(usize, &[u8]); 8] = [
            (3, b"NTFS    "),
            (3, b"EXFAT   "),
            (3, b"ReFS\0\0\0\0"),
            (3, b"-FVE-FS-"),
            (54, b"FAT12   "),
            (54, b"FAT16   "),
            (54, b"FAT     "),
            (82, b"FAT32   "),
        ];
        NAMES.iter().any(|(at, name)| self.record.has(*at, name)) || self.is_old_fat()
    }

    /// A FAT BIOS parameter block without the type string, as DOS 3 and cameras write.
    fn is_old_fat(&self) -> bool {
        let r = &self.record;
        matches!(r.u8(0), 0xEB | 0xE9)
            && matches!(r.le16(11), 512 | 1024 | 2048 | 4096)
            && r.u8(13).is_power_of_two()
            && r.le16(14) > 0
            && matches!(r.u8(16), 1 | 2)
            && r.u8(21) >= 0xF0
    }
}
