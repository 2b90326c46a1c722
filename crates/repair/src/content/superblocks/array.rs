//! What is found by counting from the end of a partition.

use std::ops::Range;

use crate::disk::DiskPart;

const MD: &[u8] = &0xa92b_4efc_u32.to_le_bytes();
const MD_BIG_ENDIAN: &[u8] = &0xa92b_4efc_u32.to_be_bytes();

pub fn at_end(part: &mut DiskPart<'_>, _head: &[u8]) -> Vec<Range<u64>> {
    let size = part.size();
    let sectors = size / 512;
    // md 0.90 and 1.0, NILFS2's second superblock, that of HFS+, DRBD, and its place in whole 4 KiB.
    let places: [(Option<u64>, u64, &[u8]); 9] = [
        ((size & !0xffff).checked_sub(64 << 10), 0, MD),
        ((size & !0xffff).checked_sub(64 << 10), 0, MD_BIG_ENDIAN),
        (sectors.checked_sub(16).map(|at| (at & !7) * 512), 0, MD),
        (
            (size >> 12).checked_sub(1).map(|at| at << 12),
            6,
            b"\x34\x34",
        ),
        (size.checked_sub(1024), 0, b"H+"),
        (size.checked_sub(1024), 0, b"HX"),
        (size.checked_sub(1024), 0, b"BD"),
        ((size & !0xfff).checked_sub(4096), 60, b"\x83\x74\x02"),
        (size.checked_sub(4096), 60, b"\x83\x74\x02"),
    ];
    let mut found = Vec::new();
    for (at, offset, magic) in places {
        if let Some(at) = at
            && part.holds(at + offset, magic)
        {
            found.push(at..at + 512);
        }
    }
    found
}
