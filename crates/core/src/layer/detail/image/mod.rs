//! What an image file says of itself.

mod format;
mod headers;

use std::borrow::Cow;
use std::fmt;

pub use format::ImageFormat;
pub use headers::{
    ImageHeader, Qcow2Detail, VdiDetail, VhdBlocks, VhdDetail, VhdxDetail, VmdkDetail,
};

use super::Facts;
use crate::units::Bytes;

/// The variant of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageVariant {
    /// Raw has none.
    Plain,
    /// Of qcow2.
    Version(u32),
    /// VHD, VHDX: all blocks are stored.
    Fixed,
    /// VHD, VHDX, VDI: blocks are stored when they are written.
    Dynamic,
    /// VHD, VHDX, VDI: blocks that are not stored are the parent's.
    Differencing,
    /// VDI: all blocks are stored.
    Static,
    /// VDI.
    Undo,
    /// VMDK: one file with header, descriptor and grains.
    MonolithicSparse,
    /// VMDK: a descriptor and one flat file.
    MonolithicFlat,
    /// VMDK: a descriptor and flat files of at most 2 GB.
    TwoGbMaxExtentFlat,
    /// VMDK on ESX: a descriptor and a flat file.
    Vmfs,
    /// VMDK: compressed grains.
    StreamOptimized,
    /// VMDK: a delta disk of ESX.
    VmfsSparse,
    /// VMDK: a delta disk of ESX 6 and later.
    SeSparse,
    /// As the file calls it.
    Other(String),
}

impl ImageVariant {
    /// The variant of a VMDK by its `createType`.
    pub fn from_create_type(name: &str) -> Self {
        match name {
            "monolithicSparse" => Self::MonolithicSparse,
            "monolithicFlat" => Self::MonolithicFlat,
            "twoGbMaxExtentFlat" => Self::TwoGbMaxExtentFlat,
            "vmfs" => Self::Vmfs,
            "streamOptimized" => Self::StreamOptimized,
            "vmfsSparse" => Self::VmfsSparse,
            "seSparse" => Self::SeSparse,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Its name; empty where there is none.
    pub fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Plain => "",
            Self::Version(number) => return Cow::Owned(format!("v{number}")),
            Self::Fixed => "fixed",
            Self::Dynamic => "dynamic",
            Self::Differencing => "differencing",
            Self::Static => "static",
            Self::Undo => "undo",
            Self::MonolithicSparse => "monolithicSparse",
            Self::MonolithicFlat => "monolithicFlat",
            Self::TwoGbMaxExtentFlat => "twoGbMaxExtentFlat",
            Self::Vmfs => "vmfs",
            Self::StreamOptimized => "streamOptimized",
            Self::VmfsSparse => "vmfsSparse",
            Self::SeSparse => "seSparse",
            Self::Other(name) => name,
        })
    }
}

impl fmt::Display for ImageVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

/// What is known of an image: its format and what its headers say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageDetail {
    /// Its format.
    pub format: ImageFormat,
    /// Its variant.
    pub variant: ImageVariant,
    /// Allocation unit: cluster, grain, block.
    pub cluster: Option<Bytes>,
    /// Bytes of guest data that are stored compressed (their place in the file has no alignment).
    pub compressed: Bytes,
    /// What the header of its format says besides.
    pub header: ImageHeader,
}

impl ImageDetail {
    /// An image of a format of which nothing else is known; so is every raw one.
    pub const fn of_format(format: ImageFormat) -> Self {
        Self {
            format,
            variant: ImageVariant::Plain,
            cluster: None,
            compressed: Bytes::ZERO,
            header: ImageHeader::Unread,
        }
    }

    /// The size that counts for a service: the current size of a VHD, not its geometry.
    pub const fn current_size(&self) -> Option<Bytes> {
        match &self.header {
            ImageHeader::Vhd(vhd) => Some(vhd.current_size),
            _ => None,
        }
    }

    /// Everything as named facts.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        facts.insert("format", self.format.name().to_owned());
        self.header.add_facts(self, &mut facts);
        if self.variant.name() != "" {
            facts.insert("variant", self.variant.to_string());
        }
        if let Some(cluster) = self.cluster {
            facts.insert("cluster", cluster.to_string());
        }
        if !self.compressed.is_zero() {
            let text = format!("{} of guest data", self.compressed);
            facts.insert("compressed", text);
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variants_lead_back() {
        for name in ["monolithicFlat", "vmfs", "seSparse", "custom", "fixed", ""] {
            assert_eq!(ImageVariant::from_create_type(name).name(), name);
        }
        let fixed = ImageVariant::from_create_type("fixed");
        assert_ne!(fixed, ImageVariant::Fixed, "that is no word of VMDK");
    }
}
