//! FreeBSD gpart, gpt show, macOS diskutil.

use ioalign_core::Role;

use super::{at, read, said, starts};

#[test]
fn gpart_show() {
    let text = "=>       40  976773088  ada0  GPT  (466G)\n         40       1024     1  freebsd-boot  (512K)\n       \
        1064        984        - free -  (492K)\n       2048    4194304     2  freebsd-swap  (2.0G)\n    4196352  972574720     3  freebsd-zfs  (464G)\n\n\
        =>      63  8388545  da0  MBR  (4.0G)\n        63  8388513    1  freebsd  [active]  (4.0G)\n\n\
        =>      0  8388513  da0s1  BSD  (4.0G)\n        16  8388497      1  freebsd-ufs  (4.0G)\n";
    let evidence = read(text);
    assert_eq!(said(&evidence, "ada0p1").role, Some(Role::BiosBoot));
    assert_eq!(said(&evidence, "ada0p2").role, Some(Role::Swap));
    assert_eq!(said(&evidence, "ada0p3").start, at(4_196_352));
    assert_eq!(said(&evidence, "da0s1a").start, at(16));
    assert_eq!(said(&evidence, "da0s1a").parents, ["da0s1"]);
    let slices: Vec<_> = evidence
        .devices
        .iter()
        .filter(|said| said.name == "da0s1")
        .collect();
    assert_eq!(slices[0].start, at(63));
    assert_eq!(
        said(&evidence, "ada0").remarks[0].rule,
        "sector-size-assumed"
    );
}

#[test]
fn gpart_list() {
    let text = "Geom name: ada0\nmodified: false\nstate: OK\nscheme: GPT\nProviders:\n1. Name: ada0p1\n   Mediasize: 524288 (512K)\n   \
        Sectorsize: 512\n   Stripesize: 4096\n   Stripeoffset: 0\n   offset: 20480\n   type: freebsd-boot\n   index: 1\n   end: 1063\n   start: 40\n\
        Consumers:\n1. Name: ada0\n   Mediasize: 500107862016 (466G)\n   Sectorsize: 512\n   Stripesize: 4096\n   Stripeoffset: 0\n";
    let evidence = read(text);
    assert_eq!(starts(&evidence), [("ada0p1", 20480)]);
    let claims = said(&evidence, "ada0").claims.clone().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
}

#[test]
fn gpt_show_and_diskutil() {
    let text = "gpt show: /dev/disk0: mediasize=500107862016; sectorsize=4096; blocks=122096646\n      \
        start       size  index  contents\n          0          1         PMBR\n          1          1         Pri GPT header\n          \
        6      76800      1  GPT part - C12A7328-F81F-11D2-BA4B-00A0C93EC93B\n";
    let evidence = read(text);
    assert_eq!(starts(&evidence), [("disk0s1", 24576)]);
    assert_eq!(said(&evidence, "disk0s1").role, Some(Role::Esp));
    let text = "   Device Identifier:         disk0s2\n   Device Node:               /dev/disk0s2\n   Part of Whole:             disk0\n\n   \
        Partition Type:            Apple_APFS\n   Disk Size:                 500.1 GB (500068036608 Bytes) (exactly 976695384 512-Byte-Units)\n   \
        Device Block Size:         4096 Bytes\n   Partition Offset:          209735680 Bytes (409640 512-Byte-Device-Blocks)\n";
    let evidence = read(text);
    assert_eq!(starts(&evidence), [("disk0s2", 209_735_680)]);
    assert_eq!(said(&evidence, "disk0s2").parents, ["disk0"]);
    assert_eq!(said(&evidence, "disk0s2").sector.unwrap().get(), 4096);
}

#[test]
fn diskutil_list_names_partitions_without_starts() {
    let text = "/dev/disk0 (internal, physical):\n   \
        #:                       TYPE NAME                    SIZE       IDENTIFIER\n   \
        0:      GUID_partition_scheme                        *251.0 GB   disk0\n   \
        1:                        EFI EFI                     209.7 MB   disk0s1\n   \
        2:                 Apple_APFS Container disk1         250.8 GB   disk0s2\n\n\
        /dev/disk1 (synthesized):\n   \
        0:      APFS Container Scheme -                      +250.8 GB   disk1\n                                 \
        Physical Store disk0s2\n   \
        1:                APFS Volume Macintosh HD            11.1 GB    disk1s1\n";
    let evidence = read(text);
    assert_eq!(starts(&evidence), []);
    let names: Vec<_> = evidence.devices.iter().map(|said| &said.name[..]).collect();
    assert_eq!(names, ["disk0", "disk0s1", "disk0s2"]);
    assert_eq!(said(&evidence, "disk0s1").role, Some(Role::Esp));
    assert_eq!(said(&evidence, "disk0s2").parents, ["disk0"]);
}
