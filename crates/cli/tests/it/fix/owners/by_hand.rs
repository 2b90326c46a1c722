//! Signatures by hand, from the layouts in libblkid, the kernel and the tools.

use ioalign_testkit::md::MdMember;
use ioalign_testkit::{gpt, mbr, nvlist};

use super::*;

pub const LEN: u64 = 80 * MIB;

/// A disk with a table and a signature.
pub struct Hand {
    pub name: &'static str,
    /// What the refusal calls it.
    pub says: &'static str,
    /// Whether `wipefs` of util-linux 2.38 names it.
    pub wipefs: bool,
    write: fn(&Disk),
}

impl Hand {
    pub fn disk(&self) -> Disk {
        let disk = Disk::new("disk.img", LEN);
        old(&disk);
        (self.write)(&disk);
        disk
    }
}

const fn hand(name: &'static str, says: &'static str, write: fn(&Disk)) -> Hand {
    Hand {
        name,
        says,
        wipefs: true,
        write,
    }
}

const fn unseen(name: &'static str, says: &'static str, write: fn(&Disk)) -> Hand {
    Hand {
        name,
        says,
        wipefs: false,
        write,
    }
}

/// An MBR with one partition at 63, as small as to leave the end free.
fn old(disk: &Disk) {
    disk.write(0, &mbr::sector(&[(0x83, 63, 100_000)]));
}

fn at_end(disk: &Disk, sectors: u64, bytes: &[u8]) {
    disk.write(disk.len() - sectors * 512, bytes);
}

/// A table at 446 of a first sector that has something else.
fn under(disk: &Disk, at: u64, bytes: &[u8]) {
    disk.write(at, bytes);
    disk.write(440, &mbr::sector(&[(0x83, 63, 100_000)])[440..]);
}

fn member(disk: &Disk, version: &'static str, level: u32) {
    let len = disk.len();
    let member = MdMember {
        version,
        level,
        start: 0,
        len,
    };
    member.write(disk);
    if version == "1.1" {
        disk.write(440, &mbr::sector(&[(0x83, 63, 100_000)])[440..]);
    }
}

/// A partition up to the end of the disk, whose superblock would lie elsewhere than that of the disk.
fn to_the_end(disk: &Disk, first: u32) {
    let sectors = u32::try_from(disk.len() / 512).unwrap();
    disk.write(
        0,
        &mbr::sector(&[(0x83, 63, 2000), (0x83, first, sectors - first)]),
    );
}

const DDF: [u8; 4] = [0xde, 0x11, 0xde, 0x11];

fn ddf(magic: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[..4].copy_from_slice(&magic);
    bytes[8..32].copy_from_slice(b"LSI     \0\0\0\0ABCDEFGHIJKL");
    bytes[32..40].copy_from_slice(b"01.02.00");
    bytes
}

fn drbd(magic: u8) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    bytes[..8].copy_from_slice(&((LEN - MIB) / 512).to_be_bytes());
    bytes[60..64].copy_from_slice(&[0x83, 0x74, 0x02, magic]);
    // 9 says how large its metadata are, and where they begin.
    bytes[64..68].copy_from_slice(&8_u32.to_be_bytes());
    bytes
}

/// Labels of a pool of one device at these places, each with a few uberblocks.
pub fn zfs(disk: &Disk, start: u64, len: u64, labels: &[usize]) {
    let tree = nvlist::list(&[
        nvlist::text("type", "disk"),
        nvlist::number("ashift", 12),
        nvlist::number("asize", len / (256 << 10) * (256 << 10) - (9 << 19)),
    ]);
    let list = nvlist::packed(&[
        nvlist::number("version", 5000),
        nvlist::text("name", "tank"),
        nvlist::number("state", 0),
        nvlist::number("txg", 4),
        nvlist::number("pool_guid", 0x1234_5678),
        nvlist::number("guid", 100),
        nvlist::pair("vdev_tree", nvlist::NVLIST, &tree),
    ]);
    for label in labels {
        let at = start + nvlist::places(len / (256 << 10) * (256 << 10))[*label];
        disk.write(at, &list);
        for block in 0..8 {
            disk.write(
                at + (112 << 10) + block * 1024,
                &0x00ba_b10c_u64.to_le_bytes(),
            );
        }
    }
}

fn silicon() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0x60..0x64].copy_from_slice(&0x2f00_0000_u32.to_le_bytes());
    let words = bytes[..0x13e].chunks_exact(2);
    let sum = words.fold(0_u16, |sum, word| {
        sum.wrapping_add(u16::from_le_bytes([word[0], word[1]]))
    });
    bytes[0x13e..0x140].copy_from_slice(&sum.wrapping_neg().to_le_bytes());
    bytes
}

/// 16-bit words that sum to 1.
fn jmicron() -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[..2].copy_from_slice(b"JM");
    let rest = 1_u16.wrapping_sub(u16::from_le_bytes(*b"JM"));
    bytes[4..6].copy_from_slice(&rest.to_le_bytes());
    bytes
}

fn via() -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..2].copy_from_slice(&[0x55, 0xaa]);
    bytes[50] = 0x55_u8.wrapping_add(0xaa);
    bytes
}

/// Copies of the signature with CRC-32C.
fn stratis(disk: &Disk) {
    let mut sector = vec![0; 512];
    sector[4..20].copy_from_slice(b"!Stra0tis\x86\xff\x02^Arh");
    sector[20..28].copy_from_slice(&2048_u64.to_le_bytes());
    sector[32..64].copy_from_slice(b"0123456789abcdef0123456789abcdef");
    sector[64..96].copy_from_slice(b"fedcba9876543210fedcba9876543210");
    let crc = !sector[4..].iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 0 { 0 } else { 0x82f6_3b78 }
        })
    });
    sector[..4].copy_from_slice(&crc.to_le_bytes());
    disk.write(512, &sector).write(9 * 512, &sector);
}

const BCACHEFS: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
const PROMISE: &[u8] = b"Promise Technology, Inc.";
const IMSM: &[u8] = b"Intel Raid ISM Cfg Sig. 1.1.00";

pub const ALL: &[Hand] = &[
    hand("md 0.90 RAID 1", "raid1, superblock 0.90", |disk| {
        member(disk, "0.90", 1)
    }),
    hand("md 0.90 RAID 5", "raid5, superblock 0.90", |disk| {
        member(disk, "0.90", 5)
    }),
    hand("md 1.0 RAID 1", "raid1, superblock 1.0", |disk| {
        member(disk, "1.0", 1)
    }),
    hand("md 1.0 RAID 0", "raid0, superblock 1.0", |disk| {
        member(disk, "1.0", 0)
    }),
    hand("md 1.0 RAID 4", "raid4, superblock 1.0", |disk| {
        member(disk, "1.0", 4)
    }),
    hand("md 1.0 RAID 5", "raid5, superblock 1.0", |disk| {
        member(disk, "1.0", 5)
    }),
    hand("md 1.0 RAID 6", "raid6, superblock 1.0", |disk| {
        member(disk, "1.0", 6)
    }),
    hand("md 1.0 RAID 10", "raid10, superblock 1.0", |disk| {
        member(disk, "1.0", 10)
    }),
    hand("md 1.1", "superblock 1.1", |disk| member(disk, "1.1", 1)),
    hand("md 1.2", "superblock 1.2", |disk| member(disk, "1.2", 1)),
    hand("md 1.0 under a GPT", "raid1, superblock 1.0", |disk| {
        // The table of the array, which is shorter than its members.
        let file = std::fs::File::options()
            .write(true)
            .open(disk.path())
            .unwrap();
        file.set_len(LEN - MIB).unwrap();
        sfdisk(
            disk.path(),
            "label: gpt\nfirst-lba: 34\nstart=35,size=100000\n",
        );
        file.set_len(LEN).unwrap();
        member(disk, "1.0", 1);
    }),
    hand(
        "md 0.90 under a GPT of 4096",
        "raid1, superblock 0.90",
        |disk| {
            gpt::write(disk, 4096, &[(gpt::LINUX, 35, 10_000)]);
            member(disk, "0.90", 1);
        },
    ),
    hand(
        "md 0.90 covered by a partition of another place",
        "superblock 0.90",
        |disk| {
            to_the_end(disk, 4063);
            member(disk, "0.90", 1);
        },
    ),
    hand(
        "md 0.90 too large for the partition that covers it",
        "superblock 0.90",
        |disk| {
            to_the_end(disk, 4096);
            member(disk, "0.90", 1);
        },
    ),
    hand("Intel", "Intel firmware RAID", |disk| at_end(disk, 2, IMSM)),
    hand("DDF", "DDF", |disk| at_end(disk, 1, &ddf(DDF))),
    hand("DDF, little-endian", "DDF", |disk| {
        at_end(disk, 1, &ddf([0x11, 0xde, 0x11, 0xde]))
    }),
    hand("DDF of Adaptec", "DDF", |disk| at_end(disk, 257, &ddf(DDF))),
    unseen("Intel, sectors of 4096", "Intel firmware RAID", |disk| {
        at_end(disk, 16, IMSM)
    }),
    hand("Adaptec", "Adaptec", |disk| {
        let mut bytes = vec![0; 512];
        bytes[..4].copy_from_slice(&[0x37, 0xfc, 0x4d, 0x1e]);
        // `smagic`: DPTM.
        bytes[256..260].copy_from_slice(b"DPTM");
        at_end(disk, 1, &bytes);
    }),
    hand("HighPoint 45x", "HighPoint", |disk| {
        at_end(disk, 11, &[0xf3, 0x16, 0x78, 0x5a])
    }),
    hand("HighPoint 37x", "HighPoint", |disk| {
        disk.write(0x1220, &[0xf0, 0x16, 0x78, 0x5a]);
    }),
    hand("LSI", "LSI MegaRAID", |disk| at_end(disk, 1, b"$XIDE$")),
    hand("NVIDIA", "NVIDIA", |disk| {
        let mut bytes = b"NVIDIA  ".to_vec();
        // The size in words, and the sum of as many.
        bytes.extend(30_u32.to_le_bytes());
        bytes.resize(120, 0);
        let words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        let sum = words.fold(0_u32, u32::wrapping_add);
        bytes[12..16].copy_from_slice(&0_u32.wrapping_sub(sum).to_le_bytes());
        at_end(disk, 2, &bytes);
    }),
    hand("Promise", "Promise", |disk| at_end(disk, 63, PROMISE)),
    hand("Promise, elsewhere", "Promise", |disk| {
        at_end(disk, 3087, PROMISE)
    }),
    hand("Silicon Image", "Silicon Image", |disk| {
        at_end(disk, 1, &silicon())
    }),
    hand("JMicron", "JMicron", |disk| at_end(disk, 1, &jmicron())),
    hand("VIA", "VIA", |disk| at_end(disk, 1, &via())),
    hand("DRBD 8", "DRBD", |disk| at_end(disk, 8, &drbd(0x6b))),
    hand("DRBD 8.4, unclean", "DRBD", |disk| {
        at_end(disk, 8, &drbd(0x6c))
    }),
    hand("DRBD 9", "DRBD", |disk| at_end(disk, 8, &drbd(0x6d))),
    hand("drbdmanage", "drbdmanage", |disk| {
        under(disk, 0, b"$DRBDmgr=q:0123456789abcdef0123456789abcdef\n");
    }),
    hand("DRBD proxy", "DRBD proxy", |disk| {
        under(disk, 0, b"DRBDdlh*")
    }),
    hand("ZFS, all labels", "ZFS pool tank", |disk| {
        zfs(disk, 0, LEN, &[0, 1, 2, 3])
    }),
    hand("ZFS, labels at the end", "ZFS pool tank", |disk| {
        zfs(disk, 0, LEN, &[2, 3])
    }),
    unseen(
        "ZFS, labels in a partition to the end",
        "ZFS pool tank",
        |disk| {
            // It starts at a label, and is shorter than what the label describes.
            to_the_end(disk, 4096);
            zfs(disk, 0, LEN, &[2, 3]);
        },
    ),
    hand("VDO", "VDO", |disk| {
        let mut bytes = b"dmvdo001".to_vec();
        bytes.extend([5, 0, 0, 0, 5, 0, 0, 0]);
        under(disk, 0, &bytes);
    }),
    hand("Ceph", "Ceph", |disk| {
        under(
            disk,
            0,
            b"bluestore block device\n0f0e0d0c-0b0a-0908-0706-050403020100\n",
        );
    }),
    hand("Stratis", "Stratis", stratis),
    hand("dm-integrity", "dm-integrity", |disk| {
        under(disk, 0, b"integrt\0\x03\x0f\x04\0")
    }),
    hand("snapshot", "snapshot", |disk| {
        under(disk, 0, b"SnAp\x01\0\0\0\x01\0\0\0\x08\0\0\0");
    }),
    unseen("bcachefs, copy at 2 MiB", "bcachefs", |disk| {
        disk.write((2 << 20) + 24, BCACHEFS);
    }),
    hand("LUKS2, second header", "second header", |disk| {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(b"SKUL\xba\xbe\0\x02");
        bytes[256..264].copy_from_slice(&0x8000_u64.to_be_bytes());
        disk.write(0x8000, &bytes);
    }),
    hand("Oracle ASM", "Oracle ASM", |disk| {
        under(disk, 32, b"ORCLDISKVOL1\0\0\0\0")
    }),
    hand("ReiserFS", "reiserfs", |disk| {
        let mut bytes = vec![0; 204];
        bytes[..4].copy_from_slice(&30_000_u32.to_le_bytes());
        bytes[8..12].copy_from_slice(&18_u32.to_le_bytes());
        bytes[12..16].copy_from_slice(&18_u32.to_le_bytes());
        bytes[44..46].copy_from_slice(&4096_u16.to_le_bytes());
        bytes[52..61].copy_from_slice(b"ReIsEr2Fs");
        disk.write(0x1_0000, &bytes);
    }),
    hand("OCFS2", "ocfs2", |disk| {
        disk.write(0x1000, b"OCFSV2\0\0");
    }),
    hand("GFS2", "gfs2", |disk| {
        let mut bytes = b"\x01\x16\x19\x70\0\0\0\x01".to_vec();
        bytes.resize(24, 0);
        bytes.extend(1801_u32.to_be_bytes());
        bytes.extend(1900_u32.to_be_bytes());
        disk.write(0x1_0000, &bytes);
    }),
];
