//! Sound GPTs: against sfdisk, sgdisk and parted at 512 bytes, against our own writer elsewhere.

use ioalign_core::{Bytes, Role};
use ioalign_inspect::tables::probe;
use ioalign_testkit::gpt::{GptImage, LINUX};

use super::disk::{Disk, boot_record, fdisk, put, read, read_in, rows, rules, sized, spans, view};

#[test]
fn sgdisk_sfdisk_and_we_agree() {
    needs!(Packages);
    let disk = Disk::new(8 << 30);
    let args = [
        "-a1",
        "-n1:34:2047",
        "-t1:ef02",
        "-n2:2048:+100M",
        "-t2:ef00",
        "-c2:EFI system ü",
        "-n9:0:+8M",
        "-t9:bf07",
        "-n12:7020405:+1G",
        "-t12:8200",
        "-A12:set:2",
    ];
    disk.tool("sgdisk", &args);
    let table = disk.table();
    assert_eq!(rows(&table, 512), disk.dump());
    assert_eq!(rules(&table), Vec::<&str>::new());
    let roles: Vec<_> = table.partitions.iter().map(|p| p.role).collect();
    let expected = [Role::BiosBoot, Role::Esp, Role::Reserved, Role::Swap];
    assert_eq!(roles, expected);
    assert_eq!(table.partitions[1].label, "EFI system ü");
    assert!(table.partitions[3].active);
    assert_eq!(table.first_usable, Some(Bytes::new(34 * 512)));
    assert_eq!(table.last_usable, Some(Bytes::new((8 << 30) - 33 * 512)));
    let dump = disk.tool("sfdisk", &["--dump"]);
    assert!(dump.contains(&table.id));
    assert!(table.partitions.iter().all(|p| dump.contains(&p.uuid)));
}

#[test]
fn parted_agrees() {
    needs!(Packages);
    let disk = Disk::new(1 << 30);
    let script = ["-s", "--"];
    let path = disk.path().to_string_lossy().into_owned();
    let steps = "mklabel gpt mkpart a ext4 2048s 411647s mkpart b linux-swap 411648s 500000s";
    let args: Vec<&str> = script.into_iter().chain([path.as_str()]).collect();
    let args = args.into_iter().chain(steps.split(' '));
    crate::tools::run(std::process::Command::new("parted").args(args));
    let table = disk.table();
    assert_eq!(rows(&table, 512), disk.dump());
    assert_eq!(spans(&table, 512), [(2048, 409_600), (411_648, 88_353)]);
    assert_eq!(table.partitions[1].role, Role::Swap);
}

#[test]
fn more_entries_and_a_moved_array_are_followed() {
    needs!(Packages);
    let disk = Disk::new(1 << 30);
    disk.tool(
        "sgdisk",
        &["-S", "512", "-j", "100", "-n300:4096:8191", "-n2:8192:0"],
    );
    let table = disk.table();
    assert_eq!(rows(&table, 512), disk.dump());
    assert_eq!(table.partitions[1].number, 300);
    assert_eq!(
        table.partitions[1].entry_at,
        Bytes::new(100 * 512 + 299 * 128)
    );
}

#[test]
fn a_4kn_partition_at_2048_is_at_8_mib() {
    needs!(Packages);
    let gpt = GptImage::new(4096, 4096).with(LINUX, 2048, 3071);
    let table = read(&gpt.build()).unwrap().unwrap();
    assert_eq!(table.sector.unwrap().get(), 4096);
    assert_eq!(table.partitions[0].start, Bytes::new(8 << 20));
    assert_eq!(table.partitions[0].size, Bytes::new(4 << 20));
    assert_eq!(table.first_usable, Some(Bytes::new(6 * 4096)));
    assert_eq!(rules(&table), Vec::<&str>::new());
    let disk = Disk::new(16 << 20);
    disk.write(0, &gpt.build());
    assert_eq!(fdisk(&disk, 4096), [(2048, 1024)]);
}

#[test]
fn fdisk_writes_a_4kn_gpt_that_we_read() {
    needs!(Packages);
    let disk = Disk::new(1 << 30);
    let script = "g\nn\n1\n\n+100M\nn\n2\n\n\nw\n";
    disk.feed("fdisk", &["-b", "4096"], script);
    let table = disk.table();
    assert_eq!(table.sector.unwrap().get(), 4096);
    assert_eq!(spans(&table, 4096), fdisk(&disk, 4096));
    assert_eq!(rules(&table), Vec::<&str>::new());
}

#[test]
fn a_remnant_of_another_sector_size_is_noted() {
    let mut image = GptImage::new(512, 8192).with(LINUX, 2048, 4095).build();
    GptImage::new(4096, 1024)
        .with(LINUX, 256, 511)
        .write(&mut image);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.sector.unwrap().get(), 4096);
    assert_eq!(rules(&table)[0], "gpt-two-sector-sizes");
}

#[test]
fn every_sector_size_is_found() {
    for sector in [512, 1024, 2048, 4096] {
        let gpt = GptImage::new(sector, 2048).with(LINUX, 100, 199);
        let table = read(&gpt.build()).unwrap().unwrap();
        assert_eq!(u64::from(table.sector.unwrap().get()), sector);
        assert_eq!(spans(&table, sector), [(100, 100)]);
        assert_eq!(rules(&table), Vec::<&str>::new());
    }
}

#[test]
fn the_forced_sector_size_alone_counts() {
    let image = GptImage::new(512, 4096).with(LINUX, 64, 127).build();
    let forced = probe(&view(&image), &sized(512)).unwrap().unwrap();
    assert_eq!(forced.kind.name(), "gpt");
    let table = probe(&view(&image), &sized(4096)).unwrap().unwrap();
    assert_eq!(table.kind.name(), "dos");
    assert_eq!(table.partitions[0].role, Role::Protective);
    assert_eq!(rules(&table), ["gpt-foreign-sector"]);
}

#[test]
fn larger_entries_and_a_far_array_are_read() {
    for (entry_size, array) in [(256, 2), (4096, 2), (136, 40)] {
        let mut gpt = GptImage::new(512, 8192)
            .with(LINUX, 2048, 4095)
            .with(LINUX, 4096, 4096);
        (gpt.entry_size, gpt.array, gpt.count) = (entry_size, array, 200);
        let table = read(&gpt.build()).unwrap().unwrap();
        assert_eq!(
            spans(&table, 512),
            [(2048, 2048), (4096, 1)],
            "{entry_size}"
        );
        assert_eq!(rules(&table), Vec::<&str>::new());
    }
}

#[test]
fn two_sector_sizes_in_one_disk_are_noted() {
    let mut small = GptImage::new(512, 8192).with(LINUX, 2048, 4095);
    small.count = 16; // its array ends before the header for 4096
    let mut large = GptImage::new(4096, 900).with(LINUX, 256, 511);
    large.array = 8;
    let mut image = small.build();
    large.write(&mut image);
    small.write(&mut image);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.sector.unwrap().get(), 512, "its backup is at the end");
    assert_eq!(rules(&table), ["gpt-two-sector-sizes"]);
}

#[test]
fn a_hybrid_mbr_is_reported_with_its_entries() {
    needs!(Packages);
    let disk = Disk::new(1 << 30);
    disk.tool("sgdisk", &["-n1:2048:+100M", "-n2:0:+100M"]);
    disk.tool("sgdisk", &["-h", "2"]);
    let table = disk.table();
    assert_eq!(table.kind.name(), "gpt");
    assert_eq!(rules(&table), ["hybrid-mbr"]);
    assert_eq!(table.rivals[0].start, table.partitions[1].start);
    assert!(disk.tool("sgdisk", &["-v"]).contains("No problems"));
    disk.write(446 + 16 + 8, &300_000_u32.to_le_bytes());
    disk.write(446 + 8, &300_000_u32.to_le_bytes());
    assert_eq!(rules(&disk.table()), ["hybrid-mbr", "gpt-mbr-disagree"]);
}

#[test]
fn an_mbr_without_protection_wins_over_the_gpt() {
    for (gpt, severity) in [
        (GptImage::new(512, 8192), "note"),
        (
            GptImage::new(512, 8192).with(LINUX, 2048, 4095),
            "data-risk",
        ),
    ] {
        let mut image = gpt.build();
        boot_record(&mut image, 0, &[(0x83, 63, 8000)]);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(table.kind.name(), "dos");
        assert_eq!(rules(&table), ["gpt-beside-mbr"]);
        assert_eq!(table.remarks[0].severity.name(), severity);
    }
}

#[test]
fn oddities_of_the_protective_mbr_are_notes() {
    type Odd = fn(&mut Vec<u8>);
    let cases: [(Odd, &[&str]); 5] = [
        (
            |i| boot_record(i, 0, &[(0xee, 1, 63), (0xee, 64, 8000)]),
            &["protective-mbr-double"],
        ),
        (
            |i| boot_record(i, 0, &[(0xee, 1, 5000)]),
            &["protective-mbr-extent"],
        ),
        (
            |i| boot_record(i, 0, &[(0xee, 1, 1023)]),
            &["protective-mbr-extent"],
        ),
        (|i| i[446] = 0x80, &["protective-mbr-active"]),
        (|i| i[446..512].fill(0), &["protective-mbr-missing"]),
    ];
    for (change, expected) in cases {
        let mut image = GptImage::new(512, 8192).with(LINUX, 2048, 4095).build();
        change(&mut image);
        assert_eq!(rules(&read(&image).unwrap().unwrap()), expected);
    }
    let mut image = GptImage::new(512, 8192).build();
    boot_record(&mut image, 0, &[(0xee, 1, 1023)]);
    let table = read(&image).unwrap().unwrap();
    assert!(
        table.remarks[0].why.contains("4096"),
        "the unit it was written for"
    );
}

#[test]
fn a_gpt_inside_a_volume_is_read() {
    let image = GptImage::new(512, 8192).with(LINUX, 2048, 4095).build();
    let table = read_in(&image, "8e", 1 << 30).unwrap().unwrap();
    assert_eq!(
        table.partitions[0].start,
        Bytes::new(1 << 20),
        "relative to the volume"
    );
}

#[test]
fn partitions_over_the_table_or_each_other_or_outside_are_said() {
    let gpt = GptImage::new(512, 8192)
        .with(LINUX, 20, 100)
        .with(LINUX, 90, 200)
        .with(LINUX, 8100, 8170)
        .with(LINUX, 9000, 9001)
        .with(LINUX, 500, 400)
        .with(LINUX, 300, u64::MAX);
    let rules = rules(&read(&gpt.build()).unwrap().unwrap());
    let expected = [
        "partition-overlap",
        "partition-order",
        "partition-over-table",
        "partition-outside-usable",
        "partition-outside-usable",
        "partition-past-end",
        "gpt-entry-impossible",
        "gpt-entry-impossible",
    ];
    assert_eq!(rules, expected);
}

#[test]
fn windows_volumes_are_named_and_not_called_ok() {
    let ldm = "AF9B60A0-1431-4F62-BC68-3311714A69AD";
    let spaces = "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D";
    let metadata = "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3";
    let gpt = GptImage::new(512, 8192)
        .with(metadata, 34, 2081)
        .with(ldm, 2082, 4000)
        .with(spaces, 4001, 5000);
    let mut image = gpt.build();
    put(&mut image, 2081 * 512, b"PRIVHEAD");
    put(&mut image, 2081 * 512 + 0xF0, b"Host-Dg0");
    let table = read(&image).unwrap().unwrap();
    let expected = [
        "ldm-group",
        "ldm-not-followed",
        "storage-spaces-not-followed",
    ];
    assert_eq!(rules(&table), expected);
    assert_eq!(table.partitions[0].role, Role::Reserved);
    assert_eq!(table.partitions[1].remarks[0].severity.name(), "unknown");
}
