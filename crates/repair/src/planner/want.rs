//! What is wanted: the ground that is built on, and the layers above it.

use ioalign_core::{Bytes, Confidence, GridClaim, GridKind, Origin, Tier};

use ioalign_core::array::PlannedArray;

/// Everything that a plan is made from. `None` and empty: not wanted, or not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// What joins the disks.
    pub array: Option<PlannedArray>,
    /// Logical block of the disks.
    pub logical: GridClaim,
    /// Physical block of the disks. The first one does not begin at 0 on a drive with a jumper.
    pub physical: GridClaim,
    /// Indirection unit of flash: what it maps as one piece.
    pub indirection_unit: Option<Bytes>,
    /// Block of a volume that a storage system exports: zvol, iSCSI LUN.
    pub volume_block: Option<Bytes>,
    /// Further grids.
    pub grids: Vec<GridClaim>,
    /// What starts are whole multiples of by habit, where nothing speaks against it.
    pub habit: Option<Bytes>,
    /// It is an image for disks with logical blocks of 512 and of 4096 bytes.
    pub universal: bool,
    /// Size of the disk, or of what the array makes of its disks.
    pub size: Option<Bytes>,
    /// The table.
    pub label: PlannedLabel,
    /// Bytes behind the table that the platform gives to a first partition of its own.
    pub reserved: Option<Bytes>,
    /// The partitions in order; the layers above lie on the last one.
    pub partitions: Vec<PlannedPartition>,
    /// The start of the only partition, if it exists and stays.
    pub given_start: Option<Bytes>,
    /// The volumes on it, lowest first.
    pub volumes: Vec<PlannedVolume>,
    /// The file system on top.
    pub filesystem: Option<Filesystem>,
    /// Who uses it.
    pub database: Option<PlannedDatabase>,
}

impl Default for PlanRequest {
    fn default() -> Self {
        Self {
            array: None,
            logical: assumed(512, Tier::Validity, GridKind::LogicalSector),
            physical: assumed(4096, Tier::Rmw, GridKind::PhysicalBlock),
            indirection_unit: None,
            volume_block: None,
            grids: Vec::new(),
            habit: Some(Bytes::MIB),
            universal: false,
            size: None,
            label: PlannedLabel::Gpt,
            reserved: None,
            partitions: Vec::new(),
            given_start: None,
            volumes: Vec::new(),
            filesystem: None,
            database: None,
        }
    }
}

/// A block that nothing states: any claim that is stated comes first.
fn assumed(size: u64, tier: Tier, kind: GridKind) -> GridClaim {
    GridClaim {
        size: Bytes::new(size),
        phase: Bytes::ZERO,
        tier,
        kind,
        origin: Origin::Assumed,
        confidence: Confidence::Low,
        source: "assumed, because nothing states it".to_owned(),
    }
}

/// A partition table.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PlannedLabel {
    /// None: the whole disk. Nothing to misalign, and nothing that says what it is.
    Whole,
    /// An MBR.
    Dos,
    /// A GPT.
    #[default]
    Gpt,
    /// A GPT as Solaris writes it: with a reserved slice 8 at the end.
    Efi,
    /// The label of Solaris that counts in cylinders.
    Vtoc,
}

impl PlannedLabel {
    /// The first byte that no structure of the table and no boot loader takes.
    pub const fn first_free(self, logical: Bytes) -> Bytes {
        let sector = logical.get();
        let blocks = match self {
            Self::Whole => 0,
            // Boot loaders embed themselves behind the boot record, up to where partitions used to start.
            Self::Dos if sector == 512 => 63,
            Self::Dos | Self::Vtoc => 1,
            // Header, and 16 KiB of entries (UEFI 5.3.1): 34 sectors of 512 bytes, 6 of 4096.
            Self::Gpt | Self::Efi => 2 + (16 << 10) / sector,
        };
        Bytes::new(blocks * sector)
    }

    /// Bytes at the end of the disk that the table keeps.
    pub const fn tail(self, logical: Bytes) -> Bytes {
        let sector = logical.get();
        Bytes::new(match self {
            Self::Whole | Self::Dos | Self::Vtoc => 0,
            Self::Gpt => (16 << 10) + sector,
            // Slice 8: 16384 blocks.
            Self::Efi => (16 << 10) + sector + 16384 * sector,
        })
    }
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPartition {
    /// Its purpose.
    pub role: PartRole,
    /// Its size; `None`: the rest of the disk.
    pub size: Option<Bytes>,
}

/// What a partition is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PartRole {
    /// EFI system partition.
    Esp,
    /// `/boot`.
    Boot,
    /// Paging space.
    Swap,
    /// Data, or what carries the volumes.
    Data,
}

/// A volume between partition and file system.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PlannedVolume {
    /// LUKS, of a version.
    Luks {
        /// 1 or 2.
        version: u8,
    },
    /// LVM.
    Lvm {
        /// A thin pool in it.
        thin: bool,
        /// Physical volumes that logical ones are striped over; 1: linear.
        stripes: u32,
    },
    /// A backing device of bcache.
    Bcache,
}

/// A file system.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Filesystem {
    /// XFS.
    Xfs,
    /// ext4.
    Ext4,
    /// btrfs.
    Btrfs,
    /// ZFS.
    Zfs,
    /// NTFS.
    Ntfs,
    /// VMFS.
    Vmfs,
    /// FreeBSD's UFS.
    Ufs,
    /// Paging space.
    Swap,
}

impl Filesystem {
    /// All, with their names.
    pub const ALL: [(&'static str, Self); 8] = [
        ("xfs", Self::Xfs),
        ("ext4", Self::Ext4),
        ("btrfs", Self::Btrfs),
        ("zfs", Self::Zfs),
        ("ntfs", Self::Ntfs),
        ("vmfs", Self::Vmfs),
        ("ufs", Self::Ufs),
        ("swap", Self::Swap),
    ];
}

/// Who writes pages into files.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PlannedDatabase {
    /// InnoDB with pages of a size.
    InnoDb {
        /// 4 to 64 KiB.
        page: Bytes,
    },
    /// PostgreSQL: 8 KiB.
    Postgres,
    /// SQL Server: 8 KiB pages, 64 KiB extents.
    SqlServer,
    /// Oracle with blocks of a size.
    Oracle {
        /// 2 to 32 KiB.
        block: Bytes,
    },
}

impl PlannedDatabase {
    /// Bytes of a page.
    pub const fn page(self) -> Bytes {
        match self {
            Self::InnoDb { page } => page,
            Self::Postgres | Self::SqlServer => Bytes::new(8192),
            Self::Oracle { block } => block,
        }
    }
}
