//! What is known of a layer besides its place, by its kind. The keys of the JSON output and the text for people are
//! derived from it ([`Detail::facts`]); decisions ask the fields.

mod database;
mod device_number;
mod disk;
mod image;
mod level;
mod table;

use std::collections::BTreeMap;

pub use database::DatabaseDetail;
pub use device_number::DeviceNumber;
pub use disk::DiskDetail;
pub use image::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, Qcow2Detail, VdiDetail, VhdBlocks,
    VhdDetail, VhdxDetail, VmdkDetail,
};

pub use level::{ArrayLevel, ArrayRedundancy};
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
    /// A database.
    Database(DatabaseDetail),
}

impl Detail {
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
            Self::Database(database) => database.facts(),
        }
    }
}
