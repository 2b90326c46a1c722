//! The boot sector of FAT12, FAT16 and FAT32 (Microsoft, "FAT: General Overview of On-Disk Format").

use super::bytes::{le16, le32, u8_at};
use super::is_boot_record;

/// Clusters of a FAT12 are fewer than this.
pub const FAT12_BELOW: u64 = 4085;
/// Clusters of a FAT16 are fewer than this.
pub const FAT16_BELOW: u64 = 65525;

/// The parameter block. Lengths are sectors of the file system unless they say otherwise.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FatBootSector {
    /// Bytes of a sector.
    pub sector: u64,
    /// Of a cluster.
    pub cluster_sectors: u64,
    /// Before the first table.
    pub reserved: u64,
    /// How many tables.
    pub fats: u64,
    /// Of one table.
    pub fat_sectors: u64,
    /// Entries of the root directory of FAT12 and FAT16.
    pub root_entries: u64,
    /// All of it.
    pub sectors: u64,
    /// The media byte, which the first table repeats.
    pub media: u8,
    /// Where the file system believes that it starts.
    pub hidden: u32,
    /// Whether it has the fields of FAT32, with its root directory in clusters.
    pub is_wide: bool,
    /// Which table is right and whether they are kept alike; FAT32.
    pub flags: u16,
    /// First cluster of the root directory; FAT32.
    pub root: u32,
    /// The sector of the copy of this one; FAT32.
    pub copy: u64,
}

impl FatBootSector {
    /// The fields of a boot sector; `None` where it can be none of FAT. FAT has no magic number worth the name: what
    /// this is has to be judged by all of its numbers.
    pub fn read(boot: &[u8]) -> Option<Self> {
        let either = |short: usize, long: usize| match le16(boot, short) {
            0 => u64::from(le32(boot, long)),
            short => u64::from(short),
        };
        let block = Self {
            sector: u64::from(le16(boot, 0x0b)),
            cluster_sectors: u64::from(u8_at(boot, 0x0d)),
            reserved: u64::from(le16(boot, 0x0e)),
            fats: u64::from(u8_at(boot, 0x10)),
            fat_sectors: either(0x16, 0x24),
            root_entries: u64::from(le16(boot, 0x11)),
            sectors: either(0x13, 0x20),
            media: u8_at(boot, 0x15),
            hidden: le32(boot, 0x1c),
            is_wide: le16(boot, 0x16) == 0,
            flags: le16(boot, 0x28),
            root: le32(boot, 0x2c),
            copy: u64::from(le16(boot, 0x32)),
        };
        let is_signed = is_boot_record(boot) && matches!(u8_at(boot, 0), 0xeb | 0xe9);
        (is_signed && block.is_possible()).then_some(block)
    }

    fn is_possible(&self) -> bool {
        self.sector.is_power_of_two()
            && (512..=4096).contains(&self.sector)
            && self.cluster_sectors.is_power_of_two()
            && self.reserved != 0
            && (1..=4).contains(&self.fats)
    }

    /// Where the root directory of FAT12 and FAT16 begins.
    pub const fn root_start(&self) -> u64 {
        self.reserved + self.fats * self.fat_sectors
    }

    /// The root directory of FAT12 and FAT16.
    pub const fn root_sectors(&self) -> u64 {
        (self.root_entries * 32).div_ceil(self.sector)
    }

    /// Where the clusters begin.
    pub const fn data_start(&self) -> u64 {
        self.root_start() + self.root_sectors()
    }

    /// How many clusters there are.
    pub const fn clusters(&self) -> u64 {
        self.sectors.saturating_sub(self.data_start()) / self.cluster_sectors
    }

    /// Bytes of a cluster.
    pub const fn cluster_bytes(&self) -> u64 {
        self.sector * self.cluster_sectors
    }

    /// Bits of an entry of the table, by the number of clusters.
    pub const fn bits(&self) -> u64 {
        match self.clusters() {
            _ if self.is_wide => 32,
            clusters if clusters < FAT12_BELOW => 12,
            _ => 16,
        }
    }
}
