//! Partitions go to the nearest good start, and over no free space that they need not go over.

use ioalign_core::Boundaries;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts, RepairPlan};
use ioalign_repair::{MemoryDisk, Result};
use ioalign_testkit::disk::Disk as Scratch;
use ioalign_testkit::gpt;

const SECTOR: u64 = 512;
const SECTORS: u64 = 128 << 11;

/// A GPT with these partitions, in sectors.
fn disk(parts: &[(u64, u64)]) -> MemoryDisk {
    let scratch = Scratch::new("disk.img", SECTORS * SECTOR);
    let all: Vec<_> = parts
        .iter()
        .map(|(start, size)| (gpt::LINUX, *start, *size))
        .collect();
    gpt::write(&scratch, SECTOR, &all);
    MemoryDisk {
        bytes: std::fs::read(scratch.path()).unwrap(),
        logical_bytes: SECTOR,
    }
}

/// What `check` would say: 4 KiB grids, and for each partition that is off them the next mebibyte.
fn survey(parts: &[(u64, u64)]) -> DiskSurvey {
    let one = |(number, (start, _)): (u32, &(u64, u64))| PartitionFacts {
        needs: None,
        number,
        what: "noise".to_owned(),
        demand: Some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        suggested: (start % 8 != 0).then(|| start.next_multiple_of(2048) * SECTOR),
        stays: None,
    };
    DiskSurvey {
        parts: (1..).zip(parts).map(one).collect(),
        container: None,
    }
}

fn planned(parts: &[(u64, u64)], choices: &Choices) -> Result<RepairPlan> {
    fix::plan(&mut disk(parts), &survey(parts), choices)
}

/// The new starts in sectors, and the reasons for other starts than those of `check`.
fn starts(parts: &[(u64, u64)], choices: &Choices) -> (Vec<u64>, Vec<String>) {
    let plan = planned(parts, choices).unwrap();
    let said = plan.consequences.iter().map(|one| one.what.clone());
    (
        plan.new.iter().map(|slot| slot.start / SECTOR).collect(),
        said.filter(|what| what.contains("`check` names")).collect(),
    )
}

const NEAR: Choices = Choices {
    only: Vec::new(),
    align: None,
    grow: false,
    shrink_last: false,
    anywhere: false,
    enlarge: None,
};
#[test]
fn a_lone_partition_goes_to_the_nearest_mebibyte() {
    let (at, said) = starts(&[(100_003, 8000)], &NEAR);
    assert_eq!((at, said), (vec![100_352], vec![]));
    // The one before is nearer than the one that `check` names.
    let (at, said) = starts(&[(98_400, 8000), (150_001, 4000)], &NEAR);
    assert_eq!(at, [98_400, 149_504]);
    let [reason] = said.as_slice() else {
        panic!("{said:?}");
    };
    assert!(
        reason.contains("151552 for partition 2: this start is nearer"),
        "{reason}"
    );
    // Small ones stay near as well: there is no second write that a long way would save.
    assert_eq!(starts(&[(100_003, 100)], &NEAR).0, [100_352]);
}

#[test]
fn what_stays_keeps_its_place_however_much_is_free_beside_it() {
    let parts = [(2048, 20_480), (60_003, 9000), (180_224, 3000)];
    assert_eq!(starts(&parts, &NEAR).0, [2048, 59_392, 180_224]);
}

#[test]
fn whoever_asks_for_it_goes_far_to_write_once() {
    let parts = [(100_003, 80_000)];
    let (at, said) = starts(
        &parts,
        &Choices {
            anywhere: true,
            ..NEAR
        },
    );
    assert!(at[0].abs_diff(100_003) >= 80_000, "{at:?}");
    let [reason] = said.as_slice() else {
        panic!("{said:?}");
    };
    assert!(
        reason.contains("going there would write 40 MiB more, to the journal"),
        "{reason}"
    );
}
