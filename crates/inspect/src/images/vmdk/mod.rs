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

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_core::{Bytes, Remark, Severity, rules};

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
    image
        .facts
        .insert("header-version", sparse.version.to_string());
    if sparse.redundant {
        image.facts.insert("redundant-directory", "yes".to_owned());
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
        remarks.push(Remark::note(rules::VMDK_BARE_EXTENT, why));
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
    let cluster = grain(&extents).map(Bytes::new);
    let facts = facts(text, &extents, cluster);
    let map = ExtentMap {
        extents: extents.list,
    };
    let guest = Guest::new(map, extents.files, below, extents.size, path.to_owned());
    Ok(Image {
        format: "vmdk",
        variant: text.create_type.clone(),
        virtual_size: Bytes::new(extents.size),
        logical_sector: None,
        cluster,
        guest: Arc::new(guest),
        places: walked.places,
        compressed: Bytes::new(walked.compressed),
        backing: backing.map(Box::new),
        backing_path: text.parent.as_ref().map(PathBuf::from),
        facts,
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

fn facts(
    text: &VmdkDescriptor,
    extents: &VmdkExtents,
    grain: Option<Bytes>,
) -> BTreeMap<&'static str, String> {
    let mut facts = BTreeMap::new();
    facts.insert("create-type", text.create_type.clone());
    facts.insert("extents", extents.list.len().to_string());
    let id = |id: u32| format!("{id:08x}");
    let optional = [
        ("grain", grain.map(|grain| grain.to_string())),
        ("extent-kind", extents.kind.map(str::to_owned)),
        ("cid", text.cid.map(id)),
        ("parent-cid", text.parent_cid.map(id)),
        ("adapter", text.adapter.clone()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            facts.insert(name, value);
        }
    }
    facts
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
    let has = image.facts.get("cid").cloned();
    let wants = text.parent_cid.map(|cid| format!("{cid:08x}"));
    if wants.is_some() && has != wants {
        let why = format!(
            "The parent `{name}` was changed after this disk was made: its content id is {}, {} is \
             expected. What is read through it may be wrong.",
            has.as_deref().unwrap_or("none"),
            wants.as_deref().unwrap_or("none")
        );
        remarks.push(Remark::new(
            rules::VMDK_CID_MISMATCH,
            Severity::DataRisk,
            why,
        ));
    }
    Ok(Some(image))
}
