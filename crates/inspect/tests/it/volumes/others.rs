//! bcache written by make-bcache; the formats that are only recognised, written here and, where
//! it knows them, named by blkid.

use std::process::Command;

use ioalign_inspect::volumes::{self, Detail, VolumeMember};
use ioalign_testkit::Random;

use super::{flip_everywhere, probe, scratch, truncate_everywhere};
use crate::tools::run;

/// The value behind `name` in what bcache-super-show prints.
fn shown(stated: &str, name: &str) -> String {
    let line = stated.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no `{name}` in:\n{stated}"));
    value.split_whitespace().next().unwrap().to_owned()
}

fn bcache(options: &[&str]) -> (Vec<u8>, String) {
    let (_folder, path) = scratch(&vec![0; 16 << 20]);
    run(Command::new("make-bcache").args(options).arg(&path));
    let stated = run(Command::new("bcache-super-show").arg(&path));
    (std::fs::read(&path).unwrap(), stated)
}

#[test]
fn bcache_backing_devices_start_where_bcache_super_show_says() {
    needs!(Packages);
    for options in [
        &["-B"][..],
        &["-B", "--data-offset", "161280"],
        &["-B", "-o", "1000"],
    ] {
        let (mut bytes, stated) = bcache(options);
        let sectors: u64 = shown(&stated, "dev.data.first_sector").parse().unwrap();
        if sectors * 512 > 16 << 20 {
            assert_eq!(
                probe(&bytes).unwrap().remarks[0].rule,
                "bcache-data-past-end"
            );
            bytes.resize(usize::try_from(sectors * 512 + 4096).unwrap(), 0);
        }
        let member = probe(&bytes).unwrap();
        assert!(stated.contains("[match]"), "{stated}");
        assert_eq!(member.remarks, []);
        assert_eq!(member.data_start.get(), sectors * 512);
        assert_eq!(member.set, shown(&stated, "cset.uuid"));
        assert_eq!(member.facts["device-uuid"], shown(&stated, "dev.uuid"));
        assert!(matches!(member.detail, Detail::Shifted));
    }
}

#[test]
fn bcache_cache_devices_are_opaque_and_tell_their_bucket() {
    needs!(Packages);
    let (bytes, stated) = bcache(&["-C", "--bucket", "32k", "--block", "4k"]);
    let member = probe(&bytes).unwrap();
    assert!(matches!(member.detail, Detail::Opaque(_)));
    assert_eq!(shown(&stated, "dev.sectors_per_bucket"), "64");
    assert_eq!(
        (
            member.facts["bucket-size"].as_str(),
            member.facts["block-size"].as_str()
        ),
        ("32 KiB", "4 KiB")
    );
    assert_eq!(member.facts["first-bucket"], "32 KiB");
    let mut damaged = bytes;
    damaged[4096 + 200] ^= 1;
    assert_eq!(probe(&damaged).unwrap().remarks[0].rule, "bcache-checksum");
}

/// What blkid calls the superblock in `bytes`.
fn blkid(bytes: &[u8]) -> String {
    let (_folder, path) = scratch(bytes);
    let stated = run(Command::new("blkid")
        .args(["--probe", "-o", "value", "-s", "TYPE"])
        .arg(path));
    stated.trim().to_owned()
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// blkid looks for no RAID on what may be a floppy disk.
const SIZE: usize = 2 << 20;

fn vdo() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(&mut bytes, 0, b"dmvdo001");
    put(&mut bytes, 8, &5_u32.to_le_bytes());
    put(&mut bytes, 12, &5_u32.to_le_bytes());
    put(&mut bytes, 40, &(1..17).collect::<Vec<u8>>());
    put(&mut bytes, 64 + 12, &1_u32.to_le_bytes());
    put(&mut bytes, 64 + 16, &9_u64.to_le_bytes());
    bytes
}

fn integrity() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(&mut bytes, 0, b"integrt\0\x03\x0f\x04\0");
    put(&mut bytes, 16, &1024_u64.to_le_bytes());
    bytes[28] = 3;
    bytes
}

fn snapshot() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(&mut bytes, 0, b"SnAp\x01\0\0\0\x01\0\0\0\x08\0\0\0");
    bytes
}

fn bluestore() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(
        &mut bytes,
        0,
        b"bluestore block device\n0f0e0d0c-0b0a-0908-0706-050403020100\n",
    );
    bytes
}

/// Signature blocks with CRC-32C, without which blkid sees none.
fn stratis() -> Vec<u8> {
    let mut sector = vec![0; 512];
    put(&mut sector, 4, b"!Stra0tis\x86\xff\x02^Arh");
    put(&mut sector, 20, &2048_u64.to_le_bytes());
    put(&mut sector, 32, b"0123456789abcdef0123456789abcdef");
    put(&mut sector, 64, b"fedcba9876543210fedcba9876543210");
    let crc = !sector[4..].iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 0 { 0 } else { 0x82f6_3b78 }
        })
    });
    put(&mut sector, 0, &crc.to_le_bytes());
    let mut bytes = vec![0; SIZE];
    put(&mut bytes, 512, &sector);
    put(&mut bytes, 9 * 512, &sector);
    bytes
}

fn imsm() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(
        &mut bytes,
        SIZE - 1024,
        b"Intel Raid ISM Cfg Sig. 1.2.02\0\0",
    );
    put(&mut bytes, SIZE - 1024 + 40, &[0xef, 0xbe, 0xad, 0xde]);
    put(&mut bytes, SIZE - 1024 + 56, &[2, 1]);
    bytes
}

fn ddf() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    put(&mut bytes, SIZE - 512, &0xde11_de11_u32.to_be_bytes());
    put(&mut bytes, SIZE - 512 + 8, b"LSI     0123456789abcdef");
    put(&mut bytes, SIZE - 512 + 32, b"01.02.00");
    bytes
}

fn drbd() -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    let at = SIZE - 4096;
    put(&mut bytes, at, &1900_u64.to_be_bytes());
    put(
        &mut bytes,
        at + 40,
        &0x1122_3344_5566_7788_u64.to_be_bytes(),
    );
    put(&mut bytes, at + 60, &0x8374_026b_u32.to_be_bytes());
    put(&mut bytes, at + 64, &72_u32.to_be_bytes());
    put(&mut bytes, at + 80, &4096_u32.to_be_bytes());
    bytes
}

type Format = (&'static str, &'static str, fn() -> Vec<u8>);

/// Ours, blkid's name for it, an example.
const FORMATS: [Format; 8] = [
    ("vdo", "vdo", vdo),
    ("integrity", "DM_integrity", integrity),
    ("snapshot-cow", "DM_snapshot_cow", snapshot),
    ("bluestore", "ceph_bluestore", bluestore),
    ("stratis", "stratis", stratis),
    ("imsm", "isw_raid_member", imsm),
    ("ddf", "ddf_raid_member", ddf),
    ("drbd", "drbd", drbd),
];

#[test]
fn recognised_formats_are_those_that_blkid_sees() {
    needs!(Packages);
    for (ours, theirs, make) in FORMATS {
        let bytes = make();
        assert_eq!(probe(&bytes).map(|member| member.kind), Some(ours));
        assert_eq!(blkid(&bytes), theirs);
    }
}

fn member(make: fn() -> Vec<u8>) -> VolumeMember {
    probe(&make()).unwrap()
}

#[test]
fn they_tell_what_is_known() {
    let vdo = member(vdo);
    assert_eq!(
        (
            vdo.facts["data-region"].as_str(),
            vdo.facts["geometry-version"].as_str()
        ),
        ("36 KiB", "5")
    );
    assert_eq!(vdo.set, "01020304-0506-0708-090a-0b0c0d0e0f10");
    let integrity = member(integrity);
    assert_eq!(
        (
            integrity.facts["block-size"].as_str(),
            integrity.facts["interleave"].as_str()
        ),
        ("4 KiB", "16 MiB")
    );
    assert_eq!(member(snapshot).facts["chunk"], "4 KiB");
    assert_eq!(
        member(bluestore).set,
        "0f0e0d0c-0b0a-0908-0706-050403020100"
    );
    assert_eq!(member(stratis).set, "0123456789abcdef0123456789abcdef");
    assert_eq!(
        (
            member(imsm).set.as_str(),
            member(imsm).facts["disks"].as_str()
        ),
        ("deadbeef", "2")
    );
    assert_eq!(member(ddf).facts["version"], "01.02.00");
    let drbd = member(drbd);
    assert!(matches!(drbd.detail, Detail::Shifted));
    assert_eq!(
        (drbd.data_start.get(), drbd.data_size.unwrap().get()),
        (0, 1900 * 512)
    );
    assert_eq!(
        (drbd.set.as_str(), drbd.facts["metadata-size"].as_str()),
        ("1122334455667788", "36 KiB")
    );
}

#[test]
fn nothing_is_nobodys() {
    for len in [0, 1, 511, 512, 4096, 8191, 65536, SIZE] {
        assert!(probe(&vec![0; len]).is_none(), "{len}");
        assert!(probe(&vec![0xff; len]).is_none(), "{len}");
    }
}

#[test]
fn damage_is_survived() {
    needs!(Packages);
    let mut noise = Random(6);
    for (_, _, make) in FORMATS {
        let bytes = make();
        let end = bytes.len() - 4096;
        flip_everywhere(&bytes, 0..128, 60, &mut noise);
        flip_everywhere(&bytes, end..bytes.len(), 60, &mut noise);
        truncate_everywhere(&bytes[..8192]);
    }
    let (mut bytes, _) = bcache(&["-B", "-o", "1000"]);
    bytes.truncate(16 << 10);
    flip_everywhere(&bytes, 4096..4096 + 220, 1000, &mut noise);
    truncate_everywhere(&bytes);
}

#[test]
fn the_list_names_every_format_once() {
    let mut names: Vec<_> = volumes::FORMATS.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), volumes::FORMATS.len());
}
