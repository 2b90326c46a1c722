//! How sentences name a layer.

use ioalign_core::{Bytes, Kind, Layer, Remark, Stack, rules};

use super::{bottom, only, shift};

/// The name in a sentence, and at its beginning.
fn names(kind: Kind) -> (String, String) {
    let mut stack = Stack::new();
    let disk = bottom(&mut stack, Kind::Disk, "sda", &[]);
    let note = || Remark::note(rules::GPT_MISSING, "So");
    stack.layer_mut(disk).remarks.push(note());
    let mut layer = Layer::new(kind, "élan").on(disk, shift(0));
    layer.size = Some(Bytes::new(513));
    layer.size_unit = Some(Bytes::new(512));
    layer.remarks.push(note());
    stack.push(layer);
    let within = only(&stack, rules::GPT_MISSING).why;
    let first = only(&stack, rules::SIZE_NOT_SECTOR_MULTIPLE).why;
    let within = within.strip_prefix("So; the same holds for ").unwrap();
    let (first, _) = first.split_once(" has ").unwrap();
    (within.to_owned(), first.to_owned())
}

#[test]
fn every_kind_has_its_words() {
    for (kind, within, first) in [
        (Kind::Disk, "élan", "Disk élan"),
        (Kind::Image, "élan", "Image élan"),
        (Kind::Partition, "partition élan", "Partition élan"),
        (Kind::Md, "array élan", "Array élan"),
        (
            Kind::LvmPv,
            "the extents area of élan",
            "The extents area of élan",
        ),
        (Kind::LvmLv, "logical volume élan", "Logical volume élan"),
        (Kind::ThinPool, "thin pool élan", "Thin pool élan"),
        (
            Kind::Crypt,
            "encrypted volume élan",
            "Encrypted volume élan",
        ),
        (Kind::Bcache, "bcache élan", "Bcache élan"),
        (Kind::Volume, "volume élan", "Volume élan"),
        (Kind::Filesystem, "élan on sda", "File system élan on sda"),
        (Kind::Swap, "élan on sda", "Élan on sda"),
        (Kind::Database, "database élan", "Database élan"),
        (Kind::File, "file élan", "File élan"),
    ] {
        assert_eq!(names(kind), (within.to_owned(), first.to_owned()));
    }
}

#[test]
fn a_file_system_on_nothing_has_its_own_name_only() {
    let mut stack = Stack::new();
    let filesystem = bottom(&mut stack, Kind::Filesystem, "ext4", &[]);
    stack.layer_mut(filesystem).size = Some(Bytes::new(513));
    stack.layer_mut(filesystem).size_unit = Some(Bytes::new(512));
    let why = only(&stack, rules::SIZE_NOT_SECTOR_MULTIPLE).why;
    assert!(why.starts_with("File system ext4 has 513 B"), "{why}");
}
