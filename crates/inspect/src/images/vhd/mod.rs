//! Microsoft's VHD (`vpc` to QEMU): fixed, dynamic and differencing.
//!
//! The image that alignment tools get wrong: in a dynamic disk data are at all eight 512-byte
//! offsets of a 4 KiB block in turn, for any partition table.

mod dynamic;
mod footer;

use std::sync::Arc;

use ioalign_core::layer::detail::{ImageDetail, ImageFormat, ImageHeader, VhdBlocks, VhdDetail};
use ioalign_core::{Bytes, ImageFault, Remark, Runs, Severity, rules};

use self::dynamic::VhdHeader;
use self::footer::{Footer, VhdKind};
use super::guest::{BlockMap, Guest, GuestPiece, GuestSpan};
use super::mapped::{Damage, GuestMapBuilder};
use super::{Image, ImageFile, ImagePolicy, windows};
use crate::error::Result;
use crate::source::Source;
use crate::view::View;

/// Opens a VHD.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    let mut remarks = Vec::new();
    let Some(footer) = Footer::read(&view, &mut remarks)? else {
        return Ok(None);
    };
    footer
        .check_size()
        .map_err(|error| view.locate(error, footer.at))?;
    remarks.extend(footer.two_sizes());
    let image = match footer.kind {
        VhdKind::Fixed => fixed(source, &footer, remarks),
        VhdKind::Dynamic | VhdKind::Differencing => blocks(source, &footer, policy, remarks)?,
    };
    Ok(Some(image))
}

/// A fixed disk: everything before the footer.
fn fixed(source: &Arc<dyn Source>, footer: &Footer, mut remarks: Vec<Remark>) -> Image {
    let size = footer.size();
    let there = footer.at.min(size);
    if there < size {
        let why = format!("The disk has {size} bytes, the file ends after {there} of them.");
        remarks.push(Remark::new(rules::VHD_CUT_OFF, Severity::Broken, why));
    }
    let mut runs = Runs::new();
    runs.push(0, 0, there);
    let data = Flat { len: there };
    let guest = Guest::new(
        data,
        vec![Arc::clone(source)],
        None,
        size,
        source.path().to_owned(),
    );
    image(source, footer, Arc::new(guest), runs, None, remarks)
}

/// A dynamic or differencing disk.
fn blocks(
    source: &Arc<dyn Source>,
    footer: &Footer,
    policy: &ImagePolicy,
    mut remarks: Vec<Remark>,
) -> Result<Image> {
    let size = footer.size();
    let header = VhdHeader::read(source, footer.header, footer.kind, size)?;
    if !header.sound {
        let why = "The checksum of the dynamic header does not hold.";
        let remark = Remark::new(rules::VHD_HEADER_CHECKSUM, Severity::Broken, why)
            .of_fault(ImageFault::HeaderChecksum);
        remarks.push(remark.at(footer.header.saturating_add(36), "checksum"));
    }
    let (mut map, mut damage) = (GuestMapBuilder::new(policy), Damage::default());
    let usable = header.blocks.walk(&mut map, &mut damage)?;
    remarks.extend(damage.settle(usable, rules::VHD_BLOCK_TABLE, "entries of the block table")?);
    let (runs, cut) = map.finish();
    remarks.extend(cut);
    let backing = parent(source, footer, &header, policy, &mut remarks)?;
    let below = backing.as_ref().map(|image| Arc::clone(&image.guest));
    let layout = VhdBlocks {
        block: Bytes::new(header.blocks.block),
        bitmap: Bytes::new(header.blocks.bitmap),
    };
    let (files, path) = (vec![Arc::clone(source)], source.path().to_owned());
    let guest = Guest::new(header.blocks, files, below, size, path);
    let mut image = image(source, footer, Arc::new(guest), runs, Some(layout), remarks);
    image.backing = backing.map(Box::new);
    image.backing_path = windows::shown(&header.names);
    Ok(image)
}

/// Opens the parent of a differencing disk and compares ids.
fn parent(
    source: &Arc<dyn Source>,
    footer: &Footer,
    header: &VhdHeader,
    policy: &ImagePolicy,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Image>> {
    if footer.kind != VhdKind::Differencing {
        return Ok(None);
    }
    let image = windows::open_parent(source.path(), &header.names, policy, "vhd")?;
    let id = image.as_ref().and_then(id);
    if id.is_some_and(|id| *id != header.parent_id) {
        let why = format!(
            "The parent has the id {}, {} is expected: it is another disk or was created again.",
            id.map_or("", String::as_str),
            header.parent_id
        );
        remarks.push(Remark::new(rules::VHD_PARENT_ID, Severity::DataRisk, why));
    }
    Ok(image)
}

fn image(
    source: &Arc<dyn Source>,
    footer: &Footer,
    guest: Arc<dyn Source>,
    runs: Runs,
    blocks: Option<VhdBlocks>,
    remarks: Vec<Remark>,
) -> Image {
    let place = ImageFile {
        path: source.path().to_owned(),
        size: Bytes::new(source.len()),
        runs,
    };
    Image {
        detail: detail(source, footer, blocks),
        virtual_size: Bytes::new(footer.size()),
        // The format counts in 512-byte sectors and Hyper-V shows nothing else to the guest.
        logical_sector: Some(Bytes::new(footer::SECTOR)),
        guest,
        places: vec![place],
        backing: None,
        backing_path: None,
        remarks,
    }
}

fn detail(source: &Arc<dyn Source>, footer: &Footer, blocks: Option<VhdBlocks>) -> ImageDetail {
    ImageDetail {
        variant: footer.kind.variant(),
        cluster: blocks.map(|blocks| blocks.block),
        header: ImageHeader::Vhd(VhdDetail {
            creator: footer.creator.clone(),
            id: footer.id.clone(),
            sized_by_geometry: footer.sized_by_geometry(),
            current_size: Bytes::new(footer.current),
            file_length: source.len(),
            blocks,
        }),
        ..ImageDetail::of_format(ImageFormat::Vhd)
    }
}

/// The id in the footer.
const fn id(image: &Image) -> Option<&String> {
    match &image.detail.header {
        ImageHeader::Vhd(header) => Some(&header.id),
        _ => None,
    }
}

/// The data of a fixed disk; zeros where the file is too short, never the footer.
struct Flat {
    len: u64,
}

impl BlockMap for Flat {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        Ok(match self.len.checked_sub(address) {
            Some(room @ 1..) => GuestSpan {
                piece: GuestPiece::Stored {
                    file: 0,
                    at: address,
                },
                room,
            },
            _ => GuestSpan {
                piece: GuestPiece::Zero,
                room: u64::MAX,
            },
        })
    }
}
