//! Microsoft's VHDX: blocks at whole MiB, 512 or 4096-byte sectors, a log against torn writes.
//!
//! After \[MS-VHDX\], "Virtual Hard Disk v2 (VHDX) File Format".

mod blocks;
pub mod crc32c;
mod header;
mod metadata;

use std::collections::BTreeMap;
use std::sync::Arc;

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
    let facts = facts(source, header, metadata)?;
    Ok(Image {
        format: "vhdx",
        variant: variant(metadata).to_owned(),
        virtual_size: Bytes::new(metadata.size),
        logical_sector: Some(Bytes::new(metadata.logical_sector)),
        cluster: Some(Bytes::new(metadata.block)),
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
        compressed: Bytes::ZERO,
        backing: backing.map(Box::new),
        backing_path: windows::shown(&metadata.names),
        facts,
        remarks,
    })
}

const fn variant(metadata: &VhdxMetadata) -> &'static str {
    match (metadata.has_parent, metadata.fixed) {
        (true, _) => "differencing",
        (false, true) => "fixed",
        (false, false) => "dynamic",
    }
}

fn facts(
    source: &Arc<dyn Source>,
    header: &VhdxHeader,
    metadata: &VhdxMetadata,
) -> Result<BTreeMap<&'static str, String>> {
    let mut facts = BTreeMap::new();
    facts.insert("creator", header::creator(&View::new(Arc::clone(source)))?);
    facts.insert("block", Bytes::new(metadata.block).to_string());
    facts.insert("data-write-id", header.data_write.clone());
    facts.insert("log", Bytes::new(header.log_place.1).to_string());
    if metadata.physical_sector != 0 {
        let physical = Bytes::new(metadata.physical_sector);
        facts.insert("physical-sector", physical.to_string());
    }
    if let Some(id) = &metadata.id {
        facts.insert("id", id.clone());
    }
    Ok(facts)
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
    let id = image
        .as_ref()
        .and_then(|image| image.facts.get("data-write-id"));
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
