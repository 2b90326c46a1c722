//! DOS tables made in memory: what distinguishes a table from a boot sector, and the sectors that it counts.

use super::disk::{boot_record, put, read, rules, spans};

/// A FAT boot sector of before DOS 4, without a name of its type, and one entry that ends past the disk.
fn old_fat() -> Vec<u8> {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0x0c, 64, 500_000)]);
    image[0] = 0xeb;
    put(&mut image, 11, &512_u16.to_le_bytes());
    (image[13], image[14], image[16], image[21]) = (4, 1, 2, 0xf0);
    image
}

#[test]
fn a_parameter_block_without_a_name_is_strict_too() {
    assert!(read(&old_fat()).unwrap().is_none());
    let spoiled: [(usize, &[u8]); 6] = [
        (0, &[0x90]),
        (11, &[0xf4, 0x01]),
        (13, &[3]),
        (14, &[0, 0]),
        (16, &[3]),
        (21, &[0xef]),
    ];
    for (at, bytes) in spoiled {
        let mut image = old_fat();
        put(&mut image, at, bytes);
        let table = read(&image).unwrap().expect("code that is no FAT");
        assert_eq!(rules(&table), ["partition-past-end"], "byte {at}");
    }
}

#[test]
fn behind_a_file_system_entries_may_touch_and_not_overlap() {
    let entries = |second: u32, size: u32| {
        let mut image = vec![0; 1 << 20];
        put(&mut image, 54, b"FAT16   ");
        boot_record(&mut image, 0, &[(0x0c, 64, 100), (0x0c, second, size)]);
        read(&image).unwrap().is_some()
    };
    assert!(entries(164, 100) && entries(63, 1) && entries(164, 2048 - 164));
    assert!(!entries(163, 100) && !entries(63, 2) && !entries(164, 2048 - 163));
    assert!(!entries(0, 10), "on the boot sector itself");
    // Junk in an entry that is not used.
    let mut image = vec![0; 1 << 20];
    put(&mut image, 54, b"FAT16   ");
    boot_record(&mut image, 0, &[(0x0c, 64, 100), (0, 7, 0)]);
    assert!(read(&image).unwrap().is_none());
}

#[test]
fn an_empty_table_has_a_signature_and_nothing_else() {
    let empty = || {
        let mut image = vec![0; 1 << 20];
        put(&mut image, 440, &0x1234_5678_u32.to_le_bytes());
        put(&mut image, 510, &[0x55, 0xaa]);
        image
    };
    let table = read(&empty()).unwrap().unwrap();
    assert_eq!((table.kind.name(), table.id.as_str()), ("dos", "12345678"));
    assert!(table.partitions.is_empty());
    let spoiled: [(usize, &[u8]); 5] = [
        (440, &[0; 4]),
        (0, &[0xe9]),
        (3, b"NTFS    "),
        (454, &[1]),
        (446 + 48 + 8, &[1]),
    ];
    for (at, bytes) in spoiled {
        let mut image = empty();
        put(&mut image, at, bytes);
        assert!(read(&image).unwrap().is_none(), "byte {at}");
    }
}

#[test]
fn a_partition_from_sector_0_covers_the_table() {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0x83, 0, 500)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(rules(&table), ["partition-covers-table"]);
}

#[test]
fn flags_and_the_mark_of_aix_make_it_none() {
    let with = |at: usize, bytes: &[u8]| {
        let mut image = vec![0; 1 << 20];
        boot_record(&mut image, 0, &[(0x83, 64, 100)]);
        put(&mut image, at, bytes);
        read(&image).unwrap().is_some()
    };
    assert!(with(446, &[0x80]));
    assert!(!with(446 + 48, &[0x01]));
    assert!(!with(0, &[0xc9, 0xc2, 0xd4, 0xc1]));
}

#[test]
fn the_other_unit_counts_where_all_entries_fit_with_it() {
    let unit = |count: u32| {
        let mut image = vec![0; 16 << 20];
        boot_record(&mut image, 0, &[(0x83, 256, count)]);
        put(&mut image, 256 * 4096 + 1080, &[0x53, 0xef]);
        read(&image).unwrap().unwrap().sector.unwrap().get()
    };
    assert_eq!((unit(4096 - 256), unit(4096 - 255)), (4096, 512));
}

/// An extended partition of 1000 sectors at 64 with one record, and entries in that.
fn record(entries: &[(u8, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0x05, 64, 1000)]);
    boot_record(&mut image, 64 * 512, entries);
    image
}

#[test]
fn junk_in_the_last_two_slots_of_a_record_is_skipped() {
    let none = (0, 0, 0);
    let inside = read(&record(&[(0x83, 1, 100), none, (0x83, 200, 100)]));
    assert_eq!(
        spans(&inside.unwrap().unwrap(), 512),
        [(64, 1000), (65, 100), (264, 100)]
    );
    let outside = read(&record(&[(0x83, 1, 100), none, none, (0x83, 200, 801)]));
    let outside = outside.unwrap().unwrap();
    assert_eq!(spans(&outside, 512), [(64, 1000), (65, 100)]);
    assert_eq!(rules(&outside), Vec::<&str>::new());
}

#[test]
fn a_primary_over_records_is_no_logical_partition() {
    let mut image = record(&[(0x83, 1, 100)]);
    boot_record(&mut image, 0, &[(0x05, 64, 1000), (0x83, 63, 500)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(rules(&table), ["partition-overlap", "partition-order"]);
}
