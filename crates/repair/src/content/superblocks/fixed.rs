//! Magic numbers at places that are the same in every volume.

use std::ops::Range;

use crate::disk::DiskPart;

/// Behind the first 8 KiB: where, and what.
const MAGICS: &[(u64, &[u8])] = &[
    // OCFS2 in its largest block, HPFS and its spare block, ReiserFS 3.5, UFS1 and UFS2.
    (0x2000, b"OCFSV2"),
    (0x2000, b"\x49\xe8\x95\xf9"),
    (0x2200, b"\x49\x18\x91\xf9"),
    (0x2034, b"ReIsEr"),
    (0x255c, b"\x54\x19\x01\x00"),
    (0x255c, b"\x00\x01\x19\x54"),
    (0x1_055c, b"\x19\x01\x54\x19"),
    (0x1_055c, b"\x19\x54\x01\x19"),
    (0x4_055c, b"\x19\x01\x54\x19"),
    (0x4_055c, b"\x19\x54\x01\x19"),
    // Swap space of larger pages.
    (0x3ff6, b"SWAPSPACE2"),
    (0x3ff6, b"SWAP-SPACE"),
    (0x7ff6, b"SWAPSPACE2"),
    (0x7ff6, b"SWAP-SPACE"),
    (0xfff6, b"SWAPSPACE2"),
    (0xfff6, b"SWAP-SPACE"),
    (0x8000, b"JFS1"),
    (0xf000, b"JFS1"),
    (0x1_0034, b"ReIsEr"),
    (0x1_0000, b"ReIsEr4"),
    (0x1_0000, b"\x01\x16\x19\x70"),
    (0x1_0040, b"_BHRfS_M"),
    (0x400_0040, b"_BHRfS_M"),
    (0x40_0000_0040, b"_BHRfS_M"),
    // VMFS: its volume and its file system.
    (0x10_0000, b"\x0d\xd0\x01\xc0"),
    (0x20_0000, b"\x5e\xf1\xab\x2f"),
];

/// What volume descriptors of ISO 9660 and UDF begin with, behind their type.
const DESCRIPTORS: [&[u8]; 6] = [b"CD001", b"BEA01", b"NSR02", b"NSR03", b"TEA01", b"CDROM"];
/// From 32 KiB on, each of 2 KiB.
const DESCRIPTORS_AT: u64 = 32 << 10;
const DESCRIPTOR: u64 = 2 << 10;
/// UDF wants them before 64 KiB.
const DESCRIPTORS_MOST: u64 = 16;

pub fn all(part: &mut DiskPart<'_>, _head: &[u8]) -> Vec<Range<u64>> {
    let mut places = Vec::new();
    for (at, magic) in MAGICS {
        if part.holds(*at, magic) {
            places.push(*at..at + magic.len() as u64);
        }
    }
    for index in 0..DESCRIPTORS_MOST {
        let at = DESCRIPTORS_AT + index * DESCRIPTOR;
        let bytes = part.read(at, 16).unwrap_or_default();
        let named = |magic: &&[u8]| {
            let rest = |skip: usize| bytes.get(skip..).unwrap_or_default().starts_with(magic);
            rest(1) || rest(9)
        };
        if DESCRIPTORS.iter().any(named) {
            places.push(at..at + DESCRIPTOR);
        }
    }
    places
}
