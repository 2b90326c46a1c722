//! Seeds for formats that no packaged tool writes: the magic where it belongs, and little more.
//! They open the door; the mutations look behind it.

use ioalign_testkit::lvm;

use super::Seed;
use super::nvlist;

const MIB: u64 = 1 << 20;

/// Name, length, and what stands where.
type Made = (&'static str, u64, &'static [(u64, &'static [u8])]);

const MADE: &[Made] = &[
    ("empty", 0, &[]),
    ("zeros", 4 * MIB, &[]),
    ("refs", 16 * MIB, &[(3, b"ReFS\0\0\0\0\0\0\0\0\0FSRS\0\x02\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\x02\0\0\x80\0\0\0\x03\x0e")]),
    ("apfs", 16 * MIB, &[(32, b"NXSB\0\x10\0\0\0\x10\0\0\0\0\0\0")]),
    ("vmfs", 64 * MIB, &[(0x10_0000, b"\x0d\xd0\x01\xc0\x05\0\0\0"), (0x20_0000, b"\x5e\xf1\xab\x2f\x18\0\0\0")]),
    ("vmfs6", 64 * MIB, &[(0x10_0000, b"\x0d\xd0\x01\xc0\x06\0\0\0"), (0x20_0000, b"\x5e\xf1\xab\x2f\x1a\0\0\0")]),
    ("bitlocker", 64 * MIB, &[(0, b"\xeb\x58\x90-FVE-FS-\0\x02\x08\0\0"), (0xa0, b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01\0\0\x10\0\0\0\0\0"), (MIB, b"-FVE-FS-\x40\0\x02\0")]),
    ("stratis", 64 * MIB, &[(516, b"!Stra0tis\x86\xff\x02^\x41rh"), (0x1000 + 0x204, b"!Stra0tis\x86\xff\x02^\x41rh")]),
    ("vdo", 64 * MIB, &[(0, b"dmvdo001\x05\0\0\0\x43\0\0\0\0\0\0\0\x5d\x01\0\0\0\0\0\0")]),
    ("bluestore", 64 * MIB, &[(0, b"bluestore block device\n01234567-89ab-cdef-0123-456789abcdef\n"), (60, b"\x02\x01\x60\0\0\0")]),
    ("drbd", 64 * MIB, &[(64 * MIB - 4096, b"\0\0\0\0\0\x01\xff\xf8"), (64 * MIB - 4096 + 0x3c, b"\x83\x74\x02\x6d")]),
    ("ddf", 64 * MIB, &[(64 * MIB - 512, b"\xde\x11\xde\x11"), (64 * MIB - 512 + 32, b"02.00.00"), (64 * MIB - 512 + 0x60, b"\0\0\0\0\0\x01\xf0\0")]),
    ("imsm", 64 * MIB, &[(64 * MIB - 1024, b"Intel Raid ISM Cfg Sig. 1.3.00\0\0\0\0\0\0\x02\0\0")]),
    ("integrity", 64 * MIB, &[(0, b"integrt\0\x02\x0b\x04\0\x10\0\0\0\0\xf8\x01\0\0\0\0\0\0\0\0\0\x03\x0f")]),
    ("snapshot-cow", 64 * MIB, &[(0, b"SnAp\x01\0\0\0\x01\0\0\0\x08\0\0\0")]),
    ("ldm", 64 * MIB, &[(0x1be, b"\0\0\x02\0\x42\xff\xff\xff\x3f\0\0\0\0\0\x02\0"), (510, b"\x55\xaa"), (0xc00, b"PRIVHEAD\0\x02\0\x0b")]),
    ("dasd", 16 * MIB, &[(8192 + 4, b"\xe5\xd6\xd3\xf1")]),
    ("hfs", 16 * MIB, &[(1024, b"BD"), (1024 + 14, b"\0\x03\0\x10\x10\0\0\0\x10\0")]),
    ("md", 64 * MIB, &[
        (4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
        (4096 + 72, b"\x05\0\0\0\x02\0\0\0\0\xe8\x01\0\0\0\0\0\0\x04\0\0\x03\0\0\0"),
        (4096 + 128, b"\0\x08\0\0\0\0\0\0\0\xe8\x01\0\0\0\0\0\x08\0\0\0\0\0\0\0"),
        (4096 + 216, b"\0\0\0\0\x03\0\0\0"),
        (4096 + 256, b"\0\0\x01\0\x02\0"),
    ]),
    ("vtoc-sparc", 64 * MIB, &[(128, b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\x08\0\x02\0\0\0\x03\0\0\0\x05\0\0"), (188, b"\x60\x0d\xde\xee"), (420, b"\0\x80\0\0\0\0\0\x02\0\x10\0\x20"), (508, b"\xda\xbe\x5a\x5a")]),
    ("vtoc-x86", 64 * MIB, &[(512 + 12, b"\xee\xde\x0d\x60\x01\0\0\0"), (512 + 508, b"\xbe\xda")]),
    (
        "bcachefs",
        64 * MIB,
        &[
            (4096 + 24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
            (4096 + 120, b"\x08\0\0\x01"),
            (4096 + 752, b"\x08\0\0\0\x01\0\0\0"),
            (4096 + 752 + 8 + 24, b"\0\0\0\x02"),
        ],
    ),
    (
        "ufs2",
        64 * MIB,
        &[
            (65536 + 0x30, b"\0\x80\0\0\0\x10\0\0"),
            (65536 + 0x438, b"\0\x40\0\0\0\0\0\0"),
            (65536 + 0x55c, b"\x19\x01\x54\x19"),
        ],
    ),
    ("hfsplus", 16 * MIB, &[(1024, b"H+\0\x04\0\0\x01\0"), (1024 + 40, b"\0\0\x10\0\0\0\x10\0")]),
];

/// All of them.
pub fn seeds() -> Vec<Seed> {
    let make = |(name, len, pieces): &Made| Seed::from_pieces(name, *len, pieces);
    let text = lvm::text(1, 2048, "");
    let lvm = Seed::from_bytes("made/lvm2".to_owned(), &lvm::Pv::with(&text).device());
    let others = [nvlist::seed(), lvm];
    MADE.iter().map(make).chain(others).collect()
}
