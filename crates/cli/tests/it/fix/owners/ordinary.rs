//! Disks that are ordinary: every kind of contents in a partition, in every kind of table.

use ioalign_testkit::gpt;
use ioalign_testkit::md::MdMember;

use super::made::*;
use super::*;

const PART: u64 = 120 * MIB;

/// Where the partition with the contents lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Table {
    Primary,
    Logical,
    Gpt,
    Gpt4096,
}

impl Table {
    fn start(self) -> u64 {
        match self {
            Self::Primary => 63 * 512,
            Self::Logical => (20_000 + 63) * 512,
            Self::Gpt => 35 * 512,
            Self::Gpt4096 => 40 * 4096,
        }
    }

    fn write(self, disk: &Disk) {
        let sectors = PART / 512;
        match self {
            Self::Primary => sfdisk(disk.path(), &format!("label: dos\n63,{sectors},83\n")),
            Self::Logical => sfdisk(
                disk.path(),
                &format!(
                    "label: dos\nstart=63,size=10000,type=83\nstart=20000,size={},type=5\nstart=20063,size={sectors},type=83\n",
                    sectors + 100
                ),
            ),
            Self::Gpt => sfdisk(
                disk.path(),
                &format!("label: gpt\nfirst-lba: 34\n35,{sectors},{}\n", gpt::LINUX),
            ),
            Self::Gpt4096 => gpt::write(disk, 4096, &[(gpt::LINUX, 40, PART / 4096)]),
        }
    }
}

/// The code of a dry run that is neither refused nor broken; 64 asks for a consent.
fn is_planned(disk: &Disk, name: &str) {
    let output = fix(&[text(disk.path())]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 64)),
        "{name}: {errors}"
    );
    assert!(!errors.contains("fix-member-of"), "{name}: {errors}");
}

const CONTENTS: &[(&str, &str)] = &[
    ("nothing", "true"),
    ("ext4", EXT4),
    ("ext2", "mkfs.ext2 -q -F \"$1\""),
    ("btrfs", BTRFS),
    ("jfs", JFS),
    ("f2fs", F2FS),
    ("fat16", FAT16),
    ("fat32", FAT32),
    ("exfat", EXFAT),
    ("ntfs", NTFS),
    ("swap", SWAP),
    ("minix", MINIX),
    ("bfs", BFS),
    ("udf", UDF),
    ("iso9660", ISO),
    ("squashfs", SQUASHFS),
    ("erofs", EROFS),
    ("cramfs", CRAMFS),
    ("luks1", LUKS1),
    ("luks2", LUKS2),
    ("bcache", BCACHE),
];

#[test]
fn an_ordinary_disk_is_not_refused() {
    needs!(Packages);
    let mut count = 0;
    for (name, make) in CONTENTS {
        let contents = Disk::new("part.img", PART);
        run_on(make, contents.path(), name);
        for table in [Table::Primary, Table::Logical, Table::Gpt, Table::Gpt4096] {
            // A FAT of 512-byte sectors is none for a disk of 4096.
            if name.starts_with("fat") && table == Table::Gpt4096 {
                continue;
            }
            let disk = Disk::new("disk.img", 150 * MIB);
            table.write(&disk);
            disk.splice(table.start(), contents.path());
            is_planned(&disk, &format!("{name} in {table:?}"));
            count += 1;
        }
    }
    assert!(count >= 82, "{count}");
}

/// A partition up to the end of the disk, so that what is at its end could be at the end of the disk.
fn to_the_end(start: u64, len: u64) -> Disk {
    let disk = Disk::new("disk.img", len);
    let script = format!(
        "label: dos\n63,2000,83\n{},{},83\n",
        start / 512,
        (len - start) / 512
    );
    sfdisk(disk.path(), &script);
    disk
}

#[test]
fn what_ends_with_the_last_partition_is_that_of_the_partition() {
    needs!(Packages);
    // Sizes on and off 64 KiB and 256 KiB, starts as well.
    for len in [100 * MIB, 100 * MIB + 4096, 100 * MIB + 33 * 512] {
        for start in [2 * MIB, 2 * MIB + 512, 4096 * 512 + (64 << 10)] {
            for version in ["0.90", "1.0"] {
                for level in [0, 1] {
                    let disk = to_the_end(start, len);
                    let part = len - start;
                    MdMember {
                        version,
                        level,
                        start,
                        len: part,
                    }
                    .write(&disk);
                    is_planned(&disk, &format!("md {version} {level} at {start} of {len}"));
                }
            }
            let disk = to_the_end(start, len);
            by_hand::zfs(&disk, start, len - start, &[0, 1, 2, 3]);
            is_planned(&disk, &format!("ZFS at {start} of {len}"));
            let disk = to_the_end(start, len);
            let mut drbd = vec![0; 4096];
            drbd[..8].copy_from_slice(&((len - start - MIB) / 512).to_be_bytes());
            drbd[60..64].copy_from_slice(&[0x83, 0x74, 0x02, 0x6d]);
            disk.write(start + ((len - start) & !4095) - 4096, &drbd);
            is_planned(&disk, &format!("DRBD at {start} of {len}"));
        }
    }
}
