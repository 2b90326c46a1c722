//! Plans of generated disks, done and undone: every partition is on its grid with its bytes and its
//! number, or everything is as it was.

use std::ops::ControlFlow;

use ioalign_core::Boundaries;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts, RepairPlan};
use ioalign_repair::mover::{self, MoveOrigin, MoverOptions};
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::disk::Disk as Scratch;
use ioalign_testkit::{Random, gpt, mbr};
use proptest::prelude::*;

const SECTOR: u64 = 512;
const SECTORS: u64 = 6000;

/// Gap before it and length, in sectors.
type Piece = (u64, u64);

/// The way a disk is divided.
#[derive(Clone, Debug)]
struct Way {
    first: Vec<Piece>,
    logical: Vec<Piece>,
    last: Vec<Piece>,
    phases: Vec<u64>,
    guid: bool,
}

fn piece() -> impl Strategy<Value = Piece> {
    (prop_oneof![Just(0), Just(1), 0_u64..300], 1_u64..700)
}

fn way() -> impl Strategy<Value = Way> {
    let list = |most| prop::collection::vec(piece(), 0..most);
    let phases = prop::collection::vec(prop_oneof![3 => Just(0), 1 => 0_u64..8], 8);
    (list(3), list(4), list(2), phases, any::<bool>()).prop_map(
        |(first, logical, last, phases, guid)| Way {
            first,
            logical: if guid { Vec::new() } else { logical },
            last,
            phases,
            guid,
        },
    )
}

/// Places on a line from `at` on; what does not fit before `end` is left out.
fn laid(pieces: &[Piece], at: &mut u64, ahead: u64, end: u64) -> Vec<(u64, u64)> {
    let mut places = Vec::new();
    for (gap, size) in pieces {
        let start = *at + gap + ahead;
        if start + size <= end {
            places.push((start, *size));
            *at = start + size;
        }
    }
    places
}

fn made(way: &Way) -> MemoryDisk {
    let scratch = Scratch::new("disk.img", SECTORS * SECTOR);
    let (first, end) = if way.guid {
        (34, SECTORS - 33)
    } else {
        (1, SECTORS)
    };
    let mut at = first;
    let front = laid(&way.first, &mut at, 0, end);
    let base = at;
    let logical = laid(&way.logical, &mut at, 1, end);
    let inside = at;
    let back = laid(&way.last, &mut at, 0, end);
    let data = |(start, size): &(u64, u64)| {
        (
            0x83,
            u32::try_from(*start).unwrap(),
            u32::try_from(*size).unwrap(),
        )
    };
    if way.guid {
        let all = front.iter().chain(&back);
        let all: Vec<_> = all
            .map(|(start, size)| (gpt::LINUX, *start, *size))
            .collect();
        gpt::write(&scratch, SECTOR, &all);
    } else {
        let mut entries: Vec<_> = front.iter().map(data).collect();
        if !logical.is_empty() {
            entries.push(data(&(base, inside - base)));
            entries.last_mut().unwrap().0 = 0x0f;
        }
        entries.extend(back.iter().map(data));
        scratch.write(0, &mbr::sector(&entries));
        chain(&scratch, base, &logical);
    }
    let bytes = std::fs::read(scratch.path()).unwrap();
    MemoryDisk {
        bytes,
        logical_bytes: SECTOR,
    }
}

/// A record right before each partition, but for the first, which is at the front.
fn chain(scratch: &Scratch, base: u64, logical: &[(u64, u64)]) {
    let record = |index: usize| match index {
        0 => base,
        _ => logical[index].0 - 1,
    };
    let short = |sectors: u64| u32::try_from(sectors).unwrap();
    for (index, (start, size)) in logical.iter().enumerate() {
        let own = record(index);
        let mut entries = vec![(0x83, short(start - own), short(*size))];
        if let Some((next, size)) = logical.get(index + 1) {
            let at = record(index + 1);
            entries.push((0x05, short(at - base), short(next + size - at)));
        }
        scratch.write(own * SECTOR, &mbr::sector(&entries));
    }
}

fn data(disk: &mut MemoryDisk) -> Vec<PartitionSlot> {
    let slots = RewritableTable::read(disk).unwrap().slots();
    let holds = |slot: &PartitionSlot| slot.kind != SlotKind::Extended;
    slots.into_iter().filter(holds).collect()
}

fn read(disk: &mut MemoryDisk, slot: &PartitionSlot) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(slot.size).unwrap()];
    disk.read_at(slot.start, &mut bytes).unwrap();
    bytes
}

/// Fills every partition with bytes of its own, and says what they have to be on.
fn survey(disk: &mut MemoryDisk, phases: &[u64]) -> DiskSurvey {
    let slots = data(disk);
    let mut parts = Vec::new();
    for (slot, phase) in slots.iter().zip(phases.iter().cycle()) {
        let mut random = Random(u64::from(slot.number));
        let bytes: Vec<u8> = (0..slot.size)
            .map(|_| random.next().to_le_bytes()[0])
            .collect();
        disk.write_at(slot.start, &bytes).unwrap();
        parts.push(PartitionFacts {
            number: slot.number,
            what: "noise".to_owned(),
            demand: Some(Boundaries {
                period: 4096,
                phase: phase * SECTOR,
            }),
            suggested: None,
            stays: None,
            needs: None,
        });
    }
    DiskSurvey {
        parts,
        ..DiskSurvey::default()
    }
}

/// Applies a plan and stops after this many pieces; `None`: never.
fn apply(
    disk: &mut MemoryDisk,
    store: &mut MemoryDisk,
    plan: &RepairPlan,
    stop: Option<u64>,
) -> bool {
    let options = MoverOptions {
        chunk: 64 << 10,
        piece: 4096,
        ..MoverOptions::default()
    };
    let bytes = mover::journal_bytes(&plan.job, &options).unwrap();
    store.bytes = vec![0; usize::try_from(bytes).unwrap()];
    let mut seen = 0;
    let mut watch = |_: &mover::MoverProgress| {
        seen += 1;
        match stop {
            Some(stop) if seen > stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    mover::apply_with(
        disk,
        store,
        &plan.job,
        &MoveOrigin::default(),
        &options,
        &mut watch,
    )
    .is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_plan_is_done_or_undone((way, stop) in (way(), prop::option::of(0_u64..200))) {
        let mut disk = made(&way);
        let survey = survey(&mut disk, &way.phases);
        let before = data(&mut disk);
        let held: Vec<_> = before.iter().map(|slot| read(&mut disk, slot)).collect();
        let table = RewritableTable::read(&mut disk).unwrap().slots();
        let plan = match fix::plan(&mut disk, &survey, &Choices::default()) {
            Ok(plan) => plan,
            Err(error) => {
                prop_assert!(error.to_string().contains("no room"), "{}", error);
                return Ok(());
            }
        };
        if plan.is_empty() {
            let good = |slot: &PartitionSlot| survey.part(slot.number).unwrap().demand.unwrap().holds(slot.start);
            prop_assert!(before.iter().all(good));
            return Ok(());
        }
        let mut store = MemoryDisk { bytes: Vec::new(), logical_bytes: 1 };
        if apply(&mut disk, &mut store, &plan, stop) {
            let after = data(&mut disk);
            let all = RewritableTable::read(&mut disk).unwrap().slots();
            prop_assert_eq!(&all, &plan.new);
            for ((old, new), held) in before.iter().zip(&after).zip(&held) {
                let demand = survey.part(new.number).unwrap().demand.unwrap();
                prop_assert_eq!((old.number, old.size), (new.number, new.size));
                prop_assert!(demand.holds(new.start));
                prop_assert!(read(&mut disk, new) == *held, "partition {}", new.number);
            }
        } else {
            let options = MoverOptions::default();
            mover::rollback_with(&mut disk, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            prop_assert_eq!(RewritableTable::read(&mut disk).unwrap().slots(), table);
            for (slot, held) in before.iter().zip(&held) {
                prop_assert!(read(&mut disk, slot) == *held, "partition {}", slot.number);
            }
        }
    }
}

/// A partition that ends with the disk, a sector off its grid.
#[test]
fn nothing_is_cut_off_unless_it_was_chosen() {
    let way = Way {
        first: vec![(62, SECTORS - 63)],
        logical: Vec::new(),
        last: Vec::new(),
        phases: vec![0],
        guid: false,
    };
    let mut disk = made(&way);
    let survey = survey(&mut disk, &way.phases);
    let error = fix::plan(&mut disk, &survey, &Choices::default()).unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
}
