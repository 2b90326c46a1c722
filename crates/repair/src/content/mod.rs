//! What is in a partition, as far as a change of its blocks or of its length has to know.
//!
//! Only superblocks are looked at, and only the numbers that decide: no judgement of layouts, that is for
//! the readers of `check`.

pub mod fat;
pub(crate) mod ntfs;
mod probe;
mod superblocks;

pub use probe::probe;
pub(crate) use superblocks::superblocks;

/// What a partition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartitionContent {
    /// Zeros, wherever it was looked.
    Empty,
    /// ext2, ext3 or ext4.
    Ext {
        /// Its block.
        block: u64,
    },
    /// XFS.
    Xfs {
        /// The sector of its log and headers.
        sector: u64,
    },
    /// Btrfs.
    Btrfs {
        /// Its block.
        sector: u64,
    },
    /// NTFS.
    Ntfs {
        /// The sector that it was made for.
        sector: u64,
    },
    /// FAT12, FAT16 or FAT32.
    Fat {
        /// The sector that it was made for.
        sector: u64,
    },
    /// exFAT.
    ExFat {
        /// The sector that it was made for.
        sector: u64,
    },
    /// LUKS, either version.
    Luks {
        /// 1 or 2.
        version: u16,
        /// The start of the encrypted data, if the header says so.
        data: Option<u64>,
    },
    /// A physical volume of LVM.
    Lvm,
    /// Swap space.
    Swap {
        /// Its page.
        page: u64,
    },
    /// A member of a Linux array.
    Md {
        /// Whether its superblock is found from the end of the partition.
        at_end: bool,
        /// The start of the data.
        data: u64,
    },
    /// A member of a ZFS pool.
    Zfs {
        /// Its smallest block, if a label says so.
        block: Option<u64>,
    },
    /// A backing or a cache device of bcache.
    Bcache {
        /// Its block.
        block: u64,
    },
    /// F2FS, whose blocks are 4 KiB.
    F2fs,
    /// Squashfs, which can be read in blocks of any size.
    Squashfs,
    /// EROFS.
    Erofs {
        /// Its block.
        block: u64,
    },
    /// A volume of BitLocker.
    BitLocker {
        /// The sector that it was made for.
        sector: u64,
    },
    /// Something that is not known here.
    Unknown,
}

impl PartitionContent {
    /// Its name, for sentences.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Ext { .. } => "ext2/3/4",
            Self::Xfs { .. } => "XFS",
            Self::Btrfs { .. } => "btrfs",
            Self::Ntfs { .. } => "NTFS",
            Self::Fat { .. } => "FAT",
            Self::ExFat { .. } => "exFAT",
            Self::Luks { version: 1, .. } => "LUKS1",
            Self::Luks { .. } => "LUKS2",
            Self::Lvm => "LVM",
            Self::Swap { .. } => "swap",
            Self::Md { .. } => "a member of an md array",
            Self::Zfs { .. } => "a member of a ZFS pool",
            Self::Bcache { .. } => "bcache",
            Self::F2fs => "F2FS",
            Self::Squashfs => "squashfs",
            Self::Erofs { .. } => "EROFS",
            Self::BitLocker { .. } => "BitLocker",
            Self::Unknown => "contents of an unknown kind",
        }
    }

    /// Whether something in it is found by counting from the end of the partition.
    pub const fn counts_from_end(&self) -> bool {
        matches!(self, Self::Zfs { .. } | Self::Md { at_end: true, .. })
    }
}
