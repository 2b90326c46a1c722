//! FAT12, FAT16, FAT32 against mkfs.fat and fsck.fat.

use ioalign_core::Bytes;

use super::{Fixture, MIB};

/// The number that stands before `words` in what fsck.fat prints.
fn before(text: &str, words: &str) -> u64 {
    let line = text.lines().find(|line| line.contains(words)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// The number that stands after `words`.
fn after(text: &str, words: &str) -> u64 {
    let rest = text.split(words).nth(1).unwrap().trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
    rest[..end].parse().unwrap()
}

#[test]
fn data_region_and_cluster_are_those_of_fsck() {
    needs!(Packages);
    for (size, bits, sector, reserved) in [
        (4, "12", "512", "1"),
        (64, "16", "512", "4"),
        (64, "16", "4096", "7"),
        (600, "32", "512", "32"),
        (600, "32", "2048", "35"),
        (1200, "32", "4096", "33"),
    ] {
        let fixture = Fixture::new(size * MIB);
        let options = [
            "-F", bits, "-S", sector, "-h", "63", "-R", reserved, "-n", "LABEL",
        ];
        fixture.tool("mkfs.fat", &options);
        let found = fixture.agreed("vfat");
        let said = fixture.tool("fsck.fat", &["-v", "-n"]);
        let start = after(&said, "Data area starts at byte");
        let fat = after(&said, "First FAT starts at byte");
        assert_eq!(found.kind, format!("fat{bits}"), "{said}");
        assert_eq!(found.data_start, Bytes::new(start), "{said}");
        assert_eq!(found.facts["fat-start"], Bytes::new(fat).to_string());
        assert_eq!(
            found.block,
            Some(Bytes::new(before(&said, "bytes per cluster")))
        );
        assert_eq!(found.sector, Some(sector.parse().unwrap()));
        let clusters = before(&said, "data clusters").to_string();
        assert_eq!(found.facts["clusters"], clusters);
        assert_eq!(found.hidden_sectors, Some(63));
        let sectors = before(&said, "sectors total");
        let sector: u64 = sector.parse().unwrap();
        assert_eq!(found.size, Some(Bytes::new(sectors * sector)));
    }
}

#[test]
fn fat32_with_too_few_clusters_is_noted() {
    needs!(Packages);
    let options = ["-F", "32", "-s", "8"];
    let fixture = Fixture::made_by(64 * MIB, "mkfs.fat", &options);
    let found = fixture.agreed("vfat");
    assert_eq!(found.kind, "fat32");
    assert_eq!(found.remarks[0].rule, "fat32-too-few-clusters");
}

#[test]
fn an_old_parameter_block_before_a_boot_loader_is_not_fat() {
    needs!(Packages);
    let fixture = Fixture::made_by(64 * MIB, "mkfs.fat", &["-F", "16"]);
    assert!(fixture.probe().is_some());
    fixture.write(512, &[0x5a; 4096]);
    assert!(fixture.probe().is_none());
}

#[test]
fn encrypted_volumes_with_a_parameter_block_are_not_fat() {
    needs!(Packages);
    let fixture = Fixture::made_by(64 * MIB, "mkfs.fat", &["-F", "16"]);
    fixture.write(3, b"-FVE-FS-");
    assert!(fixture.probe().is_none());
    let fixture = Fixture::made_by(600 * MIB, "mkfs.fat", &["-F", "32"]);
    let guid = [
        0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 1,
    ];
    fixture.write(0x1a8, &guid);
    assert!(fixture.probe().is_none());
}
