//! VMware's VMDK in all its kinds: a text descriptor over flat, sparse and stream extents.
//!
//! After VMware's Virtual Disk Format 5.0; seSparse after QEMU's `block/vmdk.c`. The grains of
//! hosted disks are 64 KiB and on that grid, those of vmfsSparse snapshots are 512 bytes and on
//! no grid at all, which is why the kind matters to alignment.

mod coding;
mod descriptor;
mod extents;
mod files;
mod grains;
mod headers;
mod map;
mod places;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_core::layer::detail::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, VmdkDetail,
};
use ioalign_core::{Bytes, ImageFault, Remark, Severity, rules};

use self::descriptor::VmdkDescriptor;
use self::extents::{Body, VmdkExtents};
use self::headers::Sparse;
use self::map::ExtentMap;
use super::guest::Guest;
use super::policy::open_beside;
use super::{Image, ImagePolicy};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::view::View;

/// Bytes in which a stand-alone descriptor must show itself.
const LOOK_BYTES: u64 = 1024;

/// Opens a VMDK: a descriptor, a disk in one file, or one extent of a split disk.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    let mut remarks = Vec::new();
    if let Some(sparse) = headers::read(&view, &mut remarks)? {
        return from_sparse(source, &sparse, policy, remarks).map(Some);
    }
    if !starts_like_text(&view)? {
        return Ok(None);
    }
    let text = descriptor::read(&view, 0, view.len())?;
    from_descriptor(source, &text, policy, remarks).map(Some)
}

fn starts_like_text(view: &View) -> Result<bool> {
    let len = view.len().min(LOOK_BYTES);
    let start = view.read(0, usize::try_from(len).unwrap_or(0))?;
    Ok(descriptor::is_descriptor(&start))
}

/// A file that begins with a sparse header.
fn from_sparse(
    source: &Arc<dyn Source>,
    sparse: &Sparse,
    policy: &ImagePolicy,
    mut remarks: Vec<Remark>,
) -> Result<Image> {
    let view = View::new(Arc::clone(source));
    let embedded = sparse
        .descriptor
        .map(|(at, len)| descriptor::read(&view, at, len));
    let Some(grains) = &sparse.grains else {
        let nothing = || view.malformed(12, "A capacity of zero and no descriptor");
        return from_descriptor(source, &embedded.ok_or_else(nothing)??, policy, remarks);
    };
    let mut text = own_text(embedded, &mut remarks);
    let extents = VmdkExtents::own(source, sparse, grains);
    if text.create_type.is_empty() {
        text.create_type = plain_kind(sparse).to_owned();
    }
    let mut image = assemble(source.path(), &text, extents, policy, remarks)?;
    if let ImageHeader::Vmdk(header) = &mut image.detail.header {
        header.header_version = Some(sparse.version);
        header.redundant_directory = sparse.redundant;
    }
    Ok(image)
}

/// The embedded descriptor, where it is there and can be read.
fn own_text(embedded: Option<Result<VmdkDescriptor>>, remarks: &mut Vec<Remark>) -> VmdkDescriptor {
    let text = match embedded {
        Some(Err(error)) => {
            let why = format!(
                "The embedded descriptor cannot be read, so a parent would be missed: {}.",
                error.what()
            );
            let mut remark = Remark::new(rules::VMDK_DESCRIPTOR, Severity::Broken, why).malformed();
            remark.place = error.place();
            remarks.push(remark);
            return VmdkDescriptor::default();
        }
        Some(Ok(text)) => text,
        None => VmdkDescriptor::default(),
    };
    // QEMU leaves an empty place for a descriptor in the extents of a split disk.
    if text == VmdkDescriptor::default() {
        let why =
            "This is one extent without its descriptor: the disk may have more, and a parent.";
        remarks.push(Remark::note(rules::VMDK_BARE_EXTENT, why).of_fault(ImageFault::BareExtent));
    }
    text
}

/// What to call an extent that has no descriptor to say so.
const fn plain_kind(sparse: &Sparse) -> &'static str {
    match sparse.kind.as_bytes() {
        b"cowd" => "vmfsSparse",
        b"sesparse" => "seSparse",
        _ if sparse.packing.is_some() => "streamOptimized",
        _ => "monolithicSparse",
    }
}

/// A stand-alone descriptor, or a sparse header that only carries one.
fn from_descriptor(
    source: &Arc<dyn Source>,
    text: &VmdkDescriptor,
    policy: &ImagePolicy,
    mut remarks: Vec<Remark>,
) -> Result<Image> {
    if text.extents.is_empty() {
        let error = Error::malformed("The descriptor lists no extents").field("extent");
        return Err(error.in_file(source.path()));
    }
    descriptor::names_files(&text.extents).map_err(|error| error.in_file(source.path()))?;
    let extents = VmdkExtents::open(source.path(), &text.extents, policy, &mut remarks)
        .map_err(|error| error.in_file(source.path()))?;
    assemble(source.path(), text, extents, policy, remarks)
}

fn assemble(
    path: &Path,
    text: &VmdkDescriptor,
    extents: VmdkExtents,
    policy: &ImagePolicy,
    mut remarks: Vec<Remark>,
) -> Result<Image> {
    let backing = parent(path, text, policy, &mut remarks)?;
    let walked = places::walk(&extents, policy, &mut remarks)?;
    let below = backing.as_ref().map(|image| Arc::clone(&image.guest));
    let mut detail = detail(text, &extents);
    detail.compressed = Bytes::new(walked.compressed);
    let map = ExtentMap {
        extents: extents.list,
    };
    let guest = Guest::new(map, extents.files, below, extents.size, path.to_owned());
    Ok(Image {
        detail,
        virtual_size: Bytes::new(extents.size),
        logical_sector: None,
        guest: Arc::new(guest),
        places: walked.places,
        backing: backing.map(Box::new),
        backing_path: text.parent.as_ref().map(PathBuf::from),
        remarks,
    })
}

/// The grain of the first sparse extent.
fn grain(extents: &VmdkExtents) -> Option<u64> {
    extents.list.iter().find_map(|extent| match &extent.body {
        Body::Sparse { grains, .. } => Some(grains.grain()),
        _ => None,
    })
}

fn detail(text: &VmdkDescriptor, extents: &VmdkExtents) -> ImageDetail {
    let cluster = grain(extents).map(Bytes::new);
    ImageDetail {
        variant: ImageVariant::from_create_type(&text.create_type),
        cluster,
        header: ImageHeader::Vmdk(VmdkDetail {
            extents: extents.list.len(),
            grain: cluster,
            extent_kind: extents.kind,
            content_id: text.cid,
            parent_content_id: text.parent_cid,
            adapter: text.adapter.clone(),
            header_version: None,
            redundant_directory: false,
        }),
        ..ImageDetail::of_format(ImageFormat::Vmdk)
    }
}

/// Changed with every session that writes.
const fn content_id(image: &Image) -> Option<u32> {
    match &image.detail.header {
        ImageHeader::Vmdk(header) => header.content_id,
        _ => None,
    }
}

/// Opens the parent of a delta disk and compares content ids.
fn parent(
    path: &Path,
    text: &VmdkDescriptor,
    policy: &ImagePolicy,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Image>> {
    let Some(name) = &text.parent else {
        if let Some(cid) = text.parent_cid {
            let why = format!(
                "A parent of content id {cid:08x} is required and none is named: what is not in \
                 this file reads as zeros."
            );
            remarks.push(Remark::new(
                rules::VMDK_PARENT_MISSING,
                Severity::Broken,
                why,
            ));
        }
        return Ok(None);
    };
    let (source, below) = open_beside(path, Path::new(name), policy)?;
    let Some(image) = super::open(&source, &below)? else {
        return Ok(None);
    };
    let (has, wants) = (content_id(&image), text.parent_cid);
    if wants.is_some() && has != wants {
        let shown =
            |id: Option<u32>| id.map_or_else(|| "none".to_owned(), |id| format!("{id:08x}"));
        let why = format!(
            "The parent `{name}` was changed after this disk was made: its content id is {}, {} is \
             expected. What is read through it may be wrong.",
            shown(has),
            shown(wants)
        );
        remarks.push(Remark::new(
            rules::VMDK_CID_MISMATCH,
            Severity::DataRisk,
            why,
        ));
    }
    Ok(Some(image))
}
