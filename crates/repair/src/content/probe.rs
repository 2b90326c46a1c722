//! Superblocks by their magic numbers.

use ioalign_core::on_disk::NtfsBootSector;
use ioalign_core::on_disk::bytes::{be16, be32, has, le16, le32, le64, u8_at};

use super::PartitionContent;
use super::fat::FatGeometry;
use crate::{Disk, Error, Result};

/// What is looked at: btrfs has its superblock at 64 KiB, ZFS the names of its first label before 128 KiB.
const HEAD: u64 = 128 << 10;
/// What is looked at of the end, where old md arrays have their superblocks.
const TAIL: u64 = 128 << 10;
const MD_MAGIC: u32 = 0xa92b_4efc;

/// What bytes `[start, start + size)` of a disk hold.
pub fn probe(disk: &mut dyn Disk, start: u64, size: u64) -> Result<PartitionContent> {
    let head = read(disk, start, size.min(HEAD))?;
    let tail = size.min(TAIL);
    let tail_at = size - tail;
    let tail = read(disk, start.saturating_add(tail_at), tail)?;
    let known = READERS.iter().find_map(|reader| reader(&head));
    let known = known.or_else(|| md_at_end(&tail, size, tail_at));
    let empty = || head.iter().chain(&tail).all(|byte| *byte == 0);
    Ok(match known {
        Some(content) => content,
        None if empty() => PartitionContent::Empty,
        None => PartitionContent::Unknown,
    })
}

fn read(disk: &mut dyn Disk, at: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    disk.read_at(at, &mut bytes)
        .map_err(|error| Error::io(format!("{length} bytes at byte {at} cannot be read"), error))?;
    Ok(bytes)
}

type Reader = fn(&[u8]) -> Option<PartitionContent>;

/// What says what it is in a way that nothing else can say comes first.
const READERS: &[Reader] = &[
    luks, lvm, bcache, md, xfs, btrfs, ext, f2fs, swap, erofs, squashfs, zfs, bitlocker, ntfs,
    exfat, fat,
];

fn luks(head: &[u8]) -> Option<PartitionContent> {
    let version = be16(head, 6);
    let magic = has(head, 0, b"LUKS\xba\xbe");
    let data = match version {
        1 => Some(u64::from(be32(head, 104)) * 512),
        _ => luks2_data(head),
    };
    magic.then_some(PartitionContent::Luks { version, data })
}

/// The smallest `"offset"` of the segments in the text of a LUKS2 header.
fn luks2_data(head: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(head.get(4096..)?);
    let segments = text.split_once("\"segments\"")?.1;
    let segments = segments.split_once("\"digests\"").map_or(segments, |s| s.0);
    let numbers = segments.split("\"offset\":\"").skip(1);
    let number = |text: &str| text.split_once('"')?.0.parse().ok();
    numbers.filter_map(number).min()
}

fn lvm(head: &[u8]) -> Option<PartitionContent> {
    let labels = (0..4).map(|sector| sector * 512);
    let mut found =
        labels.filter(|at| has(head, *at, b"LABELONE") && has(head, at + 24, b"LVM2 001"));
    found.next().map(|_| PartitionContent::Lvm)
}

fn bcache(head: &[u8]) -> Option<PartitionContent> {
    let magic = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
    let block = u64::from(le16(head, 4096 + 192)) * 512;
    has(head, 4096 + 24, magic).then_some(PartitionContent::Bcache { block })
}

/// Version 1.1 at the start, 1.2 at 4 KiB.
fn md(head: &[u8]) -> Option<PartitionContent> {
    let at = [0, 4096].into_iter();
    let mut found = at.filter(|at| le32(head, *at) == MD_MAGIC && le32(head, at + 4) == 1);
    let data = le64(head, found.next()? + 128).saturating_mul(512);
    Some(PartitionContent::Md {
        at_end: false,
        data,
    })
}

/// Version 0.90 in the last whole 64 KiB but one, 1.0 some 8 KiB before the end.
fn md_at_end(tail: &[u8], size: u64, tail_at: u64) -> Option<PartitionContent> {
    let old = (size & !0xffff).checked_sub(64 << 10);
    let new = size.checked_sub(8 << 10).map(|at| at & !0xfff);
    let places = [old, new].into_iter().flatten();
    let mut within = places
        .filter_map(|at| at.checked_sub(tail_at))
        .filter_map(|at| usize::try_from(at).ok());
    let found = within.any(|at| le32(tail, at) == MD_MAGIC);
    found.then_some(PartitionContent::Md {
        at_end: true,
        data: 0,
    })
}

fn xfs(head: &[u8]) -> Option<PartitionContent> {
    let sector = u64::from(be16(head, 102));
    has(head, 0, b"XFSB").then_some(PartitionContent::Xfs { sector })
}

fn btrfs(head: &[u8]) -> Option<PartitionContent> {
    let sector = u64::from(le32(head, 0x10000 + 0x90));
    has(head, 0x10000 + 0x40, b"_BHRfS_M").then_some(PartitionContent::Btrfs { sector })
}

fn ext(head: &[u8]) -> Option<PartitionContent> {
    let log = le32(head, 1024 + 24);
    let found = le16(head, 1024 + 56) == 0xef53 && log <= 6;
    found.then(|| PartitionContent::Ext { block: 1024 << log })
}

fn f2fs(head: &[u8]) -> Option<PartitionContent> {
    (le32(head, 1024) == 0xf2f5_2010).then_some(PartitionContent::F2fs)
}

fn swap(head: &[u8]) -> Option<PartitionContent> {
    let pages = [4096usize, 8192, 16384, 65536].into_iter();
    let signed =
        |page: &usize| has(head, page - 10, b"SWAPSPACE2") || has(head, page - 10, b"SWAP-SPACE");
    let page = pages.into_iter().find(signed)?;
    Some(PartitionContent::Swap { page: page as u64 })
}

fn erofs(head: &[u8]) -> Option<PartitionContent> {
    let log = u32::from(u8_at(head, 1024 + 12));
    let found = le32(head, 1024) == 0xe0f5_e1e2 && log <= 16;
    found.then(|| PartitionContent::Erofs { block: 1 << log })
}

fn squashfs(head: &[u8]) -> Option<PartitionContent> {
    has(head, 0, b"hsqs").then_some(PartitionContent::Squashfs)
}

/// The first label: names and values in XDR from 16 KiB on.
fn zfs(head: &[u8]) -> Option<PartitionContent> {
    let names = head.get(16 << 10..112 << 10)?;
    let find = |name: &[u8]| names.windows(name.len()).position(|window| window == name);
    find(b"pool_guid")?;
    find(b"vdev_tree")?;
    // The name is padded to 12 bytes with its length before; type and count follow, then 64 bits.
    let ashift = find(b"\0\0\0\x06ashift\0\0").map(|at| be32(names, at + 24));
    let block = ashift
        .filter(|shift| (9..=20).contains(shift))
        .map(|shift| 1u64 << shift);
    Some(PartitionContent::Zfs { block })
}

fn bitlocker(head: &[u8]) -> Option<PartitionContent> {
    let sector = u64::from(le16(head, 11));
    has(head, 3, b"-FVE-FS-").then_some(PartitionContent::BitLocker { sector })
}

fn ntfs(head: &[u8]) -> Option<PartitionContent> {
    let sector = NtfsBootSector::read(head)?.sector;
    Some(PartitionContent::Ntfs { sector })
}

fn exfat(head: &[u8]) -> Option<PartitionContent> {
    let log = u32::from(u8_at(head, 108));
    let found = has(head, 3, b"EXFAT   ") && (9..=12).contains(&log);
    found.then(|| PartitionContent::ExFat { sector: 1 << log })
}

fn fat(head: &[u8]) -> Option<PartitionContent> {
    let sector = FatGeometry::read(head)?.sector;
    Some(PartitionContent::Fat { sector })
}
