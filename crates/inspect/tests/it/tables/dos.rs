//! DOS tables without logical partitions, against sfdisk; and boot sectors that are none.

use std::process::Command;

use ioalign_core::Role;
use ioalign_inspect::tables::probe;

use super::disk::{Disk, boot_record, put, read, read_in, rows, rules, sized, spans};
use crate::tools::run;

#[test]
fn odd_starts_are_read_as_sfdisk_reads_them() {
    needs!(Packages);
    // bosh#587: swap at 1, ext4 at 7020405; calamares#1110: swap at 1917390097.
    for script in [
        "label: dos\nstart=63,size=40960,type=7\n",
        "label: dos\nstart=34,size=2014,type=83\n",
        "label: dos\nstart=1,size=7020404,type=82\nstart=7020405,size=2000000,type=83\n",
        "label: dos\nstart=2048,size=1917388049,type=83\nstart=1917390097,size=36135071,type=82\n",
    ] {
        let disk = Disk::sfdisk(1_953_525_168, script);
        let table = disk.table();
        assert_eq!(table.kind.name(), "dos");
        assert_eq!(rows(&table, 512), disk.dump(), "{script}");
        assert!(disk.tool("sfdisk", &["--disk-id"]).contains(&table.id));
    }
}

#[test]
fn a_start_in_the_gap_is_noted_on_the_partition() {
    needs!(Packages);
    let disk = Disk::sfdisk(
        100_000,
        "label: dos\nstart=1,size=62,type=82,bootable\nstart=63,size=900,type=83\n",
    );
    let table = disk.table();
    assert_eq!(table.partitions[0].remarks[0].rule, "start-in-mbr-gap");
    assert!(table.partitions[1].remarks.is_empty());
    assert_eq!(table.partitions[0].role, Role::Swap);
    assert!(table.partitions[0].active && !table.partitions[1].active);
    assert_eq!(table.partitions[1].uuid, format!("{}-02", table.id));
    assert_eq!(table.partitions[1].entry_at.get(), 462);
}

#[test]
fn roles_follow_the_type() {
    let types = [
        (0xef, Role::Esp),
        (0xfb, Role::Vmfs),
        (0xfc, Role::Reserved),
        (0x27, Role::Data),
        (0xee, Role::Protective),
        (0x41, Role::BiosBoot),
        (0xaa, Role::Data),
    ];
    for (kind, role) in types {
        let mut image = vec![0; 1 << 20];
        boot_record(&mut image, 0, &[(kind, 64, 512)]);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(table.partitions[0].role, role, "{kind:x}");
        assert_eq!(table.partitions[0].type_id, format!("{kind:02x}"));
    }
}

#[test]
fn overlaps_disorder_and_ends_past_the_disk_are_remarks() {
    let mut image = vec![0; 1 << 20];
    boot_record(
        &mut image,
        0,
        &[(0x83, 1000, 2000), (0x83, 500, 600), (0x83, 70, 10)],
    );
    let table = read(&image).unwrap().unwrap();
    assert_eq!(
        rules(&table),
        ["partition-overlap", "partition-order", "partition-past-end"]
    );
    // 16 TiB at 4 KiB sectors: no 32-bit arithmetic anywhere.
    boot_record(&mut image, 0, &[(0x83, u32::MAX, u32::MAX)]);
    let table = probe(&super::disk::view(&image), &sized(4096)).unwrap();
    let start = table.unwrap().partitions[0].start.get();
    assert_eq!(start, u64::from(u32::MAX) * 4096);
}

#[test]
fn the_head_of_a_disk_is_enough() {
    needs!(Packages);
    let disk = Disk::sfdisk(100_000, "label: dos\nstart=63,size=4000,type=83\n");
    disk.resize(512);
    let table = disk.table();
    assert_eq!(spans(&table, 512), [(63, 4000)]);
    assert_eq!(rules(&table), ["partition-past-end"]);
}

#[test]
fn an_empty_label_is_a_table_and_a_blank_disk_is_none() {
    needs!(Packages);
    let disk = Disk::sfdisk(4096, "label: dos\n");
    assert!(disk.table().partitions.is_empty());
    assert!(read(&vec![0; 1 << 20]).unwrap().is_none());
    let mut signed = vec![0; 1 << 20];
    put(&mut signed, 510, &[0x55, 0xAA]);
    assert!(read(&signed).unwrap().is_none());
}

#[test]
fn file_systems_and_volumes_on_a_whole_disk_are_no_table() {
    needs!(Packages);
    let makers: [(&str, &[&str]); 9] = [
        ("mkfs.vfat", &["-F", "16"]),
        ("mkfs.vfat", &["-F", "32"]),
        ("mkfs.ntfs", &["-F", "-q", "-f"]),
        ("mkfs.exfat", &[]),
        ("mkfs.ext4", &["-q", "-F"]),
        ("mkswap", &[]),
        ("mkfs.vfat", &["--mbr=y"]),
        ("mkfs.xfs", &["-q", "-f"]),
        ("mkfs.btrfs", &["-q", "-f"]),
    ];
    for (maker, args) in makers {
        let disk = Disk::new(400 << 20);
        let sectors = (400 << 11).to_string();
        let mut command = Command::new(maker);
        command.args(args).arg(disk.path());
        if maker == "mkfs.ntfs" {
            command.arg(sectors);
        }
        run(&mut command);
        let found = probe(&disk.view(), &Default::default()).unwrap();
        assert!(found.is_none(), "{maker} {args:?}: {found:?}");
    }
}

#[test]
fn a_boot_sector_with_text_in_its_table_is_no_table() {
    let mut image = vec![0; 1 << 20];
    put(
        &mut image,
        446,
        b"Remove disks or other media. Press any key",
    );
    put(&mut image, 510, &[0x55, 0xAA]);
    assert!(read(&image).unwrap().is_none());
}

#[test]
fn a_fat_boot_sector_with_a_real_table_is_a_table() {
    let mut image = vec![0; 1 << 20];
    put(&mut image, 0, &[0xEB, 0x58, 0x90]);
    put(&mut image, 82, b"FAT32   ");
    boot_record(&mut image, 0, &[(0x0c, 64, 500)]);
    assert_eq!(read(&image).unwrap().unwrap().partitions.len(), 1);
    boot_record(&mut image, 0, &[(0x0c, 64, 500_000)]);
    assert!(read(&image).unwrap().is_none(), "past the end: boot code");
}

#[test]
fn inside_a_partition_only_a_strict_table_counts() {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0x83, 64, 500)]);
    assert!(read_in(&image, "83", 1 << 20).unwrap().is_some());
    boot_record(&mut image, 0, &[(0x83, 0, 500)]);
    assert!(read_in(&image, "83", 1 << 20).unwrap().is_none());
    boot_record(&mut image, 0, &[(0x83, 2048, 500)]);
    assert!(read_in(&image, "83", 1 << 20).unwrap().is_none());
}

#[test]
fn the_unit_is_512_unless_only_4096_finds_something() {
    let mut image = vec![0; 16 << 20];
    boot_record(&mut image, 0, &[(0x83, 256, 1024)]);
    let unit = |image: &[u8]| read(image).unwrap().unwrap().sector.unwrap().get();
    assert_eq!(unit(&image), 512);
    put(&mut image, 256 * 4096, b"XFSB");
    assert_eq!(unit(&image), 4096);
    let rules_at = |sector| {
        let table = probe(&super::disk::view(&image), &sized(sector)).unwrap();
        rules(&table.unwrap())
    };
    assert_eq!(rules_at(512), ["dos-foreign-sector"]);
    assert_eq!(rules_at(4096), Vec::<&str>::new());
    put(&mut image, 256 * 512, b"XFSB");
    assert_eq!(unit(&image), 512);
}

#[test]
fn a_primary_inside_an_extended_partition_is_broken() {
    let mut image = vec![0; 1 << 20];
    boot_record(&mut image, 0, &[(0x05, 64, 1000), (0x83, 200, 100)]);
    assert!(rules(&read(&image).unwrap().unwrap()).contains(&"partition-overlap"));
}

#[test]
fn fdisk_agrees_on_4096_byte_sectors() {
    needs!(Packages);
    let disk = Disk::new(1 << 30);
    let script = "o\nn\np\n1\n256\n+100M\nn\ne\n2\n\n\nn\n\n+40M\nn\n\n\nw\n";
    disk.feed("fdisk", &["-b", "4096"], script);
    let table = probe(&disk.view(), &sized(4096)).unwrap().unwrap();
    assert_eq!(spans(&table, 4096), super::disk::fdisk(&disk, 4096));
    assert_eq!(table.partitions.len(), 4);
    let guessed = disk.table();
    assert_eq!(
        spans(&guessed, 4096),
        spans(&table, 4096),
        "the EBR is there"
    );
}
