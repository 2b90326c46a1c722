//! What is known of a layer besides its place, by its kind. The keys of the JSON output and the text for people are
//! derived from it ([`Detail::facts`]); decisions ask the fields.

mod database;
mod device_number;
mod disk;
mod filesystem;
mod image;
mod level;
mod mapped;
mod partition;
mod table;

use std::collections::BTreeMap;

use super::Kind;

pub use database::{DatabaseDetail, DatabaseEngine};
pub use device_number::DeviceNumber;
pub use disk::DiskDetail;
pub use filesystem::{FileSystemDetail, FileSystemFormat};
pub use image::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, Qcow2Detail, VdiDetail, VhdBlocks,
    VhdDetail, VhdxDetail, VmdkDetail,
};

pub use level::{ArrayLevel, ArrayRedundancy};
pub use mapped::{MULTIPATH, MappedDevice};
pub use partition::{PartitionDetail, PhysicalVolumeDetail};
pub use table::TableKind;

/// Named facts: keys of the JSON output and their text.
pub type Facts = BTreeMap<&'static str, String>;

/// The details of one layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Its kind has none, or nothing is known.
    #[default]
    Unknown,
    /// A disk of a host.
    Disk(DiskDetail),
    /// The disk in an image.
    Image(ImageDetail),
    /// A partition.
    Partition(PartitionDetail),
    /// An LVM physical volume.
    PhysicalVolume(PhysicalVolumeDetail),
    /// A file system.
    FileSystem(FileSystemDetail),
    /// A database.
    Database(DatabaseDetail),
}

impl Detail {
    /// What the name alone says: file systems and databases are named by their format.
    pub(super) fn of_name(kind: Kind, name: &str) -> Self {
        match kind {
            Kind::Disk => Self::Disk(DiskDetail::default()),
            Kind::Partition => Self::Partition(PartitionDetail::default()),
            Kind::LvmPv => Self::PhysicalVolume(PhysicalVolumeDetail::default()),
            Kind::Filesystem => Self::FileSystem(FileSystemDetail::named(name)),
            Kind::Database => Self::Database(DatabaseDetail {
                engine: DatabaseEngine::named(name),
                ..DatabaseDetail::default()
            }),
            _ => Self::Unknown,
        }
    }

    /// The image whose disk it is.
    pub const fn image(&self) -> Option<&ImageDetail> {
        match self {
            Self::Image(image) => Some(image),
            _ => None,
        }
    }

    /// What the kernel says of the disk that it is.
    pub const fn disk(&self) -> Option<&DiskDetail> {
        match self {
            Self::Disk(disk) => Some(disk),
            _ => None,
        }
    }

    /// The partition that it is.
    pub const fn partition(&self) -> Option<&PartitionDetail> {
        match self {
            Self::Partition(partition) => Some(partition),
            _ => None,
        }
    }

    /// The physical volume that it is.
    pub const fn physical_volume(&self) -> Option<&PhysicalVolumeDetail> {
        match self {
            Self::PhysicalVolume(volume) => Some(volume),
            _ => None,
        }
    }

    /// The physical volume that it is, to add to it.
    pub const fn physical_volume_mut(&mut self) -> Option<&mut PhysicalVolumeDetail> {
        match self {
            Self::PhysicalVolume(volume) => Some(volume),
            _ => None,
        }
    }

    /// The file system that it is.
    pub const fn filesystem(&self) -> Option<&FileSystemDetail> {
        match self {
            Self::FileSystem(filesystem) => Some(filesystem),
            _ => None,
        }
    }

    /// The file system that it is, to add to it.
    pub const fn filesystem_mut(&mut self) -> Option<&mut FileSystemDetail> {
        match self {
            Self::FileSystem(filesystem) => Some(filesystem),
            _ => None,
        }
    }

    /// The database that it is.
    pub const fn database(&self) -> Option<&DatabaseDetail> {
        match self {
            Self::Database(database) => Some(database),
            _ => None,
        }
    }

    /// Everything as named facts.
    pub fn facts(&self) -> Facts {
        match self {
            Self::Unknown => Facts::new(),
            Self::Disk(disk) => disk.facts(),
            Self::Image(image) => image.facts(),
            Self::Partition(partition) => partition.facts(),
            Self::PhysicalVolume(volume) => volume.facts(),
            Self::FileSystem(filesystem) => filesystem.facts(),
            Self::Database(database) => database.facts(),
        }
    }
}
