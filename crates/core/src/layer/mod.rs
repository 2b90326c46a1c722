//! A layer of the stack and how its addresses lie on the layers below.

pub mod detail;

use std::fmt;

use serde::Serialize;

use self::detail::{
    ArrayLevel, Detail, DeviceNumber, Facts, FileSystemFormat, ImageDetail, MappedDevice,
    PartitionDetail, TableKind,
};
use crate::atomic_write::AtomicLimits;
use crate::discard::DiscardLimits;
use crate::layer_id::LayerId;
use crate::map::Map;
use crate::remark::Remark;
use crate::role::Role;
use crate::units::{Bytes, Sectors};
use crate::write_unit::WriteUnitClaims;

/// The kind of a layer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A physical, virtual or simulated disk: an address space with sectors.
    Disk,
    /// An image file: the address space of its bytes.
    Image,
    /// An entry of a partition table.
    Partition,
    /// A Linux md array (also IMSM and DDF sets).
    Md,
    /// The extents area of an LVM physical volume.
    LvmPv,
    /// An LVM logical volume.
    LvmLv,
    /// A dm-thin pool.
    ThinPool,
    /// LUKS, plain dm-crypt, BitLocker.
    Crypt,
    /// A bcache backing device.
    Bcache,
    /// Any other mapped volume: DRBD, VDO, multipath, Storage Spaces.
    Volume,
    /// A file system, or its data region.
    Filesystem,
    /// Paging space.
    Swap,
    /// A database or application page stream.
    Database,
    /// A file, judged by its extents.
    File,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Disk,
        Self::Image,
        Self::Partition,
        Self::Md,
        Self::LvmPv,
        Self::LvmLv,
        Self::ThinPool,
        Self::Crypt,
        Self::Bcache,
        Self::Volume,
        Self::Filesystem,
        Self::Swap,
        Self::Database,
        Self::File,
    ];

    /// The kebab-case name of the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Image => "image",
            Self::Partition => "partition",
            Self::Md => "md",
            Self::LvmPv => "lvm-pv",
            Self::LvmLv => "lvm-lv",
            Self::ThinPool => "thin-pool",
            Self::Crypt => "crypt",
            Self::Bcache => "bcache",
            Self::Volume => "volume",
            Self::Filesystem => "filesystem",
            Self::Swap => "swap",
            Self::Database => "database",
            Self::File => "file",
        }
    }
}

/// One layer's hold on one layer below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The layer below.
    pub below: LayerId,
    /// How addresses here become addresses there.
    pub map: Map,
}

/// The RAID geometry that a file system got at mkfs time, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RaidGeometry {
    /// XFS `sunit`, ext4 `stride`; zero when not set.
    pub unit: Bytes,
    /// XFS `swidth`, ext4 `stripe-width`; zero when not set.
    pub width: Bytes,
}

/// A move of data that has begun and not ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MoveInFlight {
    /// Of this run.
    Run(u128),
    /// Its marker is damaged.
    Unknown,
}

impl fmt::Display for MoveInFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => write!(f, "{run:032x}"),
            Self::Unknown => Ok(()),
        }
    }
}

/// An address space, with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its kind.
    pub kind: Kind,
    /// The name that its users know: `sda1`, `vg/lv`, `ext4`.
    pub name: String,
    /// The layers below it; empty for the bottom.
    pub below: Vec<Edge>,
    /// Its length.
    pub size: Option<Bytes>,
    /// The logical sector that it shows to the layer above.
    pub logical_sector: Option<Bytes>,
    /// The logical sector that its bytes were written for: a GPT at byte 512, a FAT with 512-byte
    /// sectors. On a disk with another one it is not found, or does not mount.
    pub wants_sector: Option<Bytes>,
    /// Other logical sectors for which it has a table as well: an image for both kinds of disk.
    pub also_serves: Vec<Bytes>,
    /// Its purpose.
    pub role: Role,
    /// Its start in the native units of the table that names it.
    pub start_sectors: Option<Sectors>,
    /// The smallest unit in which it sends I/O down: file-system block, database page.
    pub block: Option<Bytes>,
    /// Its allocation unit, if that is several blocks: a cluster of ext4 with bigalloc.
    pub cluster: Option<Bytes>,
    /// RAID geometry that it believes in.
    pub geometry: Option<RaidGeometry>,
    /// Whether its size must be a multiple of something, and of what (LUKS2 sector).
    pub size_unit: Option<Bytes>,
    /// Whether its bytes were read and no reader knew them: a spare disk, or something foreign.
    pub searched: bool,
    /// What is known of it by its kind.
    pub detail: Detail,
    /// The kernel's number of the block device that it is.
    pub device_number: Option<DeviceNumber>,
    /// What its queue says of atomic writes; `None`: it has no queue, or that was not seen.
    pub atomic: Option<AtomicLimits>,
    /// What its queue says of discards, and for a partition where the first boundary lies in it; `None`: not seen.
    pub discard: Option<DiscardLimits>,
    /// What it says of the units in which it is written, if it is a disk that was asked.
    pub write_unit: Option<Box<WriteUnitClaims>>,
    /// What device-mapper says of it.
    pub mapped: Option<MappedDevice>,
    /// The kind of the partition table on it.
    pub table: Option<TableKind>,
    /// Whether that table has no partitions.
    pub table_is_empty: bool,
    /// The level of the array that it is: md's, LVM's or a controller's.
    pub level: Option<ArrayLevel>,
    /// Its contents are being moved by `fix`.
    pub moving: Option<MoveInFlight>,
    /// Further named facts for the display: `label`, `uuid`, `mounted`, … No verdict asks them.
    pub facts: Facts,
    /// Remarks of its reader.
    pub remarks: Vec<Remark>,
}

impl Layer {
    /// A layer about which nothing is known but its kind and name.
    ///
    /// File systems and databases are named by their format, which becomes their [`Detail`].
    pub fn new(kind: Kind, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            kind,
            detail: Detail::of_name(kind, &name),
            name,
            below: Vec::new(),
            size: None,
            logical_sector: None,
            wants_sector: None,
            also_serves: Vec::new(),
            role: Role::Data,
            start_sectors: None,
            block: None,
            cluster: None,
            geometry: None,
            size_unit: None,
            searched: false,
            device_number: None,
            atomic: None,
            discard: None,
            write_unit: None,
            mapped: None,
            table: None,
            table_is_empty: false,
            level: None,
            moving: None,
            facts: Facts::new(),
            remarks: Vec::new(),
        }
    }

    /// Puts it on `below` by `map`.
    #[must_use]
    pub fn on(mut self, below: LayerId, map: Map) -> Self {
        self.below.push(Edge { below, map });
        self
    }

    /// Sets its size.
    #[must_use]
    pub fn sized(mut self, size: Bytes) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets what is known of it by its kind.
    #[must_use]
    pub fn detailed(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// The image whose disk it is.
    pub const fn image(&self) -> Option<&ImageDetail> {
        self.detail.image()
    }

    /// The format of the file system that it is.
    pub fn filesystem_format(&self) -> Option<FileSystemFormat> {
        self.detail.filesystem().map(|filesystem| filesystem.format)
    }

    /// Sets the type that a table or a text gives the partition.
    pub fn set_partition_type(&mut self, type_id: String) {
        let old = self.detail.partition().cloned().unwrap_or_default();
        self.detail = Detail::Partition(PartitionDetail {
            type_id: Some(type_id),
            ..old
        });
    }

    /// Sets the group of a physical volume.
    pub fn set_volume_group(&mut self, name: &str) {
        if let Some(volume) = self.detail.physical_volume_mut() {
            volume.group = Some(name.to_owned());
        }
    }

    /// All that is known of it as named facts, for people and for JSON.
    pub fn all_facts(&self) -> Facts {
        let mut all = self.detail.facts();
        let more = self.facts.iter();
        all.extend(more.map(|(key, value)| (*key, value.clone())));
        let named = [
            (
                "device-number",
                self.device_number.map(|number| number.to_string()),
            ),
            (
                "atomic-write-unit-max",
                self.atomic.map(|limits| limits.unit_max.to_string()),
            ),
            (
                "level",
                self.level.as_ref().map(|level| level.name().to_owned()),
            ),
            (
                "move-in-flight",
                self.moving.map(|moving| moving.to_string()),
            ),
            ("table", self.table.map(|table| table.name().to_owned())),
            ("empty-table", self.table_is_empty.then(String::new)),
        ];
        all.extend(self.mapped.iter().flat_map(MappedDevice::facts));
        all.extend(
            named
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?))),
        );
        all
    }

    /// Records a fact for the display.
    #[must_use]
    pub fn fact(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.facts.insert(key, value.into());
        self
    }
}
