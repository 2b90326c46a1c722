//! The places by which a kernel, a check or a probe takes a partition for what it is: superblocks, their
//! copies, labels at the end.
//!
//! Offsets are those of the specifications, of the kernel and of libblkid's probes. A place counts only if
//! its magic number is there, except for the first 8 KiB, which always count.

mod array;
mod ext;
mod fixed;
mod volume;

use std::ops::Range;

use crate::Disk;
use crate::disk::DiskPart;

/// Nearly every format has its first superblock here.
const HEAD: u64 = 8 << 10;

type Finder = fn(&mut DiskPart<'_>, &[u8]) -> Vec<Range<u64>>;

/// What looks for copies, by the first 8 KiB or by itself.
const FINDERS: &[Finder] = &[
    fixed::all,
    ext::backups,
    volume::xfs,
    volume::zfs,
    volume::luks2,
    volume::ntfs,
    volume::fat32,
    volume::exfat,
    volume::bcachefs,
    array::at_end,
];

/// Places on the disk by which bytes `place` of it are recognised, the most telling first.
pub fn superblocks(disk: &mut dyn Disk, place: &Range<u64>) -> Vec<Range<u64>> {
    let start = place.start;
    let mut part = DiskPart {
        disk,
        place: place.clone(),
    };
    let first = part.size().min(HEAD);
    let head = part.read(0, usize::try_from(first).unwrap_or(0));
    let head = head.unwrap_or_default();
    let mut places = Vec::new();
    places.push(0..first);
    for finder in FINDERS {
        places.extend(finder(&mut part, &head));
    }
    let on_disk = |one: Range<u64>| start.saturating_add(one.start)..start.saturating_add(one.end);
    let places = places.into_iter().filter(|one| one.end <= part.size());
    places.map(on_disk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    fn found(size: usize, writes: &[(usize, &[u8])]) -> Vec<Range<u64>> {
        let start = 1 << 20;
        let mut bytes = vec![0; start + size];
        for (at, magic) in writes {
            let at = start + at;
            bytes[at..at + magic.len()].copy_from_slice(magic);
        }
        let mut disk = MemoryDisk {
            bytes,
            logical_bytes: 512,
        };
        let start = start as u64;
        let places = superblocks(&mut disk, &(start..start + size as u64));
        let mut places: Vec<_> = places
            .into_iter()
            .map(|one| one.start - start..one.end - start)
            .collect();
        assert_eq!(places.remove(0), 0..8192.min(size as u64));
        places
    }

    #[test]
    fn what_has_no_magic_has_its_head() {
        assert_eq!(found(3 << 20, &[]), []);
        assert_eq!(found(512, &[]), []);
    }

    #[test]
    fn copies_are_found_by_their_magic() {
        let magics: &[(usize, &[u8])] = &[
            (0x8000, b"JFS1"),
            (0x1_0040, b"_BHRfS_M"),
            (0x4000, b"SKUL\xba\xbe"),
        ];
        let places = found(3 << 20, magics);
        for (at, magic) in magics {
            let at = *at as u64..(*at + magic.len()) as u64;
            let inside = |place: &Range<u64>| place.start <= at.start && at.end <= place.end;
            assert!(places.iter().any(inside), "{at:?}");
        }
    }

    #[test]
    fn a_backup_of_ext_is_found_for_each_block() {
        let magic = &[0x53, 0xef][..];
        let mut head = vec![0; 1024];
        head[56..58].copy_from_slice(magic);
        head[20..24].copy_from_slice(&1u32.to_le_bytes());
        head[32..36].copy_from_slice(&8192u32.to_le_bytes());
        head[4..8].copy_from_slice(&12288u32.to_le_bytes());
        let at = 8193 * 1024;
        let places = found(12 << 20, &[(1024, &head), (at + 56, magic)]);
        assert_eq!(
            places,
            [at as u64..at as u64 + 1024, at as u64..at as u64 + 1024]
        );
    }
}
