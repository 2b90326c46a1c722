//! Tables that were rewritten, read back by sfdisk: moved partitions are where they were sent, and
//! everything else is as before.

use ioalign_repair::mover::FileDisk;
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind};
use ioalign_testkit::disk::Disk as Scratch;
use ioalign_testkit::needs::{MachineNeed, is_left_out};
use proptest::prelude::*;

use crate::image::{self, Row, dump, partition};

const LOGICALS: &str = "label: dos\nlabel-id: 0x12345678\n\
    start=63, size=20000, type=83, bootable\n\
    start=20480, size=4000, type=7\n\
    start=30000, size=900000, type=f\n\
    start=30063, size=100000, type=83\n\
    start=140001, size=50000, type=82\n\
    start=200000, size=60000, type=8e\n";

const GUIDS: &str = "label: gpt\nfirst-lba: 34\nlabel-id: 0FC63DAF-8483-4772-8E79-3D69D8477DE4\n\
    start=34, size=20000, type=U, name=\"esp ä\", uuid=11111111-1111-4111-8111-111111111111\n\
    start=20480, size=4000, type=L, attrs=\"LegacyBIOSBootable GUID:60\"\n\
    start=30001, size=60000, type=S\n";

fn read(path: &std::path::Path, unit: u64) -> (FileDisk, RewritableTable) {
    let mut image = image::open(path, unit);
    let table = RewritableTable::read(&mut image).unwrap();
    (image, table)
}

fn slot(table: &RewritableTable, number: u32) -> PartitionSlot {
    let slots = table.slots();
    *slots.iter().find(|slot| slot.number == number).unwrap()
}

/// A partition of `table` that begins elsewhere.
fn at(table: &RewritableTable, number: u32, sector: u64, unit: u64) -> PartitionSlot {
    PartitionSlot {
        start: sector * unit,
        ..slot(table, number)
    }
}

/// Our reading is sfdisk's.
fn agree(table: &RewritableTable, rows: &[Row], unit: u64) {
    let ours: Vec<_> = table
        .slots()
        .iter()
        .map(|slot| (slot.number, slot.start / unit, slot.size / unit))
        .collect();
    let theirs: Vec<_> = rows
        .iter()
        .map(|row| (row.number, row.start, row.size))
        .collect();
    assert_eq!(ours, theirs);
}

/// Moves partitions and lets sfdisk compare.
fn moves(disk: &Scratch, unit: u64, to: &[(u32, u64)]) {
    let (head, before) = dump(disk.path(), unit);
    let (mut image, table) = read(disk.path(), unit);
    agree(&table, &before, unit);
    let moved: Vec<_> = to
        .iter()
        .map(|(number, sector)| at(&table, *number, *sector, unit))
        .collect();
    let groups = table.rewritten(&moved).unwrap();
    if let RewritableTable::Gpt(_) = table {
        // While one copy is written the other is whole: the backup, at the end, comes first.
        let first = |group: usize| groups[group].iter().map(|sectors| sectors.at).min();
        assert!(first(0) > first(1) && groups.len() == 2);
    }
    image::put(&mut image, &groups);
    drop(image);
    let (new_head, after) = dump(disk.path(), unit);
    assert_eq!(head, new_head);
    let wanted: Vec<_> = before
        .into_iter()
        .map(|mut row| {
            if let Some((_, sector)) = to.iter().find(|(number, _)| *number == row.number) {
                row.start = *sector;
            }
            row
        })
        .collect();
    assert_eq!(wanted, after);
    let (_, table) = read(disk.path(), unit);
    agree(&table, &after, unit);
}

#[test]
fn logical_partitions_move_both_ways_and_keep_their_neighbours() {
    needs!(Packages);
    let disk = Scratch::new("dos.img", 512 << 20);
    partition(disk.path(), 512, LOGICALS);
    // The case that the mover of util-linux loses: the one after the moved one is still there.
    moves(&disk, 512, &[(5, 32768)]);
    moves(&disk, 512, &[(1, 64), (6, 139_264), (7, 199_680)]);
    moves(&disk, 512, &[(5, 30_720), (7, 190_000)]);
    assert_eq!(slot(&read(disk.path(), 512).1, 3).kind, SlotKind::Extended);
}

#[test]
fn both_copies_of_a_gpt_follow_and_ids_stay() {
    needs!(Packages, Root);
    for unit in [512, 4096] {
        let disk = Scratch::new("gpt.img", 1 << 30);
        partition(disk.path(), unit, GUIDS);
        moves(&disk, unit, &[(1, 256), (3, 32_768)]);
        moves(&disk, unit, &[(2, 98_304)]);
        // sgdisk looks at both copies and their checksums, for blocks of 512 bytes.
        if unit == 512 {
            let said = ioalign_testkit::run::tool("sgdisk", &["-v", disk.path().to_str().unwrap()]);
            assert!(said.contains("No problems found"), "{said}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    needs!(Packages);
    let disk = Scratch::new("dos.img", 512 << 20);
    partition(disk.path(), 512, LOGICALS);
    let (_, table) = read(disk.path(), 512);
    for (number, sector, why) in [
        (1, 19_000, "overlap"),
        (2, 1_048_000, "outside the usable"),
        (6, 130_063, "record"),
        (2, 890_000, "extended"),
    ] {
        let error = table
            .rewritten(&[at(&table, number, sector, 512)])
            .unwrap_err();
        assert!(
            error.to_string().contains(why),
            "{number} at {sector}: {error}"
        );
    }
}

#[test]
fn what_is_odd_is_refused_with_the_reason() {
    needs!(Packages);
    let refused = |disk: &Scratch, why: &str| {
        let error = RewritableTable::read(&mut image::open(disk.path(), 512)).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    };
    let disk = Scratch::new("disk.img", 64 << 20);
    refused(&disk, "no partition table");
    partition(disk.path(), 512, "label: gpt\nstart=2048, size=2048\n");
    // A hybrid: the second entry of the MBR is in use.
    let mut entry = [0; 16];
    entry[4] = 0x83;
    entry[8..12].copy_from_slice(&2048_u32.to_le_bytes());
    entry[12..].copy_from_slice(&2048_u32.to_le_bytes());
    disk.write(462, &entry);
    refused(&disk, "hybrid");
    disk.write(462, &[0; 16]);
    let header = disk.read(512, 92);
    disk.write(512 + 40, &[99]);
    refused(&disk, "checksum");
    disk.write(512, &header);
    disk.write(1024 + 56, b"x");
    refused(&disk, "do not match");
    // A chain that leads to itself.
    let disk = Scratch::new("loop.img", 512 << 20);
    partition(disk.path(), 512, LOGICALS);
    let mut link = [0; 16];
    link[4] = 5;
    link[12] = 1;
    disk.write(30_000 * 512 + 462, &link);
    refused(&disk, "does not end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever is asked for either is refused or reads back as asked.
    #[test]
    fn chains_read_back_as_asked(starts in proptest::collection::vec(30_000_u64..900_000, 3)) {
        if is_left_out(&[MachineNeed::Packages]) {
            return Ok(());
        }
        let disk = Scratch::new("dos.img", 512 << 20);
        write_chain(&disk);
        let (mut image, table) = read(disk.path(), 512);
        let moved: Vec<_> = (5..8)
            .zip(&starts)
            .map(|(number, start)| at(&table, number, *start, 512))
            .collect();
        if let Ok(groups) = table.rewritten(&moved) {
            image::put(&mut image, &groups);
            let again = RewritableTable::read(&mut image).unwrap();
            for slot in &moved {
                prop_assert!(again.slots().contains(slot), "{:?}", again.slots());
            }
            let kept = |table: &RewritableTable| (slot(table, 1), slot(table, 2));
            prop_assert_eq!(kept(&table), kept(&again));
        }
    }
}

/// The table of [`LOGICALS`], made once.
fn write_chain(disk: &Scratch) {
    use std::sync::OnceLock;
    type Saved = Vec<(u64, Vec<u8>)>;
    static SAVED: OnceLock<Saved> = OnceLock::new();
    let saved = SAVED.get_or_init(|| {
        let first = Scratch::new("first.img", 512 << 20);
        partition(first.path(), 512, LOGICALS);
        // sfdisk puts records where it likes: take them from the chain itself.
        let bytes = std::fs::read(first.path()).unwrap();
        let signed = (0..bytes.len() / 512)
            .filter(|lba| bytes[lba * 512 + 510..lba * 512 + 512] == [0x55, 0xaa]);
        signed
            .map(|lba| {
                (
                    (lba * 512) as u64,
                    bytes[lba * 512..(lba + 1) * 512].to_vec(),
                )
            })
            .collect()
    });
    for (at, bytes) in saved {
        disk.write(*at, bytes);
    }
}
