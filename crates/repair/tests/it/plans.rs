//! Plans: the published examples, and the proof for any.

use ioalign_core::{Bytes, GridClaim, GridKind};
use ioalign_repair::planner::{
    Filesystem, Maker, PartRole, PlanRequest, PlannedArray, PlannedLabel, PlannedPartition,
    PlannedVolume, RaidLevel, plan,
};
use ioalign_repair::platforms::{DiskNames, Platform, steps};
use proptest::prelude::*;

fn data(size: Option<u64>) -> PlannedPartition {
    PlannedPartition {
        role: PartRole::Data,
        size: size.map(Bytes::new),
    }
}

fn grid(text: &str) -> GridClaim {
    text.parse().unwrap()
}

fn raid(level: RaidLevel, disks: u32, element: u64) -> Option<PlannedArray> {
    Some(PlannedArray {
        level,
        disks,
        element: Bytes::new(element),
        maker: Maker::Md,
    })
}

fn lines(want: &PlanRequest, disks: usize) -> Vec<String> {
    let names = (0..disks)
        .map(|index| format!("/dev/sd{}", char::from(b'b' + u8::try_from(index).unwrap())))
        .collect::<Vec<_>>();
    let names = DiskNames::given(Platform::Linux, &names).unwrap();
    let plan = plan(want).unwrap();
    let steps = steps(&plan, Platform::Linux, &names);
    steps.into_iter().flat_map(|step| step.lines).collect()
}

#[test]
fn six_disks_of_raid_5_give_the_published_options() {
    let want = |filesystem| PlanRequest {
        array: raid(RaidLevel::Raid5, 6, 64 << 10),
        partitions: vec![data(None)],
        size: Some(Bytes::new(5 << 40)),
        filesystem: Some(filesystem),
        ..PlanRequest::default()
    };
    let xfs = lines(&want(Filesystem::Xfs), 6);
    let is = |line: &str| xfs.iter().any(|other| other == line);
    assert!(
        is("mkfs.xfs -b size=4k -d su=64k,sw=5 /dev/md0p1"),
        "{xfs:#?}"
    );
    // 320 KiB and the mebibyte share 5 MiB.
    assert!(
        xfs.iter().any(|line| line.starts_with("start=10240, ")),
        "{xfs:#?}"
    );
    let ext4 = lines(&want(Filesystem::Ext4), 6);
    let wanted = "mke2fs -t ext4 -b 4096 -E stride=16,stripe-width=80 /dev/md0p1";
    assert!(ext4.iter().any(|line| line == wanted), "{ext4:#?}");
}

#[test]
fn a_partition_eleven_sectors_ahead_wants_501() {
    let want = PlanRequest {
        array: raid(RaidLevel::Raid0, 1 << 2, 256 << 10),
        habit: None,
        partitions: vec![data(None)],
        given_start: Some(Bytes::new((4 << 20) + 11 * 512)),
        volumes: vec![PlannedVolume::Lvm {
            thin: false,
            stripes: 1,
        }],
        ..PlanRequest::default()
    };
    let all = lines(&want, 4);
    // The grids of four disks share the full stripe of 1 MiB, eleven sectors ahead of which lie 2037.
    assert!(
        all.iter()
            .any(|line| line.contains("--dataalignment 1m --dataalignmentoffset 2037s")),
        "{all:#?}"
    );
    let element = PlanRequest {
        array: None,
        grids: vec![grid("256k:element:preference")],
        ..want
    };
    let all = lines(&element, 1);
    assert!(
        all.iter()
            .any(|line| line.contains("--dataalignment 256k --dataalignmentoffset 501s")),
        "{all:#?}"
    );
}

#[test]
fn solaris_starts_follow_the_volume_block() {
    // From the end of the EFI label on: 48 for 8 KiB, 128 for 64 KiB, 256 for 128 KiB.
    for (block, sector) in [(8 << 10, 48), (64 << 10, 128), (128 << 10, 256)] {
        let want = PlanRequest {
            volume_block: Some(Bytes::new(block)),
            habit: None,
            label: PlannedLabel::Efi,
            partitions: vec![data(None)],
            ..PlanRequest::default()
        };
        let plan = plan(&want).unwrap();
        assert_eq!(plan.seats[0].start, Bytes::new(sector * 512));
    }
}

#[test]
fn what_cannot_be_had_together_is_named() {
    let want = PlanRequest {
        grids: vec![grid("4k@3584:jumper:rmw")],
        physical: grid("512:physical-block:rmw"),
        partitions: vec![data(None)],
        ..PlanRequest::default()
    };
    let plan = plan(&want).unwrap();
    let lost = &plan.solution.given_up[0];
    assert_eq!(lost.claim.kind, GridKind::Habit);
    let against = &plan.solution.kept[lost.against.unwrap()];
    assert_eq!(against.kind.name(), "jumper");
    assert_eq!(plan.seats[0].start.get() % 4096, 3584);
}

/// More than four partitions of an MBR: a table of the kind that a disk of 2 TiB and more does not have.
fn crowded(count: usize, size: u64) -> PlanRequest {
    PlanRequest {
        label: PlannedLabel::Dos,
        partitions: (1..count)
            .map(|n| data(Some(n as u64 * 777 * 512)))
            .chain([data(None)])
            .collect(),
        size: Some(Bytes::new(size)),
        grids: vec![grid("192k:stripe:preference")],
        ..PlanRequest::default()
    }
}

#[test]
fn the_fifth_partition_of_an_mbr_is_a_logical_one() {
    let four = plan(&crowded(4, 1 << 30)).unwrap();
    assert_eq!(four.extended, None);
    let many = plan(&crowded(7, 1 << 30)).unwrap();
    let names: Vec<_> = many.seats.iter().map(|seat| seat.name.as_str()).collect();
    assert_eq!(names, ["p1", "p2", "p3", "p5", "p6", "p7", "p8"]);
    let extended = many.extended.unwrap();
    let (first, last) = (&many.seats[3], many.seats.last().unwrap());
    assert!(many.seats[2].end().unwrap() <= extended.start && extended.start < first.start);
    assert_eq!(
        last.end().unwrap(),
        extended.start.checked_add(extended.size.unwrap()).unwrap()
    );
    // A sector for the link ahead of each, and every start on every grid.
    for pair in many.seats[3..].windows(2) {
        assert!(pair[0].end().unwrap() < pair[1].start);
    }
    assert!(many.proof.iter().all(|line| line.remainder.is_zero()));
    assert!(
        plan(&crowded(7, 3 << 40))
            .unwrap_err()
            .0
            .contains("--label gpt")
    );
}

#[test]
fn a_partition_that_stays_off_the_grids_is_missed_unless_a_volume_makes_up_for_it() {
    let stays = PlanRequest {
        habit: None,
        given_start: Some(Bytes::new(63 * 512)),
        partitions: vec![data(None)],
        filesystem: Some(Filesystem::Ext4),
        ..PlanRequest::default()
    };
    let missed = plan(&stays).unwrap();
    assert_eq!(missed.missed()[0].remainder, Bytes::new(3584));
    let lvm = PlanRequest {
        volumes: vec![PlannedVolume::Lvm {
            thin: false,
            stripes: 1,
        }],
        ..stays.clone()
    };
    assert_eq!(
        plan(&lvm).unwrap().missed(),
        Vec::<&ioalign_repair::planner::Proof>::new()
    );
    let odd = PlanRequest {
        given_start: Some(Bytes::new(1000)),
        ..stays
    };
    assert!(plan(&odd).is_err());
}

#[test]
fn file_systems_without_blocks_as_large_as_the_unit_are_named() {
    let want = |filesystem, unit: u64| PlanRequest {
        indirection_unit: Some(Bytes::new(unit)),
        partitions: vec![data(None)],
        filesystem: Some(filesystem),
        ..PlanRequest::default()
    };
    let below = |filesystem, unit| plan(&want(filesystem, unit)).unwrap().block_below_unit();
    assert_eq!(below(Filesystem::Ext4, 16 << 10), None);
    assert_eq!(below(Filesystem::Swap, 16 << 10), None);
    assert_eq!(below(Filesystem::Xfs, 4 << 10), None);
    for (filesystem, unit) in [
        (Filesystem::Xfs, 16),
        (Filesystem::Btrfs, 8),
        (Filesystem::Ext4, 48),
    ] {
        let found = below(filesystem, unit << 10).unwrap();
        assert_eq!((found.block.get(), found.unit.get()), (4096, unit << 10));
    }
}

fn wants() -> impl Strategy<Value = PlanRequest> {
    let element = prop_oneof![
        Just(16_u64 << 10),
        Just(64 << 10),
        Just(256 << 10),
        Just(96 << 10)
    ];
    let array = (0_usize..6, 4_u32..12, element).prop_map(|(level, disks, element)| {
        RaidLevel::ALL.get(level).map(|(_, level)| PlannedArray {
            level: *level,
            disks,
            element: Bytes::new(element),
            maker: Maker::Controller,
        })
    });
    let unit = proptest::option::of(prop_oneof![Just(16_u64 << 10), Just(64 << 10)]);
    let volumes = proptest::sample::subsequence(
        vec![
            PlannedVolume::Luks { version: 2 },
            PlannedVolume::Lvm {
                thin: true,
                stripes: 1,
            },
            PlannedVolume::Bcache,
        ],
        0..=3,
    );
    (array, unit, volumes, 0_u64..5, any::<bool>()).prop_map(
        |(array, unit, volumes, parts, habit)| PlanRequest {
            array,
            indirection_unit: unit.map(Bytes::new),
            volumes,
            habit: habit.then_some(Bytes::MIB),
            partitions: (0..parts)
                .map(|n| data(Some(n * 12_345 * 512 + 1)))
                .chain([data(None)])
                .collect(),
            size: Some(Bytes::new((1 << 40) + 7 * 512)),
            filesystem: Some(Filesystem::Xfs),
            ..PlanRequest::default()
        },
    )
}

proptest! {
    #[test]
    fn every_start_is_on_every_grid_that_was_kept(want in wants()) {
        let plan = plan(&want).unwrap();
        for line in &plan.proof {
            let kept = plan.solution.kept.contains(&line.grid);
            prop_assert!(!kept || line.remainder.is_zero(), "{line:?}");
            let seat = &plan.seats[line.seat];
            let at = if line.end { seat.end().unwrap() } else { seat.start };
            prop_assert_eq!((line.at, line.remainder), (at, line.grid.offset_of(at)));
        }
        // Nothing overlaps, and everything fits.
        let parts = &plan.seats[..want.partitions.len()];
        for pair in parts.windows(2) {
            prop_assert!(pair[0].end().unwrap() <= pair[1].start);
        }
        prop_assert!(parts.last().unwrap().end().unwrap() <= want.size.unwrap());
        if let Some(lvm) = plan.lvm {
            prop_assert!(lvm.extent.is_multiple_of(plan.solution.period()));
            for grid in plan.solution.kept.iter().filter(|grid| grid.kind != GridKind::Habit) {
                prop_assert!(lvm.chunk.unwrap().is_multiple_of(grid.size));
            }
        }
    }
}
