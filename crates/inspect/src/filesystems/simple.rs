//! File systems of which only the block size matters: HFS+, APFS, JFS, NILFS2, EROFS, SquashFS, HFS.

use ioalign_core::Bytes;

use super::FileSystem;
use super::fields::{power_of_two, product, shifted};
use crate::error::Result;
use crate::view::{Record, View};

/// Tries JFS: `struct jfs_superblock` (kernel `fs/jfs/jfs_superblock.h`) at 32 KiB. Its size
/// counts blocks of the device.
pub(super) fn probe_jfs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(32 << 10, b"JFS1")? {
        return Ok(None);
    }
    Ok(view.try_record(32 << 10, 184)?.and_then(|sb| jfs(&sb)))
}

fn jfs(sb: &Record) -> Option<FileSystem> {
    let (block, device) = (u64::from(sb.le32(16)), u64::from(sb.le32(24)));
    if !power_of_two(block, 512, 65536) || !power_of_two(device, 512, 65536) {
        return None;
    }
    Some(FileSystem {
        kind: "jfs",
        block: Some(Bytes::new(block)),
        sector: Some(Bytes::new(device)),
        size: product(sb.le64(8), device),
        label: sb.text(152, 16),
        uuid: sb.uuid(136),
        ..FileSystem::default()
    })
}

/// Tries NILFS2: `struct nilfs_super_block` (kernel `include/uapi/linux/nilfs2_ondisk.h`) at 1024.
/// Two bytes of magic are few, so that the checksum must be right.
pub(super) fn probe_nilfs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(1024 + 6, &0x3434_u16.to_le_bytes())? {
        return Ok(None);
    }
    Ok(view.try_record(1024, 1024)?.and_then(|sb| nilfs(&sb)))
}

/// Whether a superblock of NILFS2 is here; the copy lies 8 sectors before the end.
pub(crate) fn is_nilfs(view: &View, at: u64) -> Result<bool> {
    let record = view.try_record(at, 1024)?;
    Ok(record.is_some_and(|sb| nilfs(&sb).is_some()))
}

fn nilfs(sb: &Record) -> Option<FileSystem> {
    let block = shifted(sb.le32(20).checked_add(10)?, 10, 16)?;
    if nilfs_checksum(sb)? != sb.le32(16) {
        return None;
    }
    let mut found = FileSystem {
        kind: "nilfs2",
        block: Some(Bytes::new(block)),
        size: Some(Bytes::new(sb.le64(32))),
        label: sb.text(168, 80),
        uuid: sb.uuid(152),
        ..FileSystem::default()
    };
    if let Some(segment) = product(u64::from(sb.le32(48)), block) {
        found.facts.insert("segment", segment.to_string());
    }
    Some(found)
}

/// The plain CRC-32 register without the usual inversions, with the sum itself taken as zero.
fn nilfs_checksum(sb: &Record) -> Option<u32> {
    let len = usize::from(sb.le16(8));
    let (head, tail) = (sb.slice(0, 16), sb.bytes().get(20..len)?);
    let mut hasher = crc32fast::Hasher::new_with_initial(!sb.le32(12));
    hasher.update(head);
    hasher.update(&[0; 4]);
    hasher.update(tail);
    Some(!hasher.finalize())
}

/// Tries EROFS: `struct erofs_super_block` (kernel `fs/erofs/erofs_fs.h`) at 1024.
pub(super) fn probe_erofs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(1024, &0xe0f5_e1e2_u32.to_le_bytes())? {
        return Ok(None);
    }
    Ok(view.try_record(1024, 128)?.and_then(|sb| erofs(&sb)))
}

fn erofs(sb: &Record) -> Option<FileSystem> {
    let block = shifted(u32::from(sb.u8(12)), 9, 16)?;
    Some(FileSystem {
        kind: "erofs",
        block: Some(Bytes::new(block)),
        size: product(u64::from(sb.le32(36)), block),
        label: sb.text(64, 16),
        uuid: sb.uuid(48),
        ..FileSystem::default()
    })
}

/// Tries SquashFS 4: `struct squashfs_super_block` (kernel `fs/squashfs/squashfs_fs.h`) at 0.
/// Its blocks are compressed and packed: the block size is what is read, not a place.
pub(super) fn probe_squashfs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(0, b"hsqs")? {
        return Ok(None);
    }
    Ok(view.try_record(0, 96)?.and_then(|sb| squashfs(&sb)))
}

fn squashfs(sb: &Record) -> Option<FileSystem> {
    let block = shifted(u32::from(sb.le16(22)), 12, 20)?;
    if sb.le16(28) != 4 || u64::from(sb.le32(12)) != block {
        return None;
    }
    Some(FileSystem {
        kind: "squashfs",
        block: Some(Bytes::new(block)),
        size: Some(Bytes::new(sb.le64(40))),
        ..FileSystem::default()
    })
}

/// Tries APFS: `nx_superblock_t` (Apple File System Reference) at 0.
pub(super) fn probe_apfs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(32, b"NXSB")? {
        return Ok(None);
    }
    Ok(view.try_record(0, 128)?.and_then(|sb| apfs(&sb)))
}

fn apfs(sb: &Record) -> Option<FileSystem> {
    let block = u64::from(sb.le32(36));
    power_of_two(block, 4096, 65536).then(|| FileSystem {
        kind: "apfs",
        block: Some(Bytes::new(block)),
        size: product(sb.le64(40), block),
        uuid: sb.uuid(72),
        ..FileSystem::default()
    })
}

/// Tries HFS+ and HFSX: `HFSPlusVolumeHeader` (Apple technical note 1150) at 1024.
pub(super) fn probe_hfsplus(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(1024, b"H+")? && !view.has(1024, b"HX")? {
        return Ok(None);
    }
    Ok(view.try_record(1024, 512)?.and_then(|sb| hfsplus(&sb)))
}

fn hfsplus(sb: &Record) -> Option<FileSystem> {
    let block = u64::from(sb.be32(40));
    if !matches!(sb.be16(2), 4 | 5) || !power_of_two(block, 512, 1 << 30) {
        return None;
    }
    Some(FileSystem {
        kind: if sb.has(0, b"HX") { "hfsx" } else { "hfsplus" },
        block: Some(Bytes::new(block)),
        size: product(u64::from(sb.be32(44)), block),
        uuid: format!("{:016x}", sb.be64(104)),
        ..FileSystem::default()
    })
}

/// Tries HFS: its master directory block (Inside Macintosh: Files, 2-60) at 1024. The volume bitmap is in block 3
/// of every volume.
pub(super) fn probe_hfs(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(1024, b"BD")? {
        return Ok(None);
    }
    Ok(view.try_record(1024, 162)?.and_then(|sb| hfs(&sb)))
}

fn hfs(sb: &Record) -> Option<FileSystem> {
    let (blocks, block) = (sb.be16(18), sb.be32(20));
    let whole = blocks > 0 && block > 0 && block.is_multiple_of(512) && sb.be16(14) == 3;
    whole.then(|| FileSystem {
        kind: "hfs",
        block: Some(Bytes::new(u64::from(block))),
        ..FileSystem::default()
    })
}
