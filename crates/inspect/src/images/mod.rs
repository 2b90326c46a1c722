//! Virtual-disk images: one folder or file a format, and the list that tries them.
//!
//! Beside the guest's bytes every format yields its own map from guest addresses to file
//! addresses: no other tool looks at that, and VDI and dynamic VHD put all data off 4 KiB there.

mod bitmap;
mod entries;
pub mod foreign;
pub mod guest;
pub mod mapped;
pub mod policy;
pub mod qcow2;
pub mod raw;
pub mod vdi;
pub mod vhd;
pub mod vhdx;
pub mod vmdk;
mod windows;

use std::path::PathBuf;
use std::sync::Arc;

use ioalign_core::layer::detail::ImageDetail;
use ioalign_core::{Bytes, Remark, Runs};

use crate::error::{Error, Result};
use crate::source::Source;

/// An opened image.
pub struct Image {
    /// Its format, and what its headers say.
    pub detail: ImageDetail,
    /// Size of the virtual disk.
    pub virtual_size: Bytes,
    /// Logical sector that the guest sees, where the format says.
    pub logical_sector: Option<Bytes>,
    /// The guest's bytes: holes read as zeros, compressed clusters are inflated.
    pub guest: Arc<dyn Source>,
    /// The places of guest data in the file(s). Compressed data are left out.
    pub places: Vec<ImageFile>,
    /// Backing or parent image, opened, where there is one and it may be followed.
    pub backing: Option<Box<Self>>,
    /// Its path as written in the image.
    pub backing_path: Option<PathBuf>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
}

/// One file that holds guest data, with the map into it.
pub struct ImageFile {
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub size: Bytes,
    /// Guest address → file address.
    pub runs: Runs,
}

/// What an image may open besides its own file.
#[derive(Clone, Debug, Default)]
pub struct ImagePolicy {
    /// Follow backing files and extents that lie outside the folder of the image.
    pub allow_backing: bool,
    /// Paths on the way to this image, to break cycles. The image itself is the last.
    pub chain: Vec<PathBuf>,
}

/// Tries one format.
pub type Probe = fn(&Arc<dyn Source>, &ImagePolicy) -> Result<Option<Image>>;

/// All formats, in the order in which they are tried; the first that answers wins. Raw claims
/// what is left, and before it come the formats that are refused by name. Content decides,
/// never the suffix of the file's name.
pub const FORMATS: &[(&str, Probe)] = &[
    ("qcow2", qcow2::open),
    ("vdi", vdi::open),
    ("vmdk", vmdk::open),
    ("vhdx", vhdx::open),
    ("vhd", vhd::open),
    ("foreign", foreign::open),
    ("raw", raw::open),
];

/// Opens `source` as an image of any format; a file that no format claims is raw.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    for (_, format) in FORMATS {
        if let Some(image) = format(source, policy)? {
            return Ok(Some(image));
        }
    }
    Ok(None)
}

/// Opens a backing file in the format that the image above names; without a name, in any format.
pub fn open_as(
    source: &Arc<dyn Source>,
    policy: &ImagePolicy,
    format: Option<&str>,
) -> Result<Option<Image>> {
    let name = match format {
        None => return open(source, policy),
        // QEMU's names for the same.
        Some("file" | "host_device") => "raw",
        Some("vpc") => "vhd",
        Some(name) => name,
    };
    let wrong = |what: String| Error::malformed(what).in_file(source.path());
    let Some((_, format)) = FORMATS.iter().find(|(known, _)| *known == name) else {
        let what = format!("A backing file of format `{name}`");
        return Err(Error::unsupported(what).in_file(source.path()));
    };
    match format(source, policy)? {
        Some(image) => Ok(Some(image)),
        None => Err(wrong(format!(
            "The image above says that it is {name}, its content says otherwise"
        ))),
    }
}
