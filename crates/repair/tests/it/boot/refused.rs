//! What a move would break, and what must be done by hand.

use std::path::Path;

use ioalign_repair::boot::{self, Weight};
use ioalign_repair::tables::RewritableTable;
use ioalign_testkit::run::tool;

use super::{ask, image_of, says, write};
use crate::image;

const TWO: &str = "label: dos\nlabel-id: 0x12345678\n\
    start=2080, size=20000, type=7, bootable\nstart=40000, size=40000, type=82\n";
const PLAN: super::Plan<'_> = &[(1, 4096)];

fn disk(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("disk.img");
    image_of(&path, 64, 512, TWO);
    path
}

#[test]
fn a_hibernated_system_anywhere_on_the_disk_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = disk(folder.path());
    let swap = folder.path().join("swap");
    std::fs::write(&swap, vec![0; 40000 * 512]).unwrap();
    tool("/usr/sbin/mkswap", &[swap.to_str().unwrap()]);
    write(&path, 40000 * 512, &std::fs::read(&swap).unwrap()[..8192]);
    let awake = ask(&path, 512, PLAN);
    assert!(
        awake
            .consequences
            .iter()
            .all(|one| one.weight == Weight::Told)
    );
    for word in ["S1SUSPEND", "ULSUSPEND", "LINHIB0001"] {
        write(&path, 40000 * 512 + 4086, word.as_bytes());
        let asleep = ask(&path, 512, PLAN);
        assert!(says(&asleep, Weight::Refused, "hibernated"), "{word}");
    }
}

#[test]
fn lilo_and_cd_images_are_refused() {
    needs!(Packages);
    for (at, bytes) in [
        (6, &b"LILO"[..]),
        (2080 * 512 + 6, b"LILO"),
        (64, &[0xfb, 0xc0, 0x78, 0x70]),
        (32768, b"\x01CD001"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = disk(folder.path());
        write(&path, at, bytes);
        let fixups = ask(&path, 512, PLAN);
        assert!(says(&fixups, Weight::Refused, ""), "{at}");
    }
}

#[test]
fn a_label_that_counts_from_the_disk_is_refused() {
    needs!(Packages);
    for (first, weight) in [(2080u32, Weight::Refused), (16, Weight::Told)] {
        let folder = tempfile::tempdir().unwrap();
        let path = disk(folder.path());
        let mut label = vec![0; 512];
        label[..4].copy_from_slice(&0x8256_4557u32.to_le_bytes());
        label[132..136].copy_from_slice(&0x8256_4557u32.to_le_bytes());
        label[138] = 3;
        label[148..152].copy_from_slice(&8000u32.to_le_bytes());
        label[152..156].copy_from_slice(&first.to_le_bytes());
        label[160] = 7;
        label[180..184].copy_from_slice(&131_072u32.to_le_bytes());
        write(&path, 2081 * 512, &label);
        assert!(says(&ask(&path, 512, PLAN), weight, "BSD label"));
    }
}

#[test]
fn what_lies_behind_the_table_is_kept() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = disk(folder.path());
    let reserved = || {
        let mut disk = image::open(&path, 512);
        let table = RewritableTable::read(&mut disk).unwrap();
        boot::reserved(&mut disk, &table).unwrap()
    };
    assert_eq!(reserved(), []);
    write(&path, 16 * 512 + 4, b"eGON.BT0");
    write(&path, 100 * 512 + 511, b"x");
    let places = reserved()
        .into_iter()
        .map(|one| (one.place.start, one.place.end));
    assert_eq!(places.collect::<Vec<_>>(), [(16 * 512, 101 * 512)]);
    assert!(says(
        &ask(&path, 512, &[(1, 100)]),
        Weight::Refused,
        "not empty"
    ));
    assert!(!says(&ask(&path, 512, &[(1, 101)]), Weight::Refused, ""));
}
