//! The numbers of a FAT boot sector.

use ioalign_core::on_disk::{FAT12_BELOW, FAT16_BELOW, FatBootSector};

/// How many bits an entry of the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatKind {
    /// 12.
    Fat12,
    /// 16.
    Fat16,
    /// 32, of which 28 count.
    Fat32,
}

impl FatKind {
    /// What a file system without the fields of FAT32 is, by its clusters.
    pub const fn of(clusters: u64) -> Self {
        if clusters < FAT12_BELOW {
            Self::Fat12
        } else {
            Self::Fat16
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fat12 => "FAT12",
            Self::Fat16 => "FAT16",
            Self::Fat32 => "FAT32",
        }
    }

    /// Bits of an entry.
    pub const fn bits(self) -> u64 {
        match self {
            Self::Fat12 => 12,
            Self::Fat16 => 16,
            Self::Fat32 => 32,
        }
    }
}

/// The places of the parts of a FAT. Lengths are sectors unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatGeometry {
    /// Bytes of a sector.
    pub sector: u64,
    /// Bytes of a cluster.
    pub cluster: u64,
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
    /// What kind of entries.
    pub kind: FatKind,
    /// First cluster of the root directory of FAT32.
    pub root: u32,
    /// Which of the tables is right, where they are not kept alike.
    pub active: u64,
}

impl FatGeometry {
    /// Reads a boot sector; `None` where it is no FAT, or none that can be.
    pub fn read(boot: &[u8]) -> Option<Self> {
        let block = FatBootSector::read(boot)?;
        let mut geometry = Self {
            sector: block.sector,
            cluster: block.cluster_bytes(),
            reserved: block.reserved,
            fats: block.fats,
            fat_sectors: block.fat_sectors,
            root_entries: block.root_entries,
            sectors: block.sectors,
            kind: FatKind::Fat32,
            root: 0,
            active: 0,
        };
        if !block.is_wide {
            geometry.kind = FatKind::of(geometry.clusters());
        } else {
            geometry.root = block.root;
            if block.flags & 0x80 != 0 {
                geometry.active = u64::from(block.flags & 0xf);
            }
        }
        let is_sound = block.media >= 0xf0 && geometry.is_sound(block.is_wide);
        is_sound.then_some(geometry)
    }

    fn is_sound(&self, is_32: bool) -> bool {
        let shape = self.cluster <= 256 << 10
            && self.fat_sectors > 0
            && self.active < self.fats
            && is_32 == (self.root_entries == 0);
        let clusters = self.clusters();
        let held = self.fat_sectors * self.sector * 8 / self.kind.bits();
        let root = !is_32 || self.holds(self.root);
        let most = if is_32 { 0x0fff_fff5 } else { FAT16_BELOW };
        shape && clusters > 0 && clusters < most && held >= clusters + 2 && root
    }

    /// Bytes of the file system.
    pub const fn bytes(&self) -> u64 {
        self.sectors * self.sector
    }

    /// Bytes of one table.
    pub const fn fat_bytes(&self) -> u64 {
        self.fat_sectors * self.sector
    }

    /// The start of a table.
    pub const fn fat_at(&self, index: u64) -> u64 {
        self.reserved * self.sector + index * self.fat_bytes()
    }

    /// The start of the root directory of FAT12 and FAT16.
    pub const fn root_at(&self) -> u64 {
        self.fat_at(self.fats)
    }

    /// Its length, whole sectors.
    pub fn root_bytes(&self) -> u64 {
        (self.root_entries * 32).next_multiple_of(self.sector.max(1))
    }

    /// The start of the clusters.
    pub fn heap_at(&self) -> u64 {
        self.root_at() + self.root_bytes()
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> u64 {
        let heap = self.bytes().checked_sub(self.heap_at());
        heap.and_then(|bytes| bytes.checked_div(self.cluster))
            .unwrap_or(0)
    }

    /// The place of a cluster. The first one has the number 2.
    pub fn cluster_at(&self, cluster: u32) -> u64 {
        let index = u64::from(cluster.saturating_sub(2));
        self.heap_at() + index * self.cluster
    }

    /// Whether there is a cluster of this number.
    pub fn holds(&self, cluster: u32) -> bool {
        cluster >= 2 && u64::from(cluster) < self.clusters() + 2
    }
}
