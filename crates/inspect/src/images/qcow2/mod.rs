//! QEMU's qcow2, versions 2 and 3: a two-level table from guest clusters to file clusters.
//!
//! Layout after `docs/interop/qcow2.txt` of QEMU, limits and lenience after its `block/qcow2.c`:
//! what QEMU reads we read, with the same bytes.

pub mod entry;
mod header;
mod tables;
pub mod unpack;
mod walk;

use std::path::Path;
use std::sync::Arc;

use ioalign_core::layer::detail::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, Qcow2Detail,
};
use ioalign_core::{Bytes, ImageFault, Remark, Severity, rules};

use self::entry::Qcow2Shape;
use self::header::Qcow2Header;
use self::tables::Qcow2Tables;
use self::walk::{Qcow2Walked, walk};
use super::guest::Guest;
use super::policy::open_beside;
use super::{Image, ImageFile, ImagePolicy, open_as};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::view::View;

/// Opens a qcow2 image.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    let header = Qcow2Header::read(&view).map_err(|error| error.in_file(source.path()))?;
    let Some(header) = header else {
        return Ok(None);
    };
    follow(source, &view, &header, policy).map(Some)
}

/// What the header leads to.
fn follow(
    source: &Arc<dyn Source>,
    view: &View,
    header: &Qcow2Header,
    policy: &ImagePolicy,
) -> Result<Image> {
    let shape = Qcow2Shape::new(header, source.len());
    let data = data_file(view, header, policy)?;
    let walked = walk(source, &shape, data.len(), policy)?;
    let backing = backing(source.path(), header, policy)?;
    Ok(image(source, header, shape, data, walked, backing))
}

/// The file that holds guest data: the image itself unless the header names another.
fn data_file(view: &View, header: &Qcow2Header, policy: &ImagePolicy) -> Result<Arc<dyn Source>> {
    if !header.external {
        return Ok(Arc::clone(view.source()));
    }
    let Some(name) = &header.data_file else {
        let what = "Its data are in an external file that it does not name";
        return Err(view.locate(Error::unsupported(what), 72));
    };
    open_beside(view.source().path(), name, policy).map(|(source, _)| source)
}

/// The backing image. Its format is taken from the header where that says: what a guest wrote
/// into a raw base must not make it something else.
fn backing(path: &Path, header: &Qcow2Header, policy: &ImagePolicy) -> Result<Option<Image>> {
    let Some(name) = &header.backing else {
        return Ok(None);
    };
    let (source, policy) = open_beside(path, name, policy)?;
    open_as(&source, &policy, header.backing_format.as_deref())
}

fn image(
    source: &Arc<dyn Source>,
    header: &Qcow2Header,
    shape: Qcow2Shape,
    data: Arc<dyn Source>,
    walked: Qcow2Walked,
    backing: Option<Image>,
) -> Image {
    let mut remarks = remarks(header);
    let (runs, cut) = walked.mapped.finish();
    remarks.extend(walked.remarks);
    remarks.extend(cut);
    let place = ImageFile {
        path: data.path().to_owned(),
        size: Bytes::new(data.len()),
        runs,
    };
    let below = backing.as_ref().map(|image| Arc::clone(&image.guest));
    let (size, path) = (header.size, source.path().to_owned());
    let detail = detail(header, &shape, walked.compressed);
    let tables = Qcow2Tables::new(Arc::clone(source), shape, header.method);
    Image {
        detail,
        virtual_size: Bytes::new(size),
        logical_sector: None,
        guest: Arc::new(Guest::new(tables, vec![data], below, size, path)),
        places: vec![place],
        backing: backing.map(Box::new),
        backing_path: header.backing.clone(),
        remarks,
    }
}

fn detail(header: &Qcow2Header, shape: &Qcow2Shape, compressed: u64) -> ImageDetail {
    ImageDetail {
        format: ImageFormat::Qcow2,
        variant: ImageVariant::Version(header.version),
        cluster: Some(Bytes::new(shape.cluster())),
        compressed: Bytes::new(compressed),
        header: ImageHeader::Qcow2(Qcow2Detail {
            compression: header.method.name(),
            snapshots: header.snapshots,
            subcluster: header.extended.then(|| Bytes::new(shape.subcluster())),
            lazy_refcounts: header.lazy_refcounts,
            backing_format: header.backing_format.clone(),
            data_file: header.data_file.clone(),
        }),
    }
}

fn remarks(header: &Qcow2Header) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if header.corrupt {
        let why = "The image is marked corrupt: QEMU found damaged tables and opens it \
                   for reading only.";
        let remark = Remark::new(rules::QCOW2_CORRUPT, Severity::DataRisk, why);
        remarks.push(remark.advise("Run `qemu-img check -r all` on a copy."));
    }
    if header.dirty {
        let why = "The image is marked dirty: it is in use, or was not closed cleanly.";
        remarks.push(Remark::note(rules::QCOW2_DIRTY, why).of_fault(ImageFault::Dirty));
    }
    remarks
}
