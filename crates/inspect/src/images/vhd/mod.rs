//! Microsoft's VHD (`vpc` to QEMU): fixed, dynamic and differencing.
//!
//! The image that alignment tools get wrong: in a dynamic disk data are at all eight 512-byte
//! offsets of a 4 KiB block in turn, for any partition table.

mod dynamic;
mod footer;

use std::collections::BTreeMap;
use std::sync::Arc;

use ioalign_core::{Bytes, Remark, Runs, Severity, rules};

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
    image(source, footer, Arc::new(guest), runs, remarks)
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
        let remark = Remark::new(rules::VHD_HEADER_CHECKSUM, Severity::Broken, why);
        remarks.push(remark.at(footer.header.saturating_add(36), "checksum"));
    }
    let (mut map, mut damage) = (GuestMapBuilder::new(policy), Damage::default());
    let usable = header.blocks.walk(&mut map, &mut damage)?;
    remarks.extend(damage.settle(usable, rules::VHD_BLOCK_TABLE, "entries of the block table")?);
    let (runs, cut) = map.finish();
    remarks.extend(cut);
    let backing = parent(source, footer, &header, policy, &mut remarks)?;
    let below = backing.as_ref().map(|image| Arc::clone(&image.guest));
    let (block, bitmap) = (header.blocks.block, header.blocks.bitmap);
    let (files, path) = (vec![Arc::clone(source)], source.path().to_owned());
    let guest = Guest::new(header.blocks, files, below, size, path);
    let mut image = image(source, footer, Arc::new(guest), runs, remarks);
    image.cluster = Some(Bytes::new(block));
    image.facts.insert("block", Bytes::new(block).to_string());
    image.facts.insert("bitmap", Bytes::new(bitmap).to_string());
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
    let id = image.as_ref().and_then(|image| image.facts.get("id"));
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
    remarks: Vec<Remark>,
) -> Image {
    let place = ImageFile {
        path: source.path().to_owned(),
        size: Bytes::new(source.len()),
        runs,
    };
    Image {
        format: "vhd",
        variant: footer.kind.name().to_owned(),
        virtual_size: Bytes::new(footer.size()),
        // The format counts in 512-byte sectors and Hyper-V shows nothing else to the guest.
        logical_sector: Some(Bytes::new(footer::SECTOR)),
        cluster: None,
        guest,
        places: vec![place],
        compressed: Bytes::ZERO,
        backing: None,
        backing_path: None,
        facts: facts(source, footer),
        remarks,
    }
}

fn facts(source: &Arc<dyn Source>, footer: &Footer) -> BTreeMap<&'static str, String> {
    let mut facts = BTreeMap::new();
    facts.insert("creator", footer.creator.clone());
    facts.insert("id", footer.id.clone());
    let rule = if footer.sized_by_geometry() {
        "geometry (cylinders, heads, sectors)"
    } else {
        "current size"
    };
    facts.insert("size-by", rule.to_owned());
    facts.insert("current-size", footer.current.to_string());
    // The footer makes the file end off 4 KiB: no direct I/O to its end, no loop device of 4 KiB.
    let past = source.len() % 4096;
    facts.insert("file-length-mod-4096", past.to_string());
    facts
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
