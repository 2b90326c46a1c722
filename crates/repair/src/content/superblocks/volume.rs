//! Copies whose places the first superblock names, or that have a few places to be in.

use std::ops::Range;

use ioalign_core::on_disk::NtfsBootSector;
use ioalign_core::on_disk::bytes::{be32, has, le16, le64, u8_at};

use crate::disk::DiskPart;

/// A header that is looked for by its magic number alone.
const MAGIC_BLOCK: u64 = 512;
/// As many copies as are looked for.
const COPIES_MOST: u64 = 4096;

/// One superblock in each allocation group: `xfs_repair` looks for them.
pub fn xfs(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    if !has(head, 0, b"XFSB") {
        return Vec::new();
    }
    let field = |at: usize| u64::from(be32(head, at));
    let (block, each, groups) = (field(4), field(84), field(88));
    let starts = (1..groups.min(COPIES_MOST)).filter_map(|group| group.checked_mul(each * block));
    let starts: Vec<_> = starts.filter(|at| part.holds(*at, b"XFSB")).collect();
    starts.into_iter().map(|at| at..at + MAGIC_BLOCK).collect()
}

const LABEL: u64 = 256 << 10;

/// Two labels at the start and two at the end of whole labels. Each is a list of names and values, and a ring
/// of numbered blocks: all of it says what it is.
pub fn zfs(part: &mut DiskPart<'_>, _head: &[u8]) -> Vec<Range<u64>> {
    let labels = part.size() / LABEL;
    if labels < 4 {
        return Vec::new();
    }
    let starts = [0, LABEL, (labels - 2) * LABEL, (labels - 1) * LABEL];
    let mut is_label = |at: &u64| {
        let names = part.read(at + (16 << 10), 4 << 10).unwrap_or_default();
        let ring = part.read(at + (128 << 10), 8).unwrap_or_default();
        let magic = [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()];
        names.windows(9).any(|window| window == b"pool_guid")
            || magic.iter().any(|magic| has(&ring, 0, magic))
    };
    let found: Vec<_> = starts.into_iter().filter(|at| is_label(at)).collect();
    found.into_iter().map(|at| at..at + LABEL).collect()
}

/// The second header lies behind the first, whose length is a power of two.
pub fn luks2(part: &mut DiskPart<'_>, _head: &[u8]) -> Vec<Range<u64>> {
    let places = (14..=22).map(|log| 1u64 << log);
    let found: Vec<_> = places
        .filter(|at| part.holds(*at, b"SKUL\xba\xbe"))
        .collect();
    found.into_iter().map(|at| at..at + MAGIC_BLOCK).collect()
}

/// The last sector of the partition holds the boot sector again; old ones have it in the middle.
pub fn ntfs(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    let Some(boot) = NtfsBootSector::read(head) else {
        return Vec::new();
    };
    let (sector, volume) = (boot.sector.max(512), boot.sectors);
    let last = part.size().checked_sub(sector);
    let places = [
        last,
        volume.checked_mul(sector),
        volume.saturating_sub(1).checked_mul(sector),
        (volume / 2).checked_mul(sector),
    ];
    found(part, places, 3, b"NTFS    ", sector)
}

/// A FAT32 names the sector of its second boot sector; it is within 8 KiB unless sectors are long.
pub fn fat32(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    if !has(head, 82, b"FAT32") {
        return Vec::new();
    }
    let sector = u64::from(le16(head, 11)).max(512);
    let at = u64::from(le16(head, 50)) * sector;
    found(part, [Some(at)], 510, b"\x55\xaa", sector)
}

/// The boot region of 12 sectors is there twice.
pub fn exfat(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    const MAGIC: &[u8] = b"EXFAT   ";
    let log = u8_at(head, 108);
    if !has(head, 3, MAGIC) || !(9..=12).contains(&log) {
        return Vec::new();
    }
    let sector = 1u64 << log;
    found(part, [Some(12 * sector)], 3, MAGIC, sector)
}

/// Sector 7 lists where superblocks are.
pub fn bcachefs(part: &mut DiskPart<'_>, head: &[u8]) -> Vec<Range<u64>> {
    const LAYOUT: usize = 7 * 512;
    const MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
    if !has(head, LAYOUT, MAGIC) {
        return Vec::new();
    }
    let count = usize::from(u8_at(head, LAYOUT + 18)).min(61);
    let place = |index: usize| le64(head, LAYOUT + 24 + index * 8).checked_mul(512);
    let places: Vec<_> = (0..count).map(place).collect();
    found(part, places, 24, MAGIC, 512)
}

/// Those of some places whose sector has a magic number at an offset.
fn found(
    part: &mut DiskPart<'_>,
    places: impl IntoIterator<Item = Option<u64>>,
    offset: u64,
    magic: &[u8],
    sector: u64,
) -> Vec<Range<u64>> {
    let mut all = Vec::new();
    for at in places.into_iter().flatten() {
        let within = at.checked_add(offset).zip(at.checked_add(sector));
        if let Some((there, end)) = within
            && part.holds(there, magic)
        {
            all.push(at..end);
        }
    }
    all
}
