//! Every field that a table of a PC has, as it was written: without a tool.

use ioalign_core::{Bytes, Role};
use ioalign_inspect::tables::Partition;
use ioalign_testkit::gpt::{self, GptImage};

use super::disk::{boot_record, put, read, rules};

#[test]
fn fields_of_a_gpt() {
    let gpt = GptImage {
        entries: vec![(gpt::ESP, 100, 199, "ü"), (gpt::LINUX, 300, 300, "")],
        ..GptImage::new(512, 2048)
    };
    let mut image = gpt.build();
    // The legacy boot flag of the first entry, and another one of the second, in both copies.
    for (header, array) in [(1, 2), (2047, 2015)] {
        put(&mut image, array * 512 + 48, &4_u64.to_le_bytes());
        put(&mut image, array * 512 + 128 + 48, &3_u64.to_le_bytes());
        let crc = crc32fast::hash(&image[array * 512..][..128 * 128]);
        put(&mut image, header * 512 + 88, &crc.to_le_bytes());
        gpt::seal(&mut image[header * 512..][..92]);
    }
    let table = read(&image).unwrap().unwrap();
    assert_eq!(rules(&table), Vec::<&str>::new());
    assert_eq!(
        (table.kind.name(), table.sector.map(|size| size.get())),
        ("gpt", Some(512))
    );
    assert_eq!(table.first_usable, Some(Bytes::new(34 * 512)));
    assert_eq!(table.last_usable, Some(Bytes::new(2015 * 512)));
    assert_eq!(table.id, "D1D1D1D1-D1D1-D1D1-D1D1-D1D1D1D1D1D1");
    assert!(table.also.is_empty());
    let [esp, linux] = table.partitions.as_slice() else {
        panic!("{:?}", table.partitions);
    };
    assert_eq!(
        (esp.number, esp.label.as_str(), esp.role),
        (1, "ü", Role::Esp)
    );
    assert_eq!(
        (esp.type_id.as_str(), esp.type_name),
        (gpt::ESP, "EFI system")
    );
    assert_eq!(
        (esp.start, esp.size),
        (Bytes::new(100 * 512), Bytes::new(100 * 512))
    );
    assert_eq!(esp.uuid, "01010101-0101-0101-0101-010101010101");
    assert_eq!((esp.active, linux.active), (true, false));
    assert_eq!((esp.entry_at.get(), linux.entry_at.get()), (1024, 1152));
    assert_eq!((linux.number, linux.size), (2, Bytes::new(512)));
}

#[test]
fn the_primary_whose_backup_is_at_the_end_comes_first() {
    // Good tables for both sizes of sectors: that of 4096 bytes reaches the end, the other one does not.
    let mut image = vec![0; 8 << 20];
    boot_record(&mut image, 0, &[(0xee, 1, 16_383)]);
    let large = GptImage {
        array: 5,
        ..GptImage::new(4096, 2048)
    };
    large.with(gpt::LINUX, 512, 1023).write(&mut image);
    let small = GptImage {
        array: 2,
        count: 4,
        ..GptImage::new(512, 16_000)
    };
    let other = small.clone().with(gpt::LINUX, 4096, 8192);
    small.with(gpt::LINUX, 4096, 8191).write(&mut image);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.sector.map(|size| size.get()), Some(4096));
    let also: Vec<_> = table.also.iter().map(|size| size.get()).collect();
    assert_eq!(also, [512]);
    assert!(rules(&table).contains(&"gpt-two-sector-sizes"));
    assert!(
        !rules(&table).contains(&"gpt-tables-disagree"),
        "both name the same bytes"
    );
    other.write(&mut image);
    assert!(rules(&read(&image).unwrap().unwrap()).contains(&"gpt-tables-disagree"));
}

#[test]
fn fields_of_an_mbr() {
    let mut image = vec![0; 8 << 20];
    boot_record(&mut image, 0, &[(0x07, 63, 100), (0x83, 2048, 1000)]);
    put(&mut image, 440, &0x1234_5678_u32.to_le_bytes());
    image[446] = 0x80;
    let table = read(&image).unwrap().unwrap();
    assert_eq!((table.kind.name(), table.id.as_str()), ("dos", "12345678"));
    assert_eq!(table.first_usable, Some(Bytes::new(512)));
    assert_eq!(rules(&table), Vec::<&str>::new());
    let [first, second] = table.partitions.as_slice() else {
        panic!("{:?}", table.partitions);
    };
    assert_eq!((first.active, second.active), (true, false));
    assert_eq!((first.number, first.type_id.as_str()), (1, "07"));
    assert_eq!(
        (first.uuid.as_str(), second.uuid.as_str()),
        ("12345678-01", "12345678-02")
    );
    assert_eq!(
        (first.start, first.size),
        (Bytes::new(63 * 512), Bytes::new(51_200))
    );
    let starting = |start: u32| {
        let mut image = vec![0; 8 << 20];
        boot_record(&mut image, 0, &[(0x83, start, 100)]);
        rules(&read(&image).unwrap().unwrap())
    };
    assert_eq!(starting(62), ["start-in-mbr-gap"]);
    assert_eq!(starting(63), Vec::<&str>::new());
}

/// An extended partition of 8000 sectors at 1000, whose records lie at its sectors 0 and 3000.
fn chain() -> Vec<u8> {
    let mut image = vec![0; 8 << 20];
    boot_record(&mut image, 0, &[(0x83, 100, 500), (0x05, 1000, 8000)]);
    boot_record(
        &mut image,
        1000 * 512,
        &[(0x83, 63, 1000), (0x05, 3000, 2000)],
    );
    boot_record(&mut image, 4000 * 512, &[(0x82, 8, 4992)]);
    image
}

#[test]
fn fields_of_logical_partitions() {
    let table = read(&chain()).unwrap().unwrap();
    assert_eq!(rules(&table), Vec::<&str>::new());
    let place = |p: &Partition| {
        let sectors = |bytes: Bytes| bytes.get() / 512;
        (
            p.number,
            sectors(p.start),
            sectors(p.size),
            p.inside,
            p.entry_at.get(),
        )
    };
    let places: Vec<_> = table.partitions.iter().map(place).collect();
    assert_eq!(
        places[2..],
        [
            (5, 1063, 1000, Some(2), 1000 * 512 + 446),
            (6, 4008, 4992, Some(2), 4000 * 512 + 446),
        ]
    );
    // One sector more leaves the container.
    let mut long = chain();
    put(&mut long, 4000 * 512 + 446 + 12, &4993_u32.to_le_bytes());
    assert_eq!(
        rules(&read(&long).unwrap().unwrap()),
        ["logical-outside-extended"]
    );
}

#[test]
fn broken_chains_name_the_link() {
    let remark = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut image = chain();
        change(&mut image);
        let table = read(&image).unwrap().unwrap();
        let remark = table.remarks.first().cloned().unwrap();
        let named = remark.why.contains("The chain of extended partition 2 ");
        assert!(named || remark.rule == "extended-empty", "{}", remark.why);
        (remark.rule, remark.place.offset)
    };
    // The start of the second entry of the first record; of the second entry of the table itself.
    let (inner, outer) = (Some(1000 * 512 + 462 + 8), Some(462 + 8));
    assert_eq!(
        remark(&|image| image[4000 * 512 + 510] = 0),
        ("ebr-signature", inner)
    );
    let link =
        |to: u32| move |image: &mut Vec<u8>| put(image, 1000 * 512 + 462 + 8, &to.to_le_bytes());
    assert_eq!(remark(&link(8000)), ("ebr-link-outside", inner));
    assert_eq!(remark(&link(0)), ("ebr-loop", inner));
    assert_eq!(
        remark(&|image| image[1000 * 512 + 510] = 0),
        ("ebr-signature", outer)
    );
    let empty = |image: &mut Vec<u8>| image[1000 * 512..1001 * 512].fill(0);
    assert_eq!(remark(&empty).0, "extended-empty");
    let second = |image: &mut Vec<u8>| image[4000 * 512..4001 * 512].fill(0);
    assert_eq!(remark(&second), ("ebr-signature", inner));
    let cut = |image: &mut Vec<u8>| image.truncate(4000 * 512);
    assert_eq!(remark(&cut), ("ebr-link-outside", inner));
}
