//! What is known of a layer besides its place, by its kind. The keys of the JSON output and the text for people are
//! derived from it ([`Detail::facts`]); decisions ask the fields.

mod image;

use std::collections::BTreeMap;

pub use image::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, Qcow2Detail, VdiDetail, VhdBlocks,
    VhdDetail, VhdxDetail, VmdkDetail,
};

/// Named facts: keys of the JSON output and their text.
pub type Facts = BTreeMap<&'static str, String>;

/// The details of one layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Its kind has none, or nothing is known.
    #[default]
    Unknown,
    /// The disk in an image.
    Image(ImageDetail),
}

impl Detail {
    /// The image whose disk it is.
    pub const fn image(&self) -> Option<&ImageDetail> {
        match self {
            Self::Image(image) => Some(image),
            Self::Unknown => None,
        }
    }

    /// Everything as named facts.
    pub fn facts(&self) -> Facts {
        match self {
            Self::Unknown => Facts::new(),
            Self::Image(image) => image.facts(),
        }
    }
}
