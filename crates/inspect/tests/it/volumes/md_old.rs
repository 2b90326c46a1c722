//! md superblocks of version 0.90: written here in either byte order, read by mdadm and by us.

use ioalign_testkit::Random;
use std::process::Command;

use super::md::{examine, md, number};
use super::{field, flip_everywhere, probe, scratch};
use crate::tools::run;

/// A 0.90 superblock for 4 disks of RAID 5 with 64 KiB chunks, on 1 MiB.
fn old_device(big_endian: bool, minor: u32) -> Vec<u8> {
    let mut words = vec![0_u32; 1024];
    words[0] = 0xa92b_4efc;
    words[2] = minor;
    (words[5], words[13], words[14], words[15]) = (1, 2, 3, 0xabcd_ef01);
    (words[6], words[7], words[8]) = (1_600_000_000, 5, 960);
    (words[9], words[10]) = (4, 4);
    (words[32], words[33], words[34], words[35]) = (1_600_000_001, 1, 4, 4);
    if big_endian {
        (words[39], words[40]) = (1, 77);
    } else {
        (words[39], words[40]) = (77, 1);
    }
    words[46] = 5;
    words[47] = u32::from(minor == 91);
    (words[49], words[64], words[65]) = (32768, 2, 65536);
    for index in 0..4 {
        let disk = 128 + 32 * index;
        (words[disk], words[disk + 3], words[disk + 4]) = (
            u32::try_from(index).unwrap(),
            u32::try_from(index).unwrap(),
            6,
        );
    }
    (words[992], words[992 + 3], words[992 + 4]) = (3, 3, 6);
    let sum: u64 = words.iter().map(|word| u64::from(*word)).sum();
    words[38] = u32::try_from((sum & 0xffff_ffff) + (sum >> 32)).unwrap();
    let mut bytes = vec![0; 1 << 20];
    for (slot, word) in bytes[(1 << 20) - 65536..].chunks_exact_mut(4).zip(&words) {
        slot.copy_from_slice(&if big_endian {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        });
    }
    bytes
}

#[test]
fn version_0_90_reads_as_mdadm_reads_it() {
    needs!(Packages);
    let bytes = old_device(false, 90);
    let stated = examine(&bytes);
    let member = probe(&bytes).unwrap();
    assert_eq!(member.remarks, []);
    assert!(field(&stated, "Checksum").ends_with("correct"), "{stated}");
    assert_eq!(
        field(&stated, "UUID").split_whitespace().next(),
        Some(member.set.as_str())
    );
    let md = md(&member);
    assert_eq!(
        (md.version, md.slot, md.events),
        ("0.90", Some(3), 1 << 32 | 77)
    );
    assert_eq!(
        md.array_size.unwrap().get(),
        1024 * number(&field(&stated, "Array Size"))
    );
    assert_eq!(
        field(&stated, "Chunk Size"),
        format!("{}K", md.chunk.get() >> 10)
    );
    assert_eq!(field(&stated, "Layout"), member.facts["layout"]);
    assert_eq!(
        (member.data_start.get(), member.data_size.unwrap().get()),
        (0, (1 << 20) - 65536)
    );
}

#[test]
fn version_0_90_of_a_big_endian_machine_says_the_same() {
    let (little, big) = (old_device(false, 90), old_device(true, 90));
    let (little, big) = (probe(&little).unwrap(), probe(&big).unwrap());
    assert_eq!(big.remarks, []);
    assert_eq!(format!("{:?}", big.detail), format!("{:?}", little.detail));
    assert_eq!(big.facts["byte-order"], "big-endian");
}

#[test]
fn version_0_91_is_a_reshape() {
    let member = probe(&old_device(false, 91)).unwrap();
    assert_eq!(member.remarks[0].rule, "md-reshape");
    assert_eq!(md(&member).array_size.unwrap().get(), 2 * (960 << 10));
}

#[test]
fn the_superblock_of_the_last_partition_is_not_the_disks() {
    let mut bytes = old_device(false, 90);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[446 + 4] = 0xfd;
    bytes[446 + 8..446 + 12].copy_from_slice(&63_u32.to_le_bytes());
    bytes[446 + 12..446 + 16].copy_from_slice(&1985_u32.to_le_bytes());
    assert!(
        probe(&bytes).is_none(),
        "the partition reaches past the superblock"
    );
    bytes[446 + 12..446 + 16].copy_from_slice(&1800_u32.to_le_bytes());
    assert!(probe(&bytes).is_some(), "the partition lies in the array");
}

#[test]
fn the_same_with_a_gpt() {
    needs!(Packages);
    let (_folder, path) = scratch(&vec![0; 4 << 20]);
    let script = "label: gpt\nstart=2048, size=6100, type=linux-raid\n";
    let (_input, input) = scratch(script.as_bytes());
    run(Command::new("sfdisk")
        .arg("-q")
        .arg(&path)
        .stdin(std::fs::File::open(input).unwrap()));
    let table = std::fs::read(&path).unwrap();
    let old = old_device(false, 90);
    let mut bytes = table;
    let at = (4 << 20) - 65536;
    bytes[at..at + 4096].copy_from_slice(&old[old.len() - 65536..][..4096]);
    assert!(
        probe(&bytes).is_none(),
        "sector {} is in the partition",
        at / 512
    );
}

#[test]
fn hostile_superblocks_are_survived() {
    let old = old_device(true, 91);
    let at = old.len() - 65536;
    flip_everywhere(&old, at..at + 4096, 150, &mut Random(2));
}
