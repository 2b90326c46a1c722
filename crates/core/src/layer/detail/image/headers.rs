//! What the headers of the formats say.

use std::path::PathBuf;

use super::{Facts, ImageDetail};
use crate::units::Bytes;

/// The header of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageHeader {
    /// There is none, or the image is known from a text only.
    Unread,
    /// QEMU's.
    Qcow2(Qcow2Detail),
    /// VirtualBox's.
    Vdi(VdiDetail),
    /// Virtual PC's.
    Vhd(VhdDetail),
    /// Hyper-V's.
    Vhdx(VhdxDetail),
    /// VMware's.
    Vmdk(VmdkDetail),
}

/// Header of a qcow2 image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Qcow2Detail {
    /// Name of the compression method.
    pub compression: &'static str,
    /// Internal snapshots.
    pub snapshots: u32,
    /// Bytes of a subcluster, with extended entries.
    pub subcluster: Option<Bytes>,
    /// Reference counts may be behind.
    pub lazy_refcounts: bool,
    /// The format of the backing file, as the header names it.
    pub backing_format: Option<String>,
    /// The external file that holds the guest's data.
    pub data_file: Option<PathBuf>,
}

/// Header of a VDI image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VdiDetail {
    /// Where the blocks begin.
    pub data_offset: u64,
    /// Its own id.
    pub uuid: String,
    /// Bytes before the data of each block.
    pub block_extra: u64,
    /// The id of its parent.
    pub parent: Option<String>,
}

/// Footer of a VHD, and the header of a dynamic one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VhdDetail {
    /// The program that made it.
    pub creator: String,
    /// Its own id.
    pub id: String,
    /// The disk ends where its geometry does, not at the current size.
    pub sized_by_geometry: bool,
    /// The size in the footer.
    pub current_size: Bytes,
    /// Bytes of the file.
    pub file_length: u64,
    /// The blocks of a dynamic one.
    pub blocks: Option<VhdBlocks>,
}

/// The blocks of a dynamic VHD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VhdBlocks {
    /// Bytes of a block.
    pub block: Bytes,
    /// Bytes of the bitmap before it.
    pub bitmap: Bytes,
}

/// Headers and metadata of a VHDX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VhdxDetail {
    /// The program that made it.
    pub creator: String,
    /// Bytes of a block.
    pub block: Bytes,
    /// Changed with every session that writes.
    pub data_write_id: String,
    /// Bytes of the log.
    pub log: Bytes,
    /// The sector that the guest sees as the physical one.
    pub physical_sector: Option<Bytes>,
    /// Its own id.
    pub id: Option<String>,
}

/// Descriptor and headers of a VMDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmdkDetail {
    /// Parts of the disk.
    pub extents: usize,
    /// Bytes of a grain.
    pub grain: Option<Bytes>,
    /// The kind of sparse extent.
    pub extent_kind: Option<&'static str>,
    /// Changed with every session that writes.
    pub content_id: Option<u32>,
    /// The content id that its parent must have.
    pub parent_content_id: Option<u32>,
    /// The controller that it was made for.
    pub adapter: Option<String>,
    /// Version of the sparse header.
    pub header_version: Option<u64>,
    /// There are two copies of the grain tables.
    pub redundant_directory: bool,
}

impl ImageHeader {
    pub(super) fn add_facts(&self, image: &ImageDetail, facts: &mut Facts) {
        match self {
            Self::Unread => {}
            Self::Qcow2(header) => qcow2(header, facts),
            Self::Vdi(header) => vdi(header, facts),
            Self::Vhd(header) => vhd(header, facts),
            Self::Vhdx(header) => vhdx(header, facts),
            Self::Vmdk(header) => {
                facts.insert("create-type", image.variant.to_string());
                vmdk(header, facts);
            }
        }
    }
}

fn qcow2(header: &Qcow2Detail, facts: &mut Facts) {
    facts.insert("compression", header.compression.to_owned());
    if header.snapshots != 0 {
        facts.insert("snapshots", header.snapshots.to_string());
    }
    if header.lazy_refcounts {
        facts.insert("lazy-refcounts", "yes".to_owned());
    }
    let file = header.data_file.as_ref();
    let optional = [
        ("subcluster", header.subcluster.map(|size| size.to_string())),
        ("backing-format", header.backing_format.clone()),
        ("data-file", file.map(|path| path.display().to_string())),
    ];
    known(optional, facts);
}

fn vdi(header: &VdiDetail, facts: &mut Facts) {
    facts.insert("data-offset", header.data_offset.to_string());
    facts.insert("uuid", header.uuid.clone());
    if header.block_extra != 0 {
        facts.insert("block-extra", header.block_extra.to_string());
    }
    known([("parent-uuid", header.parent.clone())], facts);
}

fn vhd(header: &VhdDetail, facts: &mut Facts) {
    facts.insert("creator", header.creator.clone());
    facts.insert("id", header.id.clone());
    let by = if header.sized_by_geometry {
        "geometry (cylinders, heads, sectors)"
    } else {
        "current size"
    };
    facts.insert("size-by", by.to_owned());
    facts.insert("current-size", header.current_size.get().to_string());
    // The footer makes the file end off 4 KiB: no direct I/O to its end, no loop device of 4 KiB.
    let past = header.file_length % 4096;
    facts.insert("file-length-mod-4096", past.to_string());
    if let Some(blocks) = &header.blocks {
        facts.insert("block", blocks.block.to_string());
        facts.insert("bitmap", blocks.bitmap.to_string());
    }
}

fn vhdx(header: &VhdxDetail, facts: &mut Facts) {
    facts.insert("creator", header.creator.clone());
    facts.insert("block", header.block.to_string());
    facts.insert("data-write-id", header.data_write_id.clone());
    facts.insert("log", header.log.to_string());
    let physical = header.physical_sector.map(|size| size.to_string());
    known(
        [("physical-sector", physical), ("id", header.id.clone())],
        facts,
    );
}

fn vmdk(header: &VmdkDetail, facts: &mut Facts) {
    facts.insert("extents", header.extents.to_string());
    let id = |id: u32| format!("{id:08x}");
    let redundant = header.redundant_directory;
    let optional = [
        ("grain", header.grain.map(|grain| grain.to_string())),
        ("extent-kind", header.extent_kind.map(str::to_owned)),
        ("cid", header.content_id.map(id)),
        ("parent-cid", header.parent_content_id.map(id)),
        ("adapter", header.adapter.clone()),
        (
            "header-version",
            header.header_version.map(|version| version.to_string()),
        ),
        ("redundant-directory", redundant.then(|| "yes".to_owned())),
    ];
    known(optional, facts);
}

/// Adds the facts that are known.
fn known<const N: usize>(optional: [(&'static str, Option<String>); N], facts: &mut Facts) {
    let there = optional
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    facts.extend(there);
}
