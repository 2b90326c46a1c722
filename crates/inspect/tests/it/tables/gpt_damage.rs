//! Damaged GPTs: which copy is believed, and what is said about the other.

use ioalign_inspect::ErrorKind;
use ioalign_testkit::gpt::{GptImage, LINUX, seal};

use super::disk::{Disk, boot_record, put, read, rules, spans};

const LBAS: u64 = 8192;

fn gpt() -> GptImage<'static> {
    GptImage::new(512, LBAS).with(LINUX, 2048, 4095)
}

/// Changes a field of the header at `lba` and seals it again.
fn forge(image: &mut [u8], lba: usize, field: usize, value: &[u8]) {
    put(image, lba * 512 + field, value);
    seal(&mut image[lba * 512..lba * 512 + 92]);
}

#[test]
fn a_damaged_primary_is_read_from_the_backup() {
    type Damage = fn(&mut Vec<u8>);
    let cases: [(Damage, &str); 6] = [
        (|image| put(image, 512, &[0; 512]), "(there is none)"),
        (|image| image[512 + 40] ^= 1, "(the header CRC is "),
        (
            |image| image[1024 + 40] ^= 1,
            "(the entries do not match their CRC)",
        ),
        (
            |image| forge(image, 1, 80, &u32::MAX.to_le_bytes()),
            "(4294967295 entries of 128 bytes",
        ),
        (
            |image| forge(image, 1, 24, &7_u64.to_le_bytes()),
            "(the header at LBA 1 says that it is at LBA 7)",
        ),
        (
            |image| forge(image, 1, 72, &u64::MAX.to_le_bytes()),
            "(the entry array at LBA 18446744073709551615 does not lie within",
        ),
    ];
    for (damage, fault) in cases {
        let mut image = gpt().build();
        damage(&mut image);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(rules(&table), ["gpt-primary-damaged"], "{fault}");
        assert_eq!(table.remarks[0].severity.name(), "broken");
        let why = &table.remarks[0].why;
        assert!(why.contains(fault), "{why}");
        assert!(why.contains("the backup at LBA 8191 is used"), "{why}");
        assert_eq!(spans(&table, 512), [(2048, 2048)]);
    }
}

#[test]
fn gdisk_agrees_that_the_backup_is_good() {
    needs!(Packages);
    let disk = Disk::new(64 << 20);
    disk.tool("sgdisk", &["-n1:2048:+20M"]);
    let before = disk.table().partitions[0].clone();
    disk.write(512, &[0; 512]);
    let after = disk.table();
    assert_eq!(rules(&after), ["gpt-primary-damaged"]);
    assert_eq!(after.partitions[0].uuid, before.uuid);
    assert_eq!(disk.dump()[0].start, 2048);
}

#[test]
fn a_grown_disk_has_its_backup_inside() {
    needs!(Packages);
    let disk = Disk::new(64 << 20);
    disk.tool("sgdisk", &["-n1:2048:+20M"]);
    disk.resize(128 << 20);
    assert_eq!(
        rules(&disk.table()),
        ["gpt-backup-not-at-end", "protective-mbr-extent"]
    );
    disk.tool("sgdisk", &["-e"]);
    assert_eq!(rules(&disk.table()), Vec::<&str>::new());
}

#[test]
fn a_cut_image_has_no_backup() {
    needs!(Packages);
    let disk = Disk::new(64 << 20);
    disk.tool("sgdisk", &["-n1:2048:+20M"]);
    disk.resize(40 << 20);
    let table = disk.table();
    assert_eq!(
        rules(&table),
        ["gpt-backup-missing", "protective-mbr-extent"]
    );
    assert_eq!(table.partitions.len(), 1);
}

#[test]
fn a_backup_lies_where_the_disk_ends() {
    let mut grown = gpt().build();
    grown.resize(grown.len() + 512, 0);
    let table = read(&grown).unwrap().unwrap();
    assert_eq!(
        rules(&table),
        ["gpt-backup-not-at-end", "protective-mbr-extent"]
    );
    assert!(
        table.remarks[0]
            .why
            .contains("is at LBA 8191, not at the last LBA 8192")
    );
    let mut own = gpt().build();
    forge(&mut own, 1, 32, &1_u64.to_le_bytes());
    let table = read(&own).unwrap().unwrap();
    assert_eq!(rules(&table), ["gpt-backup-missing"]);
    assert!(table.remarks[0].why.contains("names itself"));
}

/// An image with a table for each size of sectors: of the one that is not used the backup still counts.
#[test]
fn damage_of_the_other_table_is_named() {
    let mut small = GptImage::new(512, 8 * 1024).with(LINUX, 2048, 4095);
    // Its entries end before the header for 4096, and those of its backup lie before the other backup.
    (small.count, small.back) = (16, Some(8 * 1024 - 100));
    let mut large = GptImage::new(4096, 1024).with(LINUX, 256, 511);
    (large.array, large.back) = (8, Some(1024 - 20));
    let mut image = small.build();
    large.write(&mut image);
    small.write(&mut image);
    let whole = read(&image).unwrap().unwrap();
    assert!(!rules(&whole).contains(&"gpt-other-table-damaged"));
    assert_eq!(whole.also.len(), 1);
    let (used, other) = (whole.sector.unwrap().get(), whole.also[0].get());
    put(&mut image, other as usize + 16, &[0xff; 4]);
    let damaged = read(&image).unwrap().unwrap();
    assert_eq!(damaged.sector.unwrap().get(), used);
    assert!(
        rules(&damaged).contains(&"gpt-other-table-damaged"),
        "{:?}",
        rules(&damaged)
    );
    assert_eq!(damaged.also, [], "it is not good any more");
}

#[test]
fn a_useless_backup_is_a_risk() {
    let last = usize::try_from(LBAS - 1).unwrap();
    let mut other = gpt();
    other.entries[0].2 = 5000;
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let cases: [(Damage, &str); 4] = [
        (
            &|image| put(image, last * 512, &[0; 512]),
            "gpt-backup-missing",
        ),
        (&|image| image[last * 512 + 56] ^= 1, "gpt-backup-damaged"),
        (&|image| image[(last - 32) * 512] ^= 1, "gpt-backup-damaged"),
        (
            &|image| {
                let tail = (last - 32) * 512;
                let changed = other.build();
                put(image, tail, &changed[tail..]);
            },
            "gpt-backup-differs",
        ),
    ];
    for (damage, rule) in cases {
        let mut image = gpt().build();
        damage(&mut image);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(rules(&table), [rule]);
        assert_eq!(table.remarks[0].severity.name(), "data-risk");
    }
}

#[test]
fn without_a_good_copy_what_can_be_followed_is_followed() {
    let cut = |mut image: Vec<u8>| {
        image.truncate(3 << 20);
        image
    };
    let mut header = gpt().build();
    header[512 + 56] ^= 1;
    let mut entries = gpt().build();
    entries[1024 + 16] ^= 1;
    let cases = [(header, "gpt-header-damaged"), (entries, "gpt-entries-crc")];
    for (image, rule) in cases {
        let table = read(&cut(image)).unwrap().unwrap();
        assert!(rules(&table).contains(&rule), "{:?}", rules(&table));
        let first = &table.remarks.iter().find(|one| one.rule == rule).unwrap();
        let field = match rule {
            "gpt-header-damaged" => (Some(512 + 16), "header_crc32"),
            _ => (Some(512 + 88), "partition_entry_array_crc32"),
        };
        let place = &first.place;
        assert_eq!((place.offset, place.field), (field.0, Some(field.1)));
        assert_eq!(spans(&table, 512), [(2048, 2048)]);
    }
}

#[test]
fn impossible_claims_are_errors_with_their_field() {
    let cases = [
        (80, u32::MAX, "number_of_partition_entries"),
        (80, 16_385, "number_of_partition_entries"),
        (84, 0, "size_of_partition_entry"),
        (84, 132, "size_of_partition_entry"),
        (84, 1 << 20, "size_of_partition_entry"),
        (72, u32::MAX, "partition_entry_lba"),
        (72, 0, "partition_entry_lba"),
    ];
    for (field, value, name) in cases {
        let mut image = gpt().build();
        image.truncate(3 << 20);
        forge(&mut image, 1, field, &value.to_le_bytes());
        let error = read(&image).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert_eq!(error.field_name(), Some(name));
        assert_eq!(error.offset(), Some(512 + field as u64));
    }
}

#[test]
fn remnants_without_protection_are_no_table() {
    let mut image = gpt().build();
    image[446..512].fill(0);
    image[512 + 56] ^= 1;
    assert!(read(&image).unwrap().is_none(), "a damaged header alone");
    put(&mut image, 512, &[0; 512]);
    assert!(read(&image).unwrap().is_none(), "a backup alone");
}

#[test]
fn protection_of_nothing_is_broken() {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0xee, 1, 2047)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(
        (table.kind.name(), rules(&table)),
        ("dos", vec!["gpt-missing"])
    );
}
