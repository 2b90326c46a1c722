//! ext2, ext3, ext4 and their external journals: block, stride and stripe width, bigalloc.
//!
//! Layout: `struct ext4_super_block`, kernel documentation `filesystems/ext4/super.rst`; the
//! superblock is at byte 1024 for any block size.

use ioalign_core::{Bytes, Remark, Severity};
use ioalign_core::{layer::RaidGeometry, rules};

use super::FileSystem;
use super::fields::product;
use crate::error::Result;
use crate::view::{Record, View};

const SUPERBLOCK: u64 = 1024;
const MAGIC: (usize, u16) = (0x38, 0xef53);
/// `EXT4_MAX_BLOCK_LOG_SIZE` − 10: blocks of 64 KiB.
const LARGEST_BLOCK_LOG: u32 = 6;
/// Clusters up to 2^29 bytes: `EXT4_MAX_CLUSTER_LOG_SIZE` − 10, with room.
const LARGEST_CLUSTER_LOG: u32 = 20;

const COMPAT_JOURNAL: u32 = 0x4;
const INCOMPAT_JOURNAL_DEVICE: u32 = 0x8;
const INCOMPAT_64BIT: u32 = 0x80;
const RO_COMPAT_BIGALLOC: u32 = 0x200;
/// Features that ext3 knows: filetype, recover, journal device, meta_bg.
const INCOMPAT_EXT3: u32 = 0x2 | 0x4 | 0x8 | 0x10;
/// Likewise: sparse_super, large_file, btree_dir.
const RO_COMPAT_EXT3: u32 = 0x1 | 0x2 | 0x4;
/// 0xFFFF sectors of 512 bytes, a transfer limit that USB bridges report as their optimal size.
const BRIDGE_LIMIT: u64 = 33_553_920;

/// Tries ext2, ext3, ext4 and the external journal.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(SUPERBLOCK + MAGIC.0 as u64, &MAGIC.1.to_le_bytes())? {
        return Ok(None);
    }
    let Some(sb) = view.try_record(SUPERBLOCK, 1024)? else {
        return Ok(None);
    };
    Ok(plausible(&sb).then(|| describe(&sb)))
}

/// Two bytes of magic are few: the fields that no valid superblock has wrong must agree.
fn plausible(sb: &Record) -> bool {
    let journal = sb.le32(0x60) & INCOMPAT_JOURNAL_DEVICE != 0;
    sb.le32(0x18) <= LARGEST_BLOCK_LOG
        && sb.le32(0x4c) <= 1
        && sb.le32(0x04) != 0
        && sb.le32(0x14) <= 1 + u32::from(journal)
        && (journal || (sb.le32(0x20) != 0 && sb.le32(0x28) != 0 && sb.le32(0x00) != 0))
}

fn describe(sb: &Record) -> FileSystem {
    let block = 1024 << sb.le32(0x18);
    let mut found = FileSystem {
        kind: kind(sb),
        block: Some(Bytes::new(block)),
        size: product(blocks(sb), block),
        geometry: geometry(sb, block),
        label: sb.text(0x78, 16),
        uuid: sb.uuid(0x68),
        ..FileSystem::default()
    };
    add_facts(&mut found, sb);
    found.remarks.extend(bogus_geometry(&found));
    found
}

fn kind(sb: &Record) -> &'static str {
    let (compat, incompat, ro_compat) = (sb.le32(0x5c), sb.le32(0x60), sb.le32(0x64));
    if incompat & INCOMPAT_JOURNAL_DEVICE != 0 {
        "ext-journal"
    } else if incompat & !INCOMPAT_EXT3 != 0 || ro_compat & !RO_COMPAT_EXT3 != 0 {
        "ext4"
    } else if compat & COMPAT_JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    }
}

fn blocks(sb: &Record) -> u64 {
    let low = u64::from(sb.le32(0x04));
    if sb.le32(0x60) & INCOMPAT_64BIT == 0 {
        return low;
    }
    u64::from(sb.le32(0x150)) << 32 | low
}

/// `s_raid_stride` and `s_raid_stripe_width` count blocks.
fn geometry(sb: &Record, block: u64) -> Option<RaidGeometry> {
    let (stride, width) = (u64::from(sb.le16(0x164)), u64::from(sb.le32(0x170)));
    if stride == 0 && width == 0 {
        return None;
    }
    Some(RaidGeometry {
        unit: product(stride, block)?,
        width: product(width, block)?,
    })
}

fn add_facts(found: &mut FileSystem, sb: &Record) {
    let cluster_log = sb.le32(0x1c);
    if sb.le32(0x64) & RO_COMPAT_BIGALLOC != 0 && cluster_log <= LARGEST_CLUSTER_LOG {
        let cluster = Bytes::new(1024 << cluster_log);
        found.cluster = Some(cluster);
        found.facts.insert("bigalloc-cluster", cluster.to_string());
    }
    let internal = sb.le32(0xe0) != 0;
    if sb.le32(0x5c) & COMPAT_JOURNAL != 0 && !internal && sb.le32(0xe4) != 0 {
        found.facts.insert("external-journal", sb.uuid(0xd0));
    }
}

/// mke2fs stores the values of the device without a check.
pub(crate) fn bogus_geometry(found: &FileSystem) -> Option<Remark> {
    let RaidGeometry { unit, width } = found.geometry?;
    let block = found.block.map_or(1, Bytes::get);
    let why = if width.get() == BRIDGE_LIMIT / block * block {
        "is the 0xFFFF-sector transfer limit of a USB bridge, not a stripe"
    } else if !unit.is_zero() && !width.is_zero() && !width.is_multiple_of(unit) {
        "is not a multiple of the stride"
    } else {
        return None;
    };
    let why = format!(
        "The stripe width of {} B (stride {} B) {why}",
        width.get(),
        unit.get()
    );
    let remark = Remark::new(rules::EXT_GEOMETRY_BOGUS, Severity::Suboptimal, why);
    Some(remark.advise("tune2fs -E stride=BLOCKS,stripe_width=BLOCKS DEVICE"))
}
