//! VirtualBox disk images, version 1.1: a map of 32-bit block numbers and blocks of 1 MiB.
//!
//! Layout after VirtualBox's `VDICore.h` and QEMU's `block/vdi.c`. Where the data start is up to
//! the header alone: QEMU puts them right after the block map, usually at 1024 modulo 4096, and
//! then every guest block that is aligned inside is misaligned in the file.

use std::sync::Arc;

use ioalign_core::layer::detail::{ImageDetail, ImageFormat, ImageHeader, ImageVariant, VdiDetail};
use ioalign_core::{Bytes, Remark, SectorSize, Severity, rules};

use super::guest::{BlockMap, Guest, GuestPiece, GuestSpan};
use super::mapped::{Damage, GuestMapBuilder};
use super::{Image, ImageFile, ImagePolicy};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::view::{Record, View};

/// Little-endian at byte 64, behind a line of text.
const MAGIC: u32 = 0xBEDA_107F;
const VERSION_1_1: u32 = 0x0001_0001;
/// The pre-header and the version 1.1 header up to the parent's UUID.
const HEADER_LEN: usize = 0x1C8;
/// Never written: the parent's bytes, zeros without one.
const FREE: u32 = 0xFFFF_FFFF;
/// Discarded: zeros.
const ZERO: u32 = 0xFFFF_FFFE;
/// Bytes of the block map that are held at a time.
const MAP_PIECE: u64 = 64 << 10;
const NO_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// Opens a VDI image.
pub fn open(source: &Arc<dyn Source>, policy: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    if !view.has(64, &MAGIC.to_le_bytes())? {
        return Ok(None);
    }
    follow(source, &view, policy).map(Some)
}

/// What the header leads to.
fn follow(source: &Arc<dyn Source>, view: &View, policy: &ImagePolicy) -> Result<Image> {
    let raw = view.record(0, HEADER_LEN)?;
    let blocks = VdiBlockMap::read(source, &raw)?;
    let (mapped, mut remarks) = blocks.walk(policy)?;
    let (runs, cut) = mapped.finish();
    remarks.extend(cut);
    remarks.extend(parent_remark(&raw));
    let size = blocks.size;
    let place = ImageFile {
        path: source.path().to_owned(),
        size: Bytes::new(source.len()),
        runs,
    };
    let detail = detail(&raw, &blocks);
    let files = vec![Arc::clone(source)];
    let path = source.path().to_owned();
    Ok(Image {
        detail,
        virtual_size: Bytes::new(size),
        logical_sector: SectorSize::new(raw.le32(0x168)).map(SectorSize::bytes),
        guest: Arc::new(Guest::new(blocks, files, None, size, path)),
        places: vec![place],
        backing: None,
        backing_path: None,
        remarks,
    })
}

fn variant(kind: u32) -> ImageVariant {
    match kind {
        1 => ImageVariant::Dynamic,
        2 => ImageVariant::Static,
        3 => ImageVariant::Undo,
        4 => ImageVariant::Differencing,
        _ => ImageVariant::Other("unknown".to_owned()),
    }
}

fn detail(raw: &Record, blocks: &VdiBlockMap) -> ImageDetail {
    ImageDetail {
        variant: variant(raw.le32(76)),
        cluster: Some(Bytes::new(blocks.block)),
        header: ImageHeader::Vdi(VdiDetail {
            data_offset: blocks.data_at,
            uuid: raw.guid(0x188).to_ascii_lowercase(),
            block_extra: blocks.extra,
            parent: parent(raw),
        }),
        ..ImageDetail::of_format(ImageFormat::Vdi)
    }
}

/// VirtualBox knows parents by UUID, from its registry: there is no path to follow.
fn parent(raw: &Record) -> Option<String> {
    let uuid = raw.guid(0x1A8).to_ascii_lowercase();
    (uuid != NO_UUID).then_some(uuid)
}

fn parent_remark(raw: &Record) -> Option<Remark> {
    let why = format!(
        "It rests on the image with UUID {}, which is not read: \
         blocks that only the parent holds are taken as zeros.",
        parent(raw)?
    );
    let remark = Remark::new(rules::VDI_PARENT_NOT_READ, Severity::Unknown, why);
    Some(remark.advise("Make a whole image with `VBoxManage clonemedium` and check that."))
}

/// The block map and the numbers that it needs; all in bytes.
struct VdiBlockMap {
    source: Arc<dyn Source>,
    map_at: u64,
    data_at: u64,
    block: u64,
    /// Bytes before the data of each block, in no known use.
    extra: u64,
    /// Entries of the map.
    count: u64,
    /// Blocks that the header says are allocated.
    claimed: u64,
    size: u64,
}

impl VdiBlockMap {
    fn read(source: &Arc<dyn Source>, raw: &Record) -> Result<Self> {
        let version = raw.le32(68);
        if version != VERSION_1_1 {
            let (major, minor) = (version >> 16, version & 0xFFFF);
            let what = format!("It is VDI version {major}.{minor}, not 1.1");
            let error = Error::unsupported(what).in_file(source.path());
            return Err(error.at(68).field("version"));
        }
        let blocks = Self {
            source: Arc::clone(source),
            map_at: u64::from(raw.le32(0x154)),
            data_at: u64::from(raw.le32(0x158)),
            block: u64::from(raw.le32(0x178)),
            extra: u64::from(raw.le32(0x17C)),
            count: u64::from(raw.le32(0x180)),
            claimed: u64::from(raw.le32(0x184)),
            size: raw.le64(0x170),
        };
        blocks.check(raw)?;
        Ok(blocks)
    }

    fn check(&self, raw: &Record) -> Result<()> {
        if self.block == 0 || !self.block.is_multiple_of(512) {
            let what = format!("Blocks of {} bytes", self.block);
            return Err(raw.bad(0x178, "cbBlock", what));
        }
        // Both factors are 32 bits wide.
        if self.size > self.count * self.block {
            let what = format!(
                "{} bytes, but {} blocks of {} bytes",
                self.size, self.count, self.block
            );
            return Err(raw.bad(0x170, "cbDisk", what));
        }
        if self.data_end().is_none() {
            let what = format!("{} bytes before the data of each block", self.extra);
            return Err(raw.bad(0x17C, "cbBlockExtra", what));
        }
        let map_end = self.map_at + self.count * 4;
        if map_end > self.source.len() {
            let what = format!(
                "The block map at {} with {} entries ends behind the file's {} bytes",
                self.map_at,
                self.count,
                self.source.len()
            );
            return Err(raw.bad(0x154, "offBlocks", what));
        }
        Ok(())
    }

    /// The end of the last possible block; `None` past 64 bits.
    fn data_end(&self) -> Option<u64> {
        let blocks = self.count.checked_mul(self.block + self.extra)?;
        blocks.checked_add(self.data_at)
    }

    /// The place of the data of an allocated block. `entry` is below `count`, so this is before
    /// `data_end`.
    fn place(&self, entry: u32) -> u64 {
        self.data_at + self.extra + u64::from(entry) * (self.block + self.extra)
    }

    /// One pass over the map.
    fn walk(&self, policy: &ImagePolicy) -> Result<(GuestMapBuilder, Vec<Remark>)> {
        let mut walk = VdiWalk {
            blocks: self,
            mapped: GuestMapBuilder::new(policy),
            damage: Damage::default(),
            allocated: 0,
            past_end: 0,
        };
        let count = self.size.div_ceil(self.block);
        let mut first = 0;
        while first < count {
            let part = (count - first).min(MAP_PIECE / 4);
            if !walk.mapped.may_read(part * 4) {
                return Ok((walk.mapped, Vec::new()));
            }
            let mut held = vec![0; usize::try_from(part * 4).unwrap_or(0)];
            self.source.read_at(self.map_at + first * 4, &mut held)?;
            for (i, raw) in held.as_chunks().0.iter().enumerate() {
                walk.entry(first + i as u64, u32::from_le_bytes(*raw));
            }
            first += part;
        }
        let remarks = walk.remarks();
        Ok((walk.mapped, remarks))
    }
}

struct VdiWalk<'a> {
    blocks: &'a VdiBlockMap,
    mapped: GuestMapBuilder,
    damage: Damage,
    allocated: u64,
    past_end: u64,
}

impl VdiWalk<'_> {
    fn entry(&mut self, index: u64, entry: u32) {
        let blocks = self.blocks;
        if matches!(entry, FREE | ZERO) {
            return;
        }
        if u64::from(entry) >= blocks.count {
            self.damage.add(|| blocks.bad(index, entry));
            return;
        }
        self.allocated += 1;
        let (from, to) = (index * blocks.block, blocks.place(entry));
        if to >= blocks.source.len() {
            self.past_end += 1;
        }
        self.mapped
            .push(from, to, blocks.block.min(blocks.size - from));
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        remarks.extend(
            self.damage
                .remark(rules::VDI_BAD_ENTRIES, "block map entries"),
        );
        if self.past_end != 0 {
            let why = format!(
                "{} blocks lie behind the end of the file's {} bytes and read as zeros: \
                 the file was cut off.",
                self.past_end,
                self.blocks.source.len()
            );
            remarks.push(Remark::new(rules::IMAGE_CUT_OFF, Severity::DataRisk, why));
        }
        if self.allocated != self.blocks.claimed {
            let why = format!(
                "The header counts {} allocated blocks, the map {}.",
                self.blocks.claimed, self.allocated
            );
            remarks.push(Remark::note(rules::VDI_BLOCK_COUNT, why));
        }
        remarks
    }
}

impl VdiBlockMap {
    fn bad(&self, index: u64, entry: u32) -> Error {
        let what = format!("Block {entry} of {}", self.count);
        Error::malformed(what)
            .in_file(self.source.path())
            .at(self.map_at + index * 4)
            .field("block_map")
    }
}

impl BlockMap for VdiBlockMap {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        let (index, within) = (address / self.block, address % self.block);
        let mut raw = [0; 4];
        self.source.read_at(self.map_at + index * 4, &mut raw)?;
        let entry = u32::from_le_bytes(raw);
        let piece = match entry {
            FREE => GuestPiece::Below,
            ZERO => GuestPiece::Zero,
            _ if u64::from(entry) >= self.count => return Err(self.bad(index, entry)),
            _ => GuestPiece::Stored {
                file: 0,
                at: self.place(entry) + within,
            },
        };
        let room = self.block - within;
        Ok(GuestSpan { piece, room })
    }
}
