//! Every I/O of every disk against the tables of the twin.

use std::collections::BTreeSet;

use ioalign_core::Bytes;
use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
use ioalign_simulate::geometry::{
    ArrayGeometry, ArrayShape, CopyLayout, DiskIo, DiskSteps, SmallWrite,
};
use proptest::prelude::*;

use super::twin::{ArrayTwin, DiskSpot, SECTOR, runs};

pub fn shape(level: RaidLevel, disks: u32, element: u64, maker: Maker) -> ArrayShape {
    ArrayShape {
        array: PlannedArray {
            level,
            disks,
            element: Bytes::new(element),
            maker,
        },
        copies: CopyLayout::Near,
        small_write: SmallWrite::Fewest,
        disk_bytes: 24 * element,
        failed: Vec::new(),
    }
}

fn sectors(ios: &[DiskIo]) -> BTreeSet<DiskSpot> {
    let each = |io: &DiskIo| {
        (io.at / SECTOR..(io.at + io.len) / SECTOR)
            .map(|s| (io.disk, s))
            .collect::<Vec<_>>()
    };
    ios.iter().flat_map(each).collect()
}

fn steps(geometry: &ArrayGeometry, first: u64, count: u64, write: bool) -> DiskSteps {
    let mut steps = DiskSteps::default();
    geometry.steps(first * SECTOR, count * SECTOR, write, &mut steps);
    steps
}

fn levels() -> impl Strategy<Value = (RaidLevel, u32, Maker, CopyLayout)> {
    let level = prop_oneof![
        (Just(RaidLevel::Raid0), 1_u32..6),
        (Just(RaidLevel::Raid1), 2_u32..4),
        (Just(RaidLevel::Raid10), 4_u32..8),
        (Just(RaidLevel::Raid5), 3_u32..8),
        (Just(RaidLevel::Raid6), 4_u32..9),
    ];
    let maker = prop_oneof![Just(Maker::Md), Just(Maker::Controller)];
    let copies = prop_oneof![Just(CopyLayout::Near), Just(CopyLayout::Far)];
    (level, maker, copies).prop_map(|((level, disks), maker, copies)| (level, disks, maker, copies))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn copies_are_where_the_table_has_them(
        (level, disks, maker, copies) in levels(),
        element in prop::sample::select(vec![4096_u64, 8192, 12288]),
        at in any::<prop::sample::Index>(),
        count in 1_u64..80,
        write in any::<bool>(),
    ) {
        if matches!(level, RaidLevel::Raid5 | RaidLevel::Raid6) {
            return Ok(());
        }
        let mut shape = shape(level, disks, element, maker);
        shape.copies = copies;
        let twin = ArrayTwin::new(&shape);
        let geometry = ArrayGeometry::new(shape).unwrap();
        prop_assert_eq!(geometry.capacity() / SECTOR, twin.copies.len() as u64);
        let count = count.min(twin.copies.len() as u64);
        let first = at.index(twin.copies.len() - usize::try_from(count).unwrap() + 1);
        let spots = &twin.copies[first..first + usize::try_from(count).unwrap()];
        let out = steps(&geometry, first as u64, count, write);
        if write {
            let all: BTreeSet<_> = spots.iter().flatten().copied().collect();
            prop_assert_eq!(out.ios.len(), runs(&all));
            prop_assert_eq!(sectors(&out.ios), all);
        } else {
            let all: BTreeSet<_> = spots.iter().map(|copies| copies[0]).collect();
            prop_assert_eq!(sectors(&out.ios), all);
            let mut others = BTreeSet::new();
            for io in out.ios.iter().filter(|io| io.any_copy) {
                geometry.each_copy(io, |disk, at| others.extend(sectors(&[DiskIo { disk, at, ..*io }])));
            }
            let all = spots.iter().filter(|copies| copies.len() > 1).flatten();
            prop_assert_eq!(others, all.copied().collect());
        }
    }

    #[test]
    fn parity_is_read_and_written_as_the_table_has_it(
        (level, disks, maker, _) in levels(),
        element in prop::sample::select(vec![4096_u64, 8192, 32768]),
        at in any::<prop::sample::Index>(),
        count in 1_u64..200,
    ) {
        if !level.has_parity() {
            return Ok(());
        }
        let shape = shape(level, disks, element, maker);
        let twin = ArrayTwin::new(&shape);
        let geometry = ArrayGeometry::new(shape).unwrap();
        prop_assert_eq!(geometry.capacity() / SECTOR, twin.copies.len() as u64);
        let first = at.index(twin.copies.len() - 200) as u64;
        let read = steps(&geometry, first, count, false);
        let range = usize::try_from(first).unwrap()..usize::try_from(first + count).unwrap();
        prop_assert_eq!(sectors(&read.ios), twin.copies[range].iter().map(|copies| copies[0]).collect());
        let out = steps(&geometry, first, count, true);
        let groups = twin.parity_write(first..first + count);
        prop_assert_eq!(out.groups.len(), groups.len());
        for (group, (reads, writes)) in out.groups.iter().zip(&groups) {
            let (ours, theirs) = (&out.ios[group.reads.clone()], &out.ios[group.writes.clone()]);
            prop_assert!(ours.iter().all(|io| !io.write) && theirs.iter().all(|io| io.write));
            prop_assert_eq!(&sectors(theirs), writes);
            prop_assert_eq!(theirs.len(), runs(writes));
            // Two gaps around what is written are read as one.
            prop_assert!(sectors(ours).is_superset(reads));
            let disks: BTreeSet<_> = reads.iter().map(|spot| spot.0).collect();
            prop_assert_eq!(ours.len(), disks.len());
        }
    }

    #[test]
    fn parity_follows_from_what_was_read(
        (level, disks, maker, _) in levels(),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        way in prop::sample::select(vec![SmallWrite::Fewest, SmallWrite::Modify, SmallWrite::Reconstruct]),
        at in any::<prop::sample::Index>(),
        count in 1_u64..120,
    ) {
        let most = match level { RaidLevel::Raid5 => 1, RaidLevel::Raid6 => 2, _ => return Ok(()) };
        let mut shape = shape(level, disks, 8192, maker);
        shape.small_write = way;
        let failed: BTreeSet<_> = failed.iter().map(|one| u32::try_from(one.index(disks as usize)).unwrap()).take(most).collect();
        shape.failed = failed.into_iter().collect();
        let twin = ArrayTwin::new(&shape);
        let geometry = ArrayGeometry::new(shape).unwrap();
        let first = at.index(twin.copies.len() - 120) as u64;
        let out = steps(&geometry, first, count, true);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for group in &out.groups {
            reads.extend(&out.ios[group.reads.clone()]);
            writes.extend(&out.ios[group.writes.clone()]);
        }
        if let Err(why) = twin.prove(first..first + count, &sectors(&reads), &sectors(&writes)) {
            prop_assert!(false, "{}: {:?}", why, out);
        }
    }
}

/// A write of 16 KiB on four disks: 2 reads and 2 writes on a page; three groups of the same off it.
#[test]
fn sector_63_has_three_groups_in_md_and_one_in_a_controller() {
    let ios = |maker, start: u64, block: u64| {
        let mut shape = shape(RaidLevel::Raid5, 4, 65536, maker);
        shape.disk_bytes = 1 << 30;
        let out = steps(
            &ArrayGeometry::new(shape).unwrap(),
            start + block * 32,
            32,
            true,
        );
        (out.groups.len(), out.ios.len())
    };
    assert_eq!(ios(Maker::Md, 2048, 0), (1, 4));
    assert_eq!(ios(Maker::Md, 64, 0), (1, 4));
    assert_eq!(ios(Maker::Md, 63, 0), (3, 12));
    assert_eq!(ios(Maker::Md, 63, 2), (3, 12), "over the end of an element");
    assert_eq!(ios(Maker::Controller, 63, 0), (1, 4));
    assert_eq!(
        ios(Maker::Controller, 63, 2),
        (1, 6),
        "two elements, one parity"
    );
    assert_eq!(ios(Maker::Controller, 63, 10), (2, 8), "two stripes");
}

#[test]
fn full_stripes_read_nothing() {
    let mut shape = shape(RaidLevel::Raid5, 4, 65536, Maker::Md);
    shape.disk_bytes = 1 << 30;
    let geometry = ArrayGeometry::new(shape).unwrap();
    let ios = |start| steps(&geometry, start, 384, true).ios.len();
    assert_eq!((ios(384), ios(3072)), (4, 4));
    assert_eq!((ios(128), ios(2048)), (8, 8));
}

/// Lost data follow from the other disks: md computes pages of its cache, a controller the bytes that were asked for.
#[test]
fn a_read_of_a_failed_disk_takes_whole_pages_in_md() {
    let reads = |maker, first, count| {
        let mut shape = shape(RaidLevel::Raid5, 4, 65536, maker);
        shape.failed = vec![0];
        let out = steps(&ArrayGeometry::new(shape).unwrap(), first, count, false);
        let ios = out.ios.iter().map(|io| (io.disk, io.at, io.len));
        ios.collect::<Vec<_>>()
    };
    let of_others = |at, len| [1, 2, 3].map(|disk| (disk, at, len));
    assert_eq!(reads(Maker::Md, 9, 1), of_others(4096, 4096));
    assert_eq!(reads(Maker::Md, 15, 2), of_others(4096, 8192));
    assert_eq!(reads(Maker::Controller, 9, 1), of_others(4608, 512));
    // On a disk that works a sector is a sector.
    assert_eq!(reads(Maker::Md, 128 + 9, 1), [(1, 4608, 512)]);
}

#[test]
fn arrays_that_cannot_be_are_refused() {
    let refused = |level, disks, element| {
        let mut shape = shape(level, disks, element, Maker::Controller);
        shape.disk_bytes = 1 << 30;
        ArrayGeometry::new(shape).unwrap_err()
    };
    assert!(refused(RaidLevel::Raid0, 0, 65536).contains("not 0"));
    assert!(refused(RaidLevel::Raid5, 2, 65536).contains("needs 3"));
    assert!(refused(RaidLevel::Raid0, 4, 1000).contains("whole sectors"));
    assert!(refused(RaidLevel::Raid0, 4, 0).contains("whole sectors"));
    assert!(refused(RaidLevel::Raid0, 4, 2 << 30).contains("hold an element"));
    assert!(refused(RaidLevel::Raid0, 100_000, 65536).contains("512"));
    let failed = |level, disks, failed: &[u32]| {
        let mut shape = shape(level, disks, 65536, Maker::Md);
        shape.failed = failed.to_vec();
        ArrayGeometry::new(shape)
    };
    assert!(
        failed(RaidLevel::Raid0, 2, &[1])
            .unwrap_err()
            .contains("lost")
    );
    assert!(
        failed(RaidLevel::Raid5, 4, &[1, 2])
            .unwrap_err()
            .contains("lost")
    );
    assert!(
        failed(RaidLevel::Raid10, 4, &[0, 1])
            .unwrap_err()
            .contains("lost")
    );
    assert!(failed(RaidLevel::Raid10, 4, &[0, 2]).is_ok());
    assert!(
        failed(RaidLevel::Raid6, 4, &[0, 9])
            .unwrap_err()
            .contains("no disk 9")
    );
}

/// The layer that `check` makes of a striped array says the same of where data lie.
#[test]
fn columns_are_those_of_the_layer_map() {
    for (level, copies) in [(RaidLevel::Raid0, 1), (RaidLevel::Raid10, 2)] {
        let shape = shape(level, 4, 65536, Maker::Md);
        let geometry = ArrayGeometry::new(shape).unwrap();
        for chunk in 0..40 {
            let out = steps(&geometry, chunk * 128, 1, false);
            let (data, io) = (geometry.bearing(), out.ios[0]);
            assert_eq!(u64::from(io.disk) / copies, chunk % data, "column");
            assert_eq!(io.at, chunk / data * 65536, "address below");
        }
    }
}
