//! Microsoft's VHDX: blocks at whole MiB, 512 or 4096-byte sectors, a log against torn writes.
//!
//! After \[MS-VHDX\], "Virtual Hard Disk v2 (VHDX) File Format".

mod blocks;
pub mod crc32c;
mod header;
mod metadata;

use std::sync::Arc;

use ioalign_core::layer::detail::{
    ImageDetail, ImageFormat, ImageHeader, ImageVariant, VhdxDetail,
};
use ioalign_core::{Bytes, Remark, Severity, rules};

use self::blocks::VhdxBlockTable;
use self::header::VhdxHeader;
use self::metadata::VhdxMetadata;
use super::guest::Guest;
use super::mapped::{Damage, GuestMapBuilder};
use super::{Image, ImageFile, ImagePolicy, windows};
use crate::error::Result;
use crate::source::Source;
use crate::view::View;

/// Opens a VHDX.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    if !header::is_vhdx(&view)? {
        return Ok(None);
    }
    follow(source, &view, policy).map(Some)
}

/// Headers, regions, metadata and blocks, in this order.
fn follow(source: &Arc<dyn Source>, view: &View, policy: &ImagePolicy) -> Result<Image> {
    let mut remarks = Vec::new();
    let header = header::header(view, &mut remarks)?;
    remarks.extend(header::log_remark(view, &header)?);
    let regions = header::regions(view, &mut remarks)?;
    let metadata = VhdxMetadata::read(view, regions.metadata)?;
    let blocks = VhdxBlockTable::new(view, &regions, &metadata)?;
    image(source, &header, &metadata, blocks, policy, remarks)
}

fn image(
    source: &Arc<dyn Source>,
    header: &VhdxHeader,
    metadata: &VhdxMetadata,
    blocks: VhdxBlockTable,
    policy: &ImagePolicy,
    mut remarks: Vec<Remark>,
) -> Result<Image> {
    let (mut map, mut damage) = (GuestMapBuilder::new(policy), Damage::default());
    let usable = blocks.walk(&mut map, &mut damage)?;
    remarks.extend(damage.settle(
        usable,
        rules::VHDX_BLOCK_TABLE,
        "entries of the block table",
    )?);
    let (runs, cut) = map.finish();
    remarks.extend(cut);
    let backing = parent(source, metadata, policy, &mut remarks)?;
    let below = backing.as_ref().map(|image| Arc::clone(&image.guest));
    let (files, path) = (vec![Arc::clone(source)], source.path().to_owned());
    let detail = detail(source, header, metadata)?;
    Ok(Image {
        detail,
        virtual_size: Bytes::new(metadata.size),
        logical_sector: Some(Bytes::new(metadata.logical_sector)),
        guest: Arc::new(Guest::new(
            blocks,
            files,
            below,
            metadata.size,
            path.clone(),
        )),
        places: vec![ImageFile {
            path,
            size: Bytes::new(source.len()),
            runs,
        }],
        backing: backing.map(Box::new),
        backing_path: windows::shown(&metadata.names),
        remarks,
    })
}

const fn variant(metadata: &VhdxMetadata) -> ImageVariant {
    match (metadata.has_parent, metadata.fixed) {
        (true, _) => ImageVariant::Differencing,
        (false, true) => ImageVariant::Fixed,
        (false, false) => ImageVariant::Dynamic,
    }
}

fn detail(
    source: &Arc<dyn Source>,
    header: &VhdxHeader,
    metadata: &VhdxMetadata,
) -> Result<ImageDetail> {
    let (block, physical) = (Bytes::new(metadata.block), metadata.physical_sector);
    Ok(ImageDetail {
        variant: variant(metadata),
        cluster: Some(block),
        header: ImageHeader::Vhdx(VhdxDetail {
            creator: header::creator(&View::new(Arc::clone(source)))?,
            block,
            data_write_id: header.data_write.clone(),
            log: Bytes::new(header.log_place.1),
            physical_sector: (physical != 0).then(|| Bytes::new(physical)),
            id: metadata.id.clone(),
        }),
        ..ImageDetail::of_format(ImageFormat::Vhdx)
    })
}

/// Changed with every session that writes.
const fn data_write_id(image: &Image) -> Option<&String> {
    match &image.detail.header {
        ImageHeader::Vhdx(header) => Some(&header.data_write_id),
        _ => None,
    }
}

/// Opens the parent of a differencing disk and compares ids.
fn parent(
    source: &Arc<dyn Source>,
    metadata: &VhdxMetadata,
    policy: &ImagePolicy,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Image>> {
    if !metadata.has_parent {
        return Ok(None);
    }
    let image = windows::open_parent(source.path(), &metadata.names, policy, "vhdx")?;
    let id = image.as_ref().and_then(data_write_id);
    if let Some(id) = id
        && !metadata.linkage.is_empty()
        && !metadata.linkage.contains(id)
    {
        let why = format!(
            "The parent was changed after this disk was made: its data id is {id}, {} is expected.",
            metadata.linkage.join(" or ")
        );
        remarks.push(Remark::new(rules::VHDX_PARENT_ID, Severity::DataRisk, why));
    }
    Ok(image)
}
