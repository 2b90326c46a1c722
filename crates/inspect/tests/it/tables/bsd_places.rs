//! Which entries of a disklabel are partitions, and what their offsets count from: a slice of 20,000 sectors.

use ioalign_core::Role;
use ioalign_inspect::tables::probe;

use super::bsd::{label, seal};
use super::disk::{put, read, read_in, rules, sized, spans, view};

/// Type, offset and size of an entry, in sectors.
type Entry = (u8, u32, u32);

/// What is read in a slice of this type that begins at a sector of the disk.
fn places(parent: &str, disk: u64, entries: &[Entry]) -> Vec<(u64, u64)> {
    let table = read_in(&label(512, entries), parent, disk * 512);
    spans(&table.unwrap().unwrap(), 512)
}

#[test]
fn offsets_count_from_what_puts_most_inside() {
    type Case<'a> = (&'a str, u64, &'a [Entry], &'a [(u64, u64)]);
    let cases: [Case<'_>; 6] = [
        // FreeBSD: what `c` says counts before the start of the disk.
        (
            "a5",
            5000,
            &[(7, 1000, 100), (1, 1100, 50), (0, 1000, 500)],
            &[(0, 100), (100, 50), (0, 500)],
        ),
        // A `c` without a size says nothing.
        (
            "a5",
            5000,
            &[(7, 1000, 100), (1, 1100, 50), (0, 1000, 0)],
            &[(1000, 100), (1100, 50)],
        ),
        // OpenBSD: the disk counts first, and entries without a type do not count.
        (
            "a6",
            1000,
            &[(7, 1000, 100), (1, 1100, 50), (0, 0, 900)],
            &[(0, 100), (100, 50)],
        ),
        // Relative to the slice, which no label of its kind should be.
        ("a6", 10_000, &[(7, 100, 200)], &[(100, 200)]),
        // An entry without a size does not count.
        ("a6", 1000, &[(7, 1000, 100), (7, 0, 0)], &[(0, 100)]),
        // What ends with the slice is inside.
        (
            "a5",
            1000,
            &[(7, 1000, 20_000), (1, 0, 0), (0, 3000, 10)],
            &[(0, 20_000), (2000, 10)],
        ),
    ];
    for (parent, disk, entries, wanted) in cases {
        assert_eq!(
            places(parent, disk, entries),
            wanted,
            "{parent} {entries:?}"
        );
    }
}

#[test]
fn a_start_at_the_end_is_outside() {
    let table = read(&label(512, &[(7, 20_000, 10), (7, 19_999, 1)])).unwrap();
    let table = table.unwrap();
    assert_eq!(spans(&table, 512), [(19_999, 1)]);
    assert_eq!(rules(&table), ["bsd-outside-slice"]);
    assert!(table.remarks[0].why.contains("Partition a "));
}

#[test]
fn the_whole_disk_is_cut_to_what_there_is() {
    let entries = [(7, 0, 10), (1, 10, 10), (0, 100, 20_000)];
    let table = read(&label(512, &entries)).unwrap().unwrap();
    assert_eq!(spans(&table, 512), [(0, 10), (10, 10), (100, 19_900)]);
    assert_eq!(rules(&table), Vec::<&str>::new());
}

#[test]
fn entries_without_a_type_are_the_whole_disk_or_nothing() {
    let entries = [(0, 5, 5), (7, 0, 0), (0, 0, 20_000), (0, 0, 9), (0, 0, 9)];
    let table = read(&label(512, &entries)).unwrap().unwrap();
    let found: Vec<_> = table
        .partitions
        .iter()
        .map(|p| (p.number, p.role))
        .collect();
    assert_eq!(found, [(3, Role::WholeDisk), (4, Role::WholeDisk)]);
    let last = &table.partitions[1];
    assert_eq!(
        (last.label.as_str(), last.entry_at.get()),
        ("d", 512 + 148 + 3 * 16)
    );
}

#[test]
fn the_number_of_entries_has_its_limits() {
    let with = |count: u16| {
        let mut image = label(512, &[(7, 16, 1000)]);
        put(&mut image, 512 + 138, &count.to_le_bytes());
        seal(&mut image, 512, 1);
        read(&image).map(|table| spans(&table.unwrap(), 512))
    };
    for count in [0, 33] {
        assert_eq!(with(count).unwrap_err().field_name(), Some("d_npartitions"));
    }
    for count in [1, 32] {
        assert_eq!(with(count).unwrap(), [(16, 1000)]);
    }
}

#[test]
fn the_checksum_ends_with_the_last_entry() {
    let mut image = label(512, &[(7, 16, 1000), (7, 1016, 1000)]);
    image[512 + 148 + 32] = 7;
    assert_eq!(rules(&read(&image).unwrap().unwrap()), Vec::<&str>::new());
    image[512 + 148 + 31] = 7;
    assert_eq!(rules(&read(&image).unwrap().unwrap()), ["bsd-checksum"]);
}

#[test]
fn the_label_names_its_sectors() {
    let with = |bytes: u32, context: u32| {
        let mut image = label(512, &[(7, 16, 100)]);
        put(&mut image, 512 + 40, &bytes.to_le_bytes());
        seal(&mut image, 512, 1);
        let table = probe(&view(&image), &sized(context)).unwrap().unwrap();
        (table.sector.unwrap().get(), table.partitions[0].start.get())
    };
    assert_eq!(with(512, 4096), (512, 16 * 512));
    assert_eq!(with(2048, 512), (2048, 16 * 2048));
    assert_eq!(with(256, 4096), (4096, 16 * 4096), "no size of a sector");
}

#[test]
fn openbsd_keeps_high_halves_of_offsets() {
    let mut image = label(512, &[(7, 16, 1000)]);
    put(&mut image, 512 + 114, &1_u16.to_le_bytes());
    put(&mut image, 512 + 148 + 8, &1_u16.to_le_bytes());
    seal(&mut image, 512, 1);
    let slice = ((1 << 32) - 100) * 512;
    let table = read_in(&image, "a6", slice).unwrap().unwrap();
    assert_eq!(spans(&table, 512), [(116, 1000)]);
}
