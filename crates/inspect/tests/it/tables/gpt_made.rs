//! GPTs made in memory at the limits of what is sound.

use ioalign_testkit::gpt::{GptImage, LINUX, seal};

use super::disk::{boot_record, put, read, rules, spans};

/// Entries from LBA 40 to 71; usable from 72 to 8158.
fn far_array() -> GptImage<'static> {
    GptImage {
        array: 40,
        ..GptImage::new(512, 8192)
    }
}

#[test]
fn a_partition_may_touch_the_entries_and_the_ends() {
    let said = |first: u64, last: u64| {
        let table = read(&far_array().with(LINUX, first, last).build());
        rules(&table.unwrap().unwrap())
    };
    let (outside, over) = (["partition-outside-usable"], ["partition-over-table"]);
    assert_eq!(said(34, 39), outside);
    assert_eq!((said(39, 40), said(71, 72)), (over.to_vec(), over.to_vec()));
    assert_eq!(said(72, 8158), Vec::<&str>::new());
    assert_eq!(said(8158, 8159), outside);
}

#[test]
fn entries_may_end_with_the_disk_and_not_behind_it() {
    let image = GptImage::new(512, 8192).with(LINUX, 2048, 4095).build();
    let table = read(&image[..34 * 512]).unwrap().unwrap();
    assert_eq!(spans(&table, 512), [(2048, 2048)]);
    let error = read(&image[..33 * 512]).unwrap_err();
    assert_eq!(error.field_name(), Some("partition_entry_lba"));
}

#[test]
fn eight_mib_of_entries_are_the_most() {
    let mut gpt = GptImage::new(512, 40_000).with(LINUX, 17_000, 17_999);
    (gpt.count, gpt.entry_size) = (16_384, 512);
    let mut image = gpt.build();
    assert_eq!(
        spans(&read(&image).unwrap().unwrap(), 512),
        [(17_000, 1000)]
    );
    put(&mut image, 512 + 84, &520_u32.to_le_bytes());
    seal(&mut image[512..604]);
    image.truncate(18_000 * 512);
    let error = read(&image).unwrap_err();
    assert_eq!(error.field_name(), Some("number_of_partition_entries"));
}

#[test]
fn the_largest_entry_has_4096_bytes() {
    for (size, is_good) in [(128_u32, true), (4096, true), (120, false), (4104, false)] {
        let mut gpt = GptImage::new(512, 4096).with(LINUX, 2000, 2999);
        (gpt.count, gpt.entry_size) = (8, size.max(128));
        let mut image = gpt.build();
        image.truncate(3000 * 512);
        put(&mut image, 512 + 84, &size.to_le_bytes());
        seal(&mut image[512..604]);
        let read = read(&image);
        assert_eq!(read.is_ok(), is_good, "{size}");
        if let Err(error) = read {
            assert_eq!(error.field_name(), Some("size_of_partition_entry"));
        }
    }
}

#[test]
fn the_protective_entry_begins_at_1_and_ends_with_the_disk() {
    let said = |start: u32, count: u32| {
        let mut image = GptImage::new(512, 8192).build();
        boot_record(&mut image, 0, &[(0xee, start, count)]);
        rules(&read(&image).unwrap().unwrap())
    };
    let odd = ["protective-mbr-extent"];
    assert_eq!(said(1, 8191), Vec::<&str>::new());
    assert_eq!(said(1, u32::MAX), Vec::<&str>::new());
    for (start, count) in [(2, 8191), (2, u32::MAX), (0, 8191), (1, 8190), (1, 8192)] {
        assert_eq!(said(start, count), odd, "{start} {count}");
    }
}

#[test]
fn behind_a_file_system_an_mbr_rules_where_it_is_sound() {
    for (size, kind) in [(8000, "dos"), (9000, "gpt")] {
        let gpt = GptImage::new(512, 8192).with(LINUX, 2048, 4095);
        let mut image = gpt.build();
        put(&mut image, 54, b"FAT16   ");
        boot_record(&mut image, 0, &[(0x0c, 64, size)]);
        assert_eq!(read(&image).unwrap().unwrap().kind.name(), kind);
    }
}

#[test]
fn what_the_protective_entry_covers_is_said() {
    let mut image = GptImage::new(512, 8192).build();
    boot_record(&mut image, 0, &[(0xee, 1, 1023)]);
    let why = read(&image).unwrap().unwrap().remarks[0].why.clone();
    assert!(why.contains("sectors 1 to 1023 of 8192."), "{why}");
    assert!(why.contains("It fits sectors of 4096 bytes"), "{why}");
    boot_record(&mut image, 0, &[(0xee, 1, 1024)]);
    let why = read(&image).unwrap().unwrap().remarks[0].why.clone();
    assert!(!why.contains("It fits"), "{why}");
}

#[test]
fn a_hybrid_is_judged_by_its_real_entries() {
    let with = |entries: &[(u8, u32, u32)]| {
        let gpt = GptImage::new(512, 8192).with(LINUX, 2048, 4095);
        let mut image = gpt.with(LINUX, 5000, 5999).build();
        boot_record(&mut image, 0, entries);
        read(&image).unwrap().unwrap()
    };
    let agrees = with(&[(0xee, 1, 2047), (0x83, 2048, 2048), (0x83, 5000, 1000)]);
    assert_eq!(rules(&agrees), ["hybrid-mbr"]);
    let numbers: Vec<_> = agrees.rivals.iter().map(|rival| rival.number).collect();
    assert_eq!(numbers, [2, 3]);
    let strange = with(&[(0xee, 1, 2047), (0x83, 2048, 2048), (0x83, 5000, 999)]);
    assert_eq!(rules(&strange), ["hybrid-mbr", "gpt-mbr-disagree"]);
    assert!(strange.remarks[1].why.contains("MBR entries 3 match"));
}

#[test]
fn a_group_of_dynamic_disks_is_read_in_sectors_of_either_size() {
    let metadata = "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3";
    let groups = |last: usize| {
        let mut image = GptImage::new(512, 8192).with(metadata, 40, 2087).build();
        if last > 0 {
            put(&mut image, 2088 * 512 - last, b"PRIVHEAD");
            put(&mut image, 2088 * 512 - last + 0xf0, b"Host-Dg0");
            put(&mut image, 2088 * 512 - last + 0xb0, b"11-22");
        }
        let table = read(&image).unwrap().unwrap();
        let remarks = table.partitions[0].remarks.iter();
        remarks.map(|one| one.why.clone()).collect::<Vec<_>>()
    };
    let said = ["This disk belongs to the dynamic disk group Host-Dg0 (11-22)."];
    assert_eq!(
        (groups(512), groups(4096)),
        (
            said.map(String::from).to_vec(),
            said.map(String::from).to_vec()
        )
    );
    assert!(groups(0).is_empty());
}
