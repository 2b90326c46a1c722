//! Tables made again, as sfdisk and sgdisk see them.

use std::path::Path;

use ioalign_repair::tables::{Ground, RewritableTable};

use super::{blank, convert_in_place, planned, shell};
use crate::image;

const GPT: &str = "label: gpt\nlabel-id: 0B7A1F5E-11D4-4C0B-9B1B-6D3A0C6F0E01\n\
    start=2048, size=8192, type=U, name=\"EFI system\", uuid=4D1B4C5D-0000-4000-8000-0000000000A1\n\
    start=10240, size=20480, type=L, name=\"root\", attrs=\"LegacyBIOSBootable,GUID:63\"\n\
    start=30720, size=2048, type=S\n";

fn partitioned(path: &Path, unit: u64, script: &str) {
    blank(path, 32 << 20);
    image::partition(path, unit, script);
}

/// `sgdisk --verify` reads the boot sector, both headers and both lists.
fn verified(path: &Path, unit: u64) {
    let script = format!(
        "d=$(losetup --find --show --sector-size {unit} \"$1\"); trap 'losetup -d $d' EXIT; sgdisk --verify $d; sfdisk --verify $d"
    );
    let said = shell(&script, &[path]);
    assert!(said.contains("No problems found"), "{said}");
}

#[test]
fn a_gpt_is_the_same_in_other_blocks_and_back() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    partitioned(&path, 512, GPT);
    let before = image::dump(&path, 512);
    convert_in_place(&path, 512, 4096);
    verified(&path, 4096);
    let (_, rows) = image::dump(&path, 4096);
    for (old, new) in before.1.iter().zip(&rows) {
        assert_eq!((new.start * 8, new.size * 8), (old.start, old.size));
        assert_eq!((new.number, &new.rest), (old.number, &old.rest));
    }
    let mut disk = image::open(&path, 512);
    assert!(
        RewritableTable::read_anywhere(&mut disk).is_err(),
        "nothing is left of the old one"
    );
    drop(disk);
    convert_in_place(&path, 4096, 512);
    verified(&path, 512);
    let back = image::dump(&path, 512);
    assert_eq!(back.1, before.1);
    let id = |head: &[String]| {
        head.iter()
            .find(|line| line.starts_with("label-id"))
            .cloned()
    };
    assert_eq!(id(&back.0), id(&before.0));
}

/// Sector 34 and an end on the last usable sector: the first moves, the image grows.
#[test]
fn odd_places_are_made_whole() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script =
        "label: gpt\nfirst-lba: 34\nstart=34, size=1977, type=L\nstart=2048, size=63455, type=L\n";
    partitioned(&path, 512, script);
    let text = "the first partition, at an odd place";
    let write = format!(
        "printf '{text}' | dd of=\"$1\" bs=1 seek=17408 conv=notrunc status=none; mkswap --offset 1048576 \"$1\" >/dev/null 2>&1 || true"
    );
    shell(&write, &[&path]);
    // What nobody knows is refused; swap space is known.
    let unknown = planned(&mut crate::image::opened(&path), 512, 4096).unwrap();
    let refusal = unknown.refusal(|_| false).unwrap().to_string();
    assert!(
        refusal.contains("partition 1: its content is unknown"),
        "{refusal}"
    );
    shell(
        "dd if=/dev/zero of=\"$1\" bs=512 seek=34 count=1900 conv=notrunc status=none; truncate --size 1011712 \"$1.s\"; mkswap \"$1.s\" >&2; dd if=\"$1.s\" of=\"$1\" bs=512 seek=34 conv=notrunc status=none",
        &[&path],
    );
    let plan = convert_in_place(&path, 512, 4096);
    assert_eq!(plan.bytes, 33 << 20, "a MiB more, for the backup");
    assert_eq!(plan.moves.len(), 1);
    verified(&path, 4096);
    let (_, rows) = image::dump(&path, 4096);
    assert_eq!((rows[0].start, rows[0].size), (6, 248));
    assert_eq!((rows[1].start, rows[1].size), (256, 7932));
    let swap = shell(
        "blkid --probe --offset 24576 --output value --match-tag TYPE \"$1\"",
        &[&path],
    );
    assert_eq!(swap.trim(), "swap");
}

#[test]
fn an_mbr_of_primaries_follows_and_one_of_logicals_does_not() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script = "label: dos\nlabel-id: 0xc0ffee11\nstart=2048, size=20480, type=83, bootable\nstart=22528, size=2048, type=82\n";
    partitioned(&path, 512, script);
    let refused = planned(&mut crate::image::opened(&path), 512, 4096).unwrap_err();
    assert!(
        refused.to_string().contains("sector size is unknown"),
        "{refused}"
    );
    shell(
        "truncate --size 10M \"$1.e\"; mkfs.ext4 -q -b 4096 \"$1.e\"; dd if=\"$1.e\" of=\"$1\" bs=1M seek=1 conv=notrunc status=none",
        &[&path],
    );
    let before = image::dump(&path, 512).1;
    convert_in_place(&path, 512, 4096);
    let after = image::dump(&path, 4096).1;
    assert_eq!((after[0].start, after[0].size), (256, 2560));
    assert_eq!(after[0].rest, before[0].rest);
    // Once more: what it counts in is seen by what is there.
    let again = planned(&mut crate::image::opened(&path), 512, 4096).unwrap_err();
    assert!(again.to_string().contains("already"), "{again}");
    convert_in_place(&path, 4096, 512);
    assert_eq!(image::dump(&path, 512).1, before);
    partitioned(
        &path,
        512,
        "label: dos\nstart=2048, size=20480, type=5\nstart=4096, size=2048, type=83\n",
    );
    let logical = planned(&mut crate::image::opened(&path), 512, 4096).unwrap_err();
    assert!(
        logical.to_string().contains("sgdisk --mbrtogpt"),
        "{logical}"
    );
}

/// A table is made for any disk on which it fits, and never with less room than it needs.
#[test]
fn usable_ranges_leave_room_for_both_copies() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    partitioned(&path, 512, "label: gpt\n");
    let table = RewritableTable::read(&mut crate::image::opened(&path)).unwrap();
    let on = |unit, size| {
        table
            .usable_on(Ground {
                unit,
                size,
                both: false,
            })
            .unwrap()
    };
    assert_eq!(on(4096, 32 << 20), (1 << 20, (32 << 20) - 5 * 4096));
    assert_eq!(on(512, 32 << 20), (1 << 20, (32 << 20) - 33 * 512));
    let small = table.usable_on(Ground {
        unit: 4096,
        size: 1 << 20,
        both: false,
    });
    assert!(small.unwrap_err().to_string().contains("no room"));
}
