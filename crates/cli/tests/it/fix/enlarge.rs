//! Contents that are longer than their partition: nothing moves, and the table is what is mended.

use ioalign_testkit::Loop;
use ioalign_testkit::md::MdMember;
use ioalign_testkit::{gpt, mbr};

use super::owners::{made, run_on};
use super::*;

/// Contents of 40 MiB whose partition was shortened to 30.
const WHOLE: u64 = 40 * MIB;
const SHORT: u64 = 30 * MIB;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Table {
    Primary,
    Logical,
    Gpt,
    Gpt4096,
}

const TABLES: [Table; 4] = [Table::Primary, Table::Logical, Table::Gpt, Table::Gpt4096];

impl Table {
    fn start(self) -> u64 {
        match self {
            Self::Primary => 63 * 512,
            Self::Logical => 4063 * 512,
            Self::Gpt => 35 * 512,
            Self::Gpt4096 => 40 * 4096,
        }
    }

    const fn number(self) -> u64 {
        match self {
            Self::Logical => 5,
            _ => 1,
        }
    }

    const fn sector(self) -> u64 {
        match self {
            Self::Gpt4096 => 4096,
            _ => 512,
        }
    }

    /// A table with the short partition.
    fn write(self, disk: &Disk) {
        let sectors = SHORT / 512;
        match self {
            Self::Primary => disk.write(0, &mbr::sector(&[(0x83, 63, 61_440)])),
            Self::Logical => {
                let script = format!(
                    "label: dos\nstart=4000,size={},type=5\nstart=4063,size={sectors},type=83\n",
                    sectors + 63
                );
                sfdisk(disk.path(), &script);
                disk
            }
            Self::Gpt => {
                gpt::write(disk, 512, &[(gpt::LINUX, 35, sectors)]);
                disk
            }
            Self::Gpt4096 => {
                gpt::write(disk, 4096, &[(gpt::LINUX, 40, SHORT / 4096)]);
                disk
            }
        };
    }
}

fn disk_with(contents: &Disk, table: Table) -> Disk {
    let disk = Disk::new("disk.img", 64 * MIB);
    table.write(&disk);
    disk.splice(table.start(), contents.path());
    disk
}

const CONTENTS: [(&str, &str); 8] = [
    ("ext4", made::EXT4),
    ("ntfs", made::NTFS),
    ("exfat", made::EXFAT),
    ("fat16", made::FAT16),
    ("swap", made::SWAP),
    ("jfs", made::JFS),
    (
        "erofs",
        "head -c 39000000 /dev/urandom > x; mkdir d; mv x d; mkfs.erofs fs d; dd if=fs of=\"$1\" conv=notrunc status=none",
    ),
    ("ext2 of small blocks", "mkfs.ext2 -q -F -b 1024 \"$1\""),
];

#[test]
fn nothing_moves_before_its_contents_fit_and_then_it_does() {
    needs!(Packages);
    for (name, make) in CONTENTS {
        let contents = Disk::new("part.img", WHOLE);
        run_on(make, contents.path(), name);
        for table in TABLES {
            // A FAT of 512-byte sectors is none for a disk of 4096.
            if name == "fat16" && table == Table::Gpt4096 {
                continue;
            }
            let disk = disk_with(&contents, table);
            let path = text(disk.path());
            let before = std::fs::read(disk.path()).unwrap();
            let number = table.number().to_string();
            let call = format!("--enlarge-partition {number}");
            for more in [&[][..], &["--apply"], &["--grow"]] {
                refused(
                    &[&[path], more].concat(),
                    65,
                    &["(fix-content-past-end)", &call],
                );
            }
            // The dry run writes nothing.
            done(&[path, "--enlarge-partition", &number]);
            assert!(
                before == std::fs::read(disk.path()).unwrap(),
                "{name} {table:?}"
            );
            done(&[path, "--enlarge-partition", &number, "--apply"]);
            assert!(!disk.folder().join("disk.img.ioalign-journal").exists());
            let line = table_line(&disk, table);
            assert_eq!(line.0, table.start(), "{name} {table:?}");
            assert!(
                (SHORT + 1..=WHOLE + 512).contains(&line.1),
                "{name} {table:?}: {}",
                line.1
            );
            // Not a byte of the contents was touched, and now they move as a whole.
            let there = disk.read(table.start(), usize::try_from(line.1.min(WHOLE)).unwrap());
            let whole = std::fs::read(contents.path()).unwrap();
            assert!(there == whole[..there.len()], "{name} {table:?}");
            done(&[path, "--apply"]);
            let (start, size) = table_line(&disk, table);
            let there = disk.read(start, usize::try_from(size.min(WHOLE)).unwrap());
            let differ = new_bytes(&whole[..there.len()], &there).len();
            let moved = start != table.start() || table == Table::Gpt4096;
            assert!(moved && differ <= 64, "{name} {table:?}: {differ}");
        }
    }
}

/// Start and length of the partition, in bytes.
fn table_line(disk: &Disk, kind: Table) -> (u64, u64) {
    let run = check_image(disk.path(), &["--sector-size", &kind.sector().to_string()]);
    let layer = run.layer(&format!("p{}", kind.number()));
    let start = layer["below"][0]["start_bytes"].as_u64().unwrap();
    (start, layer["size_bytes"].as_u64().unwrap())
}

#[test]
fn a_physical_volume_longer_than_its_partition_is_found() {
    needs!(Packages, Root);
    let contents = Disk::new("part.img", WHOLE);
    let device = Loop::new(contents.path(), &[]);
    let config = format!(
        "devices {{ global_filter=[\"a|^{}$|\", \"r|.*|\"] use_devicesfile=0 }}",
        device.text()
    );
    tool(
        "pvcreate",
        &["-q", "-q", "-ff", "-y", "--config", &config, device.text()],
    );
    drop(device);
    is_too_long(&contents, "lvm-pv-too-small");
}

#[test]
fn a_member_longer_than_its_partition_is_found() {
    needs!(Packages);
    for version in ["1.1", "1.2"] {
        let contents = Disk::new("part.img", WHOLE);
        MdMember {
            version,
            level: 1,
            start: 0,
            len: WHOLE,
        }
        .write(&contents);
        is_too_long(&contents, "md-data-past-end");
    }
}

/// `check` finds it, `fix` refuses, and the partition becomes as long as it was.
fn is_too_long(contents: &Disk, rule: &str) {
    for table in TABLES {
        let disk = disk_with(contents, table);
        let path = text(disk.path());
        let sector = table.sector().to_string();
        let run = check_image(disk.path(), &["--sector-size", &sector]);
        let found = run.of_rule(rule);
        let found = found
            .first()
            .unwrap_or_else(|| panic!("{table:?}: {:#}", run.json));
        let size = found["suggest"]["size_bytes"].as_u64();
        assert_eq!(size, Some(WHOLE), "{table:?}");
        let number = table.number().to_string();
        let call = format!("ioalign fix {path} --enlarge-partition {number}");
        assert!(found["do"].to_string().contains(&call), "{found:#}");
        refused(&[path], 65, &["(fix-content-past-end)", &call]);
        done(&[path, "--enlarge-partition", &number, "--apply"]);
        assert_eq!(
            table_line(&disk, table),
            (table.start(), WHOLE),
            "{table:?}"
        );
        assert!(
            check_image(disk.path(), &["--sector-size", &sector])
                .of_rule(rule)
                .is_empty()
        );
        done(&[path, "--apply"]);
    }
}

#[test]
fn space_that_is_not_free_is_not_taken() {
    needs!(Packages);
    let contents = Disk::new("part.img", WHOLE);
    run_on(made::EXT4, contents.path(), "ext4");
    // The next partition, the extended one, the end of the disk, a record of a logical partition.
    let behind = [
        mbr::sector(&[(0x83, 63, 61_440), (0x83, 70_000, 1000)]),
        mbr::sector(&[(0x83, 63, 61_440), (0x05, 70_000, 1000)]),
    ];
    for boot in behind {
        let disk = Disk::new("disk.img", 64 * MIB);
        disk.write(0, &boot).splice(63 * 512, contents.path());
        disk.write(70_000 * 512, &mbr::sector(&[]));
        let before = std::fs::read(disk.path()).unwrap();
        let call = [text(disk.path()), "--enlarge-partition", "1", "--apply"];
        refused(&call, 65, &["partition 2 starts at byte 35840000"]);
        assert!(before == std::fs::read(disk.path()).unwrap());
    }
    let disk = Disk::new("disk.img", 35 * MIB);
    disk.write(0, &mbr::sector(&[(0x83, 63, 61_440)]));
    disk.write(63 * 512, &contents.read(0, 30 << 20));
    refused(
        &[text(disk.path()), "--enlarge-partition", "1"],
        65,
        &["up to byte 36700160"],
    );
    let disk = Disk::new("disk.img", 64 * MIB);
    // The record of the second logical partition lies in between.
    let second = mbr::sector(&[(0x83, 40_000, 1000)]);
    disk.write(0, &mbr::sector(&[(0x05, 4000, 120_000)]));
    disk.write(
        4000 * 512,
        &mbr::sector(&[(0x83, 63, 61_440), (0x05, 66_000, 41_000)]),
    );
    disk.write(4063 * 512, &contents.read(0, 30 << 20));
    disk.write(70_000 * 512, &second);
    refused(
        &[text(disk.path()), "--enlarge-partition", "5"],
        65,
        &["record of the table or boot code"],
    );
}

#[test]
fn what_fits_is_not_enlarged() {
    needs!(Packages);
    let contents = Disk::new("part.img", SHORT);
    run_on(made::EXT4, contents.path(), "ext4");
    let disk = disk_with(&contents, Table::Primary);
    let plan = document(&[text(disk.path()), "--enlarge-partition", "1"]);
    assert_eq!(plan["needed"], false);
    refused(
        &[text(disk.path()), "--enlarge-partition", "7"],
        65,
        &["no partition 7"],
    );
}
