//! md superblocks: written here from the layout in `linux/raid/md_p.h`, read by mdadm and by us.

use std::process::Command;

use ioalign_inspect::volumes::{Detail, Md, VolumeMember};
use ioalign_testkit::Random;

use super::{field, flip_everywhere, probe, scratch, truncate_everywhere, view_of};
use crate::tools::run;

/// What a test wants in a superblock; sectors are 512 bytes.
#[derive(Clone)]
struct Wanted {
    version: &'static str,
    level: i32,
    layout: u32,
    chunk_sectors: u32,
    disks: u32,
    slot: u16,
    data_offset: u64,
    size: u64,
    features: u32,
    delta: i32,
    new_offset: i32,
    device_sectors: u64,
}

const PLAIN: Wanted = Wanted {
    version: "1.2",
    level: 5,
    layout: 2,
    chunk_sectors: 128,
    disks: 4,
    slot: 2,
    data_offset: 2048,
    size: 4096,
    features: 0,
    delta: 0,
    new_offset: 0,
    device_sectors: 8192,
};

impl Wanted {
    fn super_sector(&self) -> u64 {
        match self.version {
            "1.0" => (self.device_sectors - 16) & !7,
            "1.1" => 0,
            _ => 8,
        }
    }

    /// A device of zeros with the superblock in its place.
    fn device(&self) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(self.device_sectors * 512).unwrap()];
        let at = usize::try_from(self.super_sector() * 512).unwrap();
        let block = self.superblock();
        bytes[at..at + block.len()].copy_from_slice(&block);
        bytes
    }

    fn superblock(&self) -> Vec<u8> {
        let mut sb = vec![0; 256 + 2 * 16];
        let mut put = |at: usize, value: &[u8]| sb[at..at + value.len()].copy_from_slice(value);
        put(0, &0xa92b_4efc_u32.to_le_bytes());
        put(4, &1_u32.to_le_bytes());
        put(8, &self.features.to_le_bytes());
        put(16, &(0x10..0x20).collect::<Vec<u8>>());
        put(32, b"host:data");
        put(64, &1_600_000_000_u64.to_le_bytes());
        put(72, &self.level.to_le_bytes());
        put(76, &self.layout.to_le_bytes());
        put(80, &self.size.to_le_bytes());
        put(88, &self.chunk_sectors.to_le_bytes());
        put(92, &self.disks.to_le_bytes());
        put(96, &8_u32.to_le_bytes());
        put(100, &self.level.to_le_bytes());
        put(112, &self.delta.to_le_bytes());
        put(116, &self.layout.to_le_bytes());
        put(120, &self.chunk_sectors.to_le_bytes());
        put(124, &self.new_offset.to_le_bytes());
        put(128, &self.data_offset.to_le_bytes());
        put(136, &(self.size + 64).to_le_bytes());
        put(144, &self.super_sector().to_le_bytes());
        put(160, &1_u32.to_le_bytes());
        put(168, &(0x40..0x50).collect::<Vec<u8>>());
        put(192, &1_600_000_001_u64.to_le_bytes());
        put(200, &77_u64.to_le_bytes());
        put(208, &u64::MAX.to_le_bytes());
        put(220, &16_u32.to_le_bytes());
        put(256, &[0xff; 32]);
        put(256 + 2, &self.slot.to_le_bytes());
        let sum = sum_of(&sb);
        sb[216..220].copy_from_slice(&sum.to_le_bytes());
        sb
    }
}

/// Words added up, the carry folded in.
fn sum_of(bytes: &[u8]) -> u32 {
    let words = bytes
        .chunks_exact(4)
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()));
    let sum: u64 = words.map(u64::from).sum();
    u32::try_from(((sum & 0xffff_ffff) + (sum >> 32)) & 0xffff_ffff).unwrap()
}

pub fn md(member: &VolumeMember) -> &Md {
    match &member.detail {
        Detail::Md(md) => md,
        other => panic!("not md: {other:?}"),
    }
}

pub fn examine(bytes: &[u8]) -> String {
    let (_folder, path) = scratch(bytes);
    run(Command::new("mdadm").arg("--examine").arg(path))
}

pub fn number(text: &str) -> u64 {
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// Everything that mdadm prints and we have, compared.
fn agrees_with_mdadm(wanted: &Wanted) {
    let bytes = wanted.device();
    let stated = examine(&bytes);
    let member = probe(&bytes).expect("a member of md");
    let md = md(&member);
    assert_eq!(member.remarks, [], "{stated}");
    assert!(field(&stated, "Checksum").ends_with("correct"), "{stated}");
    assert_eq!(md.version, wanted.version);
    assert_eq!(member.set, field(&stated, "Array UUID"));
    assert_eq!(member.name, field(&stated, "Name"));
    assert_eq!(member.facts["level"], field(&stated, "Raid Level"));
    assert_eq!(member.facts["device-uuid"], field(&stated, "Device UUID"));
    // mdadm leaves out an offset of zero.
    let offset = if wanted.data_offset == 0 {
        0
    } else {
        512 * number(&field(&stated, "Data Offset"))
    };
    assert_eq!(member.data_start.get(), offset);
    let available = 512 * number(&field(&stated, "Avail Dev Size"));
    assert_eq!(member.data_size.unwrap().get(), available);
    assert_eq!(
        u64::from(md.raid_disks),
        number(&field(&stated, "Raid Devices"))
    );
    assert_eq!(md.events, number(&field(&stated, "Events")));
    let role = field(&stated, "Device Role");
    assert_eq!(
        md.slot.map(|slot| format!("Active device {slot}")),
        Some(role)
    );
    if stated.contains("Array Size") {
        let size = 1024 * number(&field(&stated, "Array Size"));
        assert_eq!(md.array_size.unwrap().get(), size, "{stated}");
    } else {
        assert_eq!(md.array_size, None);
    }
    if md.chunk.is_zero() {
        assert!(!stated.contains("Chunk Size"), "{stated}");
    } else {
        let chunk = field(&stated, "Chunk Size");
        assert_eq!(format!("{}K", md.chunk.get() >> 10), chunk);
    }
    if let Some(layout) = member
        .facts
        .get("layout")
        .filter(|_| stated.contains("Layout :"))
    {
        assert_eq!(*layout, field(&stated, "Layout"));
    }
}

#[test]
fn every_place_and_level_reads_as_mdadm_reads_it() {
    needs!(Packages);
    for version in ["1.0", "1.1", "1.2"] {
        let offset = if version == "1.0" { 0 } else { 264 };
        let plain = Wanted {
            version,
            data_offset: offset,
            ..PLAIN
        };
        for (level, layout, disks) in [(5, 0, 3), (5, 2, 4), (4, 0, 3), (6, 2, 5), (10, 0x102, 4)] {
            agrees_with_mdadm(&Wanted {
                level,
                layout,
                disks,
                ..plain
            });
        }
        for layout in [0x201, 0x1_0201, 0x202] {
            agrees_with_mdadm(&Wanted {
                level: 10,
                layout,
                disks: 4,
                ..plain
            });
        }
        agrees_with_mdadm(&Wanted {
            level: 1,
            layout: 0,
            chunk_sectors: 0,
            disks: 2,
            slot: 1,
            ..plain
        });
        agrees_with_mdadm(&Wanted {
            level: 0,
            layout: 0,
            disks: 4,
            size: 0,
            ..plain
        });
    }
}

#[test]
fn a_superblock_that_belongs_elsewhere_is_not_ours() {
    let mut bytes = PLAIN.device();
    // The 1.1 superblock of a partition at sector 8, seen from the disk.
    bytes[4096 + 144..4096 + 152].fill(0);
    assert!(probe(&bytes).is_none());
}

#[test]
fn a_wrong_checksum_is_remarked() {
    needs!(Packages);
    let mut bytes = PLAIN.device();
    bytes[4096 + 200] ^= 1;
    let stated = examine(&bytes);
    assert!(!field(&stated, "Checksum").ends_with("correct"), "{stated}");
    let member = probe(&bytes).unwrap();
    assert_eq!(member.remarks[0].rule, "md-checksum");
    assert_eq!(member.data_start.get(), 1 << 20);
}

#[test]
fn a_reshape_tells_where_data_will_start() {
    needs!(Packages);
    let wanted = Wanted {
        features: 4 | 64,
        delta: 1,
        new_offset: -1024,
        ..PLAIN
    };
    let bytes = wanted.device();
    let stated = examine(&bytes);
    assert_eq!(field(&stated, "New Offset"), "1024 sectors", "{stated}");
    let member = probe(&bytes).unwrap();
    let md = md(&member);
    assert_eq!(md.new_data_start.unwrap().get(), 512 << 10);
    // Three disks until it is done: two of data.
    assert_eq!(md.array_size.unwrap().get(), 2 * 4096 * 512);
    assert_eq!(member.remarks[0].rule, "md-reshape");
}

#[test]
fn spares_journals_and_bitmaps_are_told_apart() {
    for (slot, role) in [(0xffff, "spare"), (0xfffe, "faulty"), (0xfffd, "journal")] {
        let member = probe(&Wanted { slot, ..PLAIN }.device()).unwrap();
        assert_eq!(
            (md(&member).slot, member.facts["role"].as_str()),
            (None, role)
        );
    }
    let member = probe(
        &Wanted {
            features: 1,
            ..PLAIN
        }
        .device(),
    )
    .unwrap();
    assert_eq!(member.facts["bitmap"], "8 KiB");
    let member = probe(
        &Wanted {
            features: 1024,
            ..PLAIN
        }
        .device(),
    )
    .unwrap();
    assert_eq!(member.facts["consistency"], "partial parity log");
}

#[test]
fn data_past_the_end_are_broken() {
    let member = probe(
        &Wanted {
            size: 8192,
            ..PLAIN
        }
        .device(),
    )
    .unwrap();
    assert_eq!(member.remarks[0].rule, "md-data-past-end");
    let cut = Wanted {
        version: "1.0",
        data_offset: 0,
        size: 8180,
        ..PLAIN
    };
    assert_eq!(
        probe(&cut.device()).unwrap().remarks[0].rule,
        "md-data-past-end"
    );
}

#[test]
fn what_lies_inside_an_array_with_its_superblock_at_the_end_is_not_the_members() {
    let mut bytes = Wanted {
        version: "1.0",
        level: 1,
        data_offset: 0,
        chunk_sectors: 0,
        ..PLAIN
    }
    .device();
    bytes[..8].copy_from_slice(b"LUKS\xba\xbe\0\x02");
    bytes[512..520].copy_from_slice(b"LABELONE");
    assert_eq!(probe(&bytes).unwrap().kind, "md");
}

#[test]
fn the_most_recently_created_of_two_superblocks_is_taken() {
    let mut bytes = PLAIN.device();
    let newer = Wanted {
        version: "1.0",
        data_offset: 0,
        ..PLAIN
    };
    let at = usize::try_from(newer.super_sector() * 512).unwrap();
    let mut block = newer.superblock();
    block[64] += 1;
    block[216..220].fill(0);
    let sum = sum_of(&block);
    block[216..220].copy_from_slice(&sum.to_le_bytes());
    bytes[at..at + block.len()].copy_from_slice(&block);
    let member = probe(&bytes).unwrap();
    assert_eq!(md(&member).version, "1.0");
    assert_eq!(member.remarks[0].rule, "md-several-superblocks");
}

#[test]
fn hostile_superblocks_are_survived() {
    let wanted = Wanted {
        device_sectors: 512,
        size: 64,
        data_offset: 128,
        ..PLAIN
    };
    for version in ["1.0", "1.1", "1.2"] {
        let bytes = Wanted { version, ..wanted }.device();
        let at = usize::try_from(Wanted { version, ..wanted }.super_sector() * 512).unwrap();
        flip_everywhere(&bytes, at..at + 288, 600, &mut Random(1));
        truncate_everywhere(&bytes);
    }
    let mut bytes = wanted.device();
    bytes[4096 + 220..4096 + 224].fill(0xff);
    let error = ioalign_inspect::volumes::probe(&view_of(&bytes)).unwrap_err();
    assert_eq!(
        (error.offset(), error.field_name()),
        (Some(4096 + 220), Some("max_dev"))
    );
}
