//! Logical partitions: the chain of EBRs, whole and broken.

use std::fmt::Write;

use super::disk::{Disk, boot_record, put, read, rows, rules, spans};

/// The extended partition of these images.
const START: u32 = 2048;
const SIZE: u32 = 60_000;

/// An image with EBRs at sectors `ebr` of the extended partition, each with a logical partition
/// `gap` sectors after it, linked in the order given.
fn image(ebrs: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 32 << 20];
    boot_record(&mut image, 0, &[(0x0f, START, SIZE)]);
    put(&mut image, 440, &0x1234_5678_u32.to_le_bytes());
    for (i, (at, gap, size)) in ebrs.iter().enumerate() {
        let next = ebrs
            .get(i + 1)
            .map(|(at, gap, size)| (0x05, *at, gap + size));
        let entries: Vec<_> = [(0x83, *gap, *size)].into_iter().chain(next).collect();
        boot_record(&mut image, (START + at) as usize * 512, &entries);
    }
    image
}

fn on_disk(image: &[u8]) -> Disk {
    let disk = Disk::new(image.len() as u64);
    disk.write(0, image);
    disk
}

#[test]
fn gaps_of_all_eras_are_read_as_sfdisk_reads_them() {
    needs!(Packages);
    let chain = [
        (0, 1, 500),
        (3000, 63, 4000),
        (10_001, 2048, 4096),
        (20_000, 7, 1),
    ];
    let image = image(&chain);
    let table = read(&image).unwrap().unwrap();
    let disk = on_disk(&image);
    assert_eq!(rows(&table, 512), disk.dump());
    assert_eq!(
        spans(&table, 512)[2],
        (u64::from(START) + 3000 + 63, 4000),
        "a link counts from the extended start, a partition from its EBR"
    );
    assert_eq!(rules(&table), Vec::<&str>::new());
    let third = &table.partitions[3];
    assert_eq!((third.number, third.inside), (7, Some(1)));
    assert_eq!(third.entry_at.get(), (2048 + 10_001) * 512 + 446);
    assert_eq!(third.uuid, "12345678-07");
}

#[test]
fn every_extended_type_opens_a_chain() {
    for kind in [0x05, 0x0f, 0x85] {
        let mut image = image(&[(0, 63, 100), (200, 63, 100)]);
        image[446 + 4] = kind;
        assert_eq!(read(&image).unwrap().unwrap().partitions.len(), 3);
    }
}

#[test]
fn sfdisk_writes_what_we_read() {
    needs!(Packages);
    let mut script = String::from("label: dos\n,10M,83\n,,5\n");
    for _ in 0..56 {
        script.push_str(",1M,83\n");
    }
    let disk = Disk::sfdisk(400_000, &script);
    let table = disk.table();
    assert_eq!(rows(&table, 512), disk.dump());
    assert_eq!(table.partitions.len(), 58);
}

#[test]
fn a_hundred_logical_partitions_are_read() {
    let chain: Vec<_> = (0..100).map(|i| (i * 600, 63, 500)).collect();
    let table = read(&image(&chain)).unwrap().unwrap();
    assert_eq!(table.partitions.len(), 101);
    assert_eq!(table.partitions[100].number, 104);
}

#[test]
fn numbers_follow_the_chain_not_the_disk() {
    needs!(Packages);
    let image = image(&[(0, 63, 100), (5000, 63, 100), (1000, 63, 100)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(rows(&table, 512), on_disk(&image).dump());
    assert_eq!(rules(&table), ["partition-order"]);
}

#[test]
fn a_self_referencing_ebr_is_one_partition_and_a_remark() {
    needs!(Packages);
    let mut own = image(&[(0, 63, 100)]);
    boot_record(
        &mut own,
        START as usize * 512,
        &[(0x83, 63, 100), (0x05, 0, 163)],
    );
    let table = read(&own).unwrap().unwrap();
    assert_eq!(table.partitions.len(), 2);
    assert_eq!(rules(&table), ["ebr-loop"]);
    assert!(on_disk(&own).dump().len() > 50, "sfdisk lists it 58 times");
}

#[test]
fn a_loop_of_two_is_two_partitions_and_a_remark() {
    let mut image = image(&[(0, 63, 100), (1000, 63, 100)]);
    let second = (START as usize + 1000) * 512;
    boot_record(&mut image, second, &[(0x83, 63, 100), (0x05, 0, 163)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(
        (table.partitions.len(), rules(&table)),
        (3, vec!["ebr-loop"])
    );
}

#[test]
fn a_link_outside_ends_the_chain() {
    for to in [SIZE, u32::MAX] {
        let mut image = image(&[(0, 63, 100)]);
        let first = START as usize * 512;
        boot_record(&mut image, first, &[(0x83, 63, 100), (0x05, to, 100)]);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(table.partitions.len(), 2);
        assert_eq!(rules(&table), ["ebr-link-outside"]);
    }
}

#[test]
fn an_overlong_chain_is_cut() {
    let chain: Vec<_> = (0..600).map(|i| (i * 100, 1, 50)).collect();
    let table = read(&image(&chain)).unwrap().unwrap();
    assert_eq!(table.partitions.len(), 513);
    assert_eq!(rules(&table), ["ebr-chain-too-long"]);
}

#[test]
fn damage_is_said_and_the_rest_kept() {
    let mut missing = image(&[(0, 63, 100), (1000, 63, 100)]);
    put(&mut missing, (START as usize + 1000) * 512 + 510, &[0, 0]);
    let over = image(&[(0, 0, 100)]);
    let mut outside = image(&[(0, 63, 1000)]);
    boot_record(&mut outside, START as usize * 512, &[(0x83, 63, SIZE)]);
    let swallowed = image(&[(0, 63, 1500), (1000, 1000, 100)]);
    let mut empty = vec![0; 32 << 20];
    boot_record(&mut empty, 0, &[(0x05, START, SIZE)]);
    let mut text = String::new();
    for image in [&missing, &over, &outside, &swallowed, &empty] {
        let table = read(image).unwrap().unwrap();
        writeln!(text, "{} {:?}", table.partitions.len(), rules(&table)).unwrap();
    }
    let expected = "\
2 [\"ebr-signature\"]
2 [\"logical-over-ebr\"]
2 [\"logical-outside-extended\"]
3 [\"ebr-inside-logical\"]
1 [\"extended-empty\"]
";
    assert_eq!(text, expected);
}
