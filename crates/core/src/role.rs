//! The purpose of a region, which decides whether its alignment matters.

use serde::{Deserialize, Serialize};

/// The purpose of a partition or volume.
///
/// A BIOS boot partition at sector 34 is read once at power-on: grading it like data
/// is the false alarm that people report most.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// File systems, databases, volumes: anything a workload reads and writes.
    #[default]
    Data,
    /// Paging space: it can be created again without losing data.
    Swap,
    /// EFI system partition.
    Esp,
    /// GRUB's core image on GPT (`EF02`), or PReP boot: not in the I/O path.
    BiosBoot,
    /// Microsoft reserved partition: has no file system, at LBA 34 by design.
    Msr,
    /// The container of logical partitions: holds only their tables.
    Extended,
    /// Solaris reserved slice 8, LDM metadata, BSD raw partition and their like.
    Reserved,
    /// A slice that covers the whole disk by convention (VTOC slice 2, BSD `c`).
    WholeDisk,
    /// A VMFS datastore.
    Vmfs,
    /// The entry of a protective MBR.
    Protective,
}

impl Role {
    /// Whether a workload's I/O goes through it, so that a bad start costs something.
    pub const fn carries_data(self) -> bool {
        matches!(self, Self::Data | Self::Swap | Self::Esp | Self::Vmfs)
    }

    /// A phrase for sentences: "a swap partition".
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Swap => "swap",
            Self::Esp => "EFI system partition",
            Self::BiosBoot => "boot loader area, not in the I/O path",
            Self::Msr => "Microsoft reserved, holds no data",
            Self::Extended => "extended container, holds only tables",
            Self::Reserved => "reserved, holds no data",
            Self::WholeDisk => "whole-disk slice",
            Self::Vmfs => "VMFS datastore",
            Self::Protective => "protective entry",
        }
    }
}
