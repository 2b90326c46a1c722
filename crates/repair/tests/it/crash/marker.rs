//! The marker binds a disk to its journal: what is refused, what is forgiven, and what is left alone.

use ioalign_core::move_marker::{MarkerFound, MoveMarker};
use ioalign_repair::journal::{self, Stage};
use ioalign_repair::mover::{MoverOptions, Patch, PatchPhase, ReadErrors};
use ioalign_repair::{Disk, ErrorKind, MemoryDisk};

use super::layout::{Layout, two_sectors};
use super::sim::{Peek, Power, SimDisk};
use super::trial::{Machine, Verb};

pub(super) fn stage(machine: &Machine<'_>) -> Option<Stage> {
    let contents = journal::read(&mut Peek(&machine.store.view)).ok()?;
    Some(contents.state.stage)
}

/// Killed at the first event at which the journal is in a stage, or some events later.
pub(super) fn killed_in(layout: &Layout, wanted: Stage, later: u64) -> Machine<'_> {
    let mut events = 1;
    while stage(&Machine::killed_after(layout, events)) != Some(wanted) {
        events += 1;
    }
    let machine = Machine::killed_after(layout, events + later);
    assert_eq!(stage(&machine), Some(wanted));
    machine
}

/// Changes a disk behind the back of the mover.
pub(super) fn write(machine: &mut Machine<'_>, at: usize, bytes: &[u8]) {
    for disk in [&mut machine.disk.view, &mut machine.disk.durable] {
        disk[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

pub(super) fn refusal(machine: &mut Machine<'_>, verb: Verb) -> String {
    let before = machine.disk.view.clone();
    let error = machine.run(verb, ReadErrors::Stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    assert_eq!(machine.disk.view, before);
    error.to_string()
}

/// Under whatever name it is opened, with whatever journal: the disk says what it is.
#[test]
fn a_disk_on_its_way_is_not_begun_again() {
    let layout = two_sectors();
    let mut machine = killed_in(&layout, Stage::Moving, 4);
    let blank = vec![0; machine.store.view.len()];
    machine.store = SimDisk::new(blank, 1, &Power::lasting(u64::MAX));
    let said = refusal(&mut machine, Verb::Apply);
    assert!(said.contains("“model”"), "{said}");
    assert!(said.contains("/journals/model"), "{said}");
    assert!(machine.store.view.iter().all(|byte| *byte == 0));
}

/// A marker that was damaged is one still, for all who have no journal of it.
#[test]
fn a_disk_with_a_damaged_marker_is_not_begun_again() {
    let layout = two_sectors();
    let mut machine = killed_in(&layout, Stage::Moving, 4);
    let at = (0..512).find(|at| {
        let mut first = machine.disk.view[..512].to_vec();
        first[*at] ^= 1;
        matches!(MoveMarker::decode(&first), Some(MarkerFound::Damaged))
    });
    let at = at.unwrap();
    let byte = machine.disk.view[at] ^ 1;
    write(&mut machine, at, &[byte]);
    let blank = vec![0; machine.store.view.len()];
    machine.store = SimDisk::new(blank, 1, &Power::lasting(u64::MAX));
    let said = refusal(&mut machine, Verb::Apply);
    assert!(
        said.contains("there is a damaged marker of a move"),
        "{said}"
    );
}

/// The marker says where its journal is, and the journal knows the run.
#[test]
fn marker_and_journal_name_the_same_run() {
    let layout = two_sectors();
    let machine = killed_in(&layout, Stage::Moving, 4);
    let contents = journal::read(&mut Peek(&machine.store.view)).unwrap();
    let Some(MarkerFound::Whole(marker)) = MoveMarker::decode(&machine.disk.view) else {
        panic!("no marker");
    };
    assert_eq!(
        (marker.run, marker.journal),
        (contents.run, contents.journal)
    );
    assert_eq!(
        (marker.host, contents.host),
        ("model".into(), "model".into())
    );
    assert_eq!(contents.target, "a disk of the model");
    assert_eq!(marker.old_table[..], layout.bytes[440..510]);
}

/// A copy from before, or a disk that was restored.
#[test]
fn a_journal_of_a_disk_without_its_marker_is_refused() {
    let layout = two_sectors();
    for stage in [Stage::Moving, Stage::Contents] {
        for verb in [Verb::Resume, Verb::Rollback] {
            let mut machine = killed_in(&layout, stage, 1);
            write(&mut machine, 0, &layout.bytes[..512]);
            let said = refusal(&mut machine, verb);
            assert!(said.contains("the marker of this move is not"), "{said}");
        }
    }
}

/// A journal that was left over when the disk was begun with by another: refused even by force.
#[test]
fn a_journal_of_another_run_is_refused() {
    let layout = two_sectors();
    for wanted in [
        Stage::Marking,
        Stage::Moving,
        Stage::Contents,
        Stage::Committed,
    ] {
        for verb in [Verb::Resume, Verb::Rollback] {
            let mut machine = killed_in(&layout, wanted, 0);
            let other = killed_in(&layout, Stage::Moving, 3);
            write(&mut machine, 0, &other.disk.view[..512]);
            machine.trust_disk = true;
            let said = refusal(&mut machine, verb);
            assert!(
                said.contains("a move of partitions is in flight here: run"),
                "{said}"
            );
        }
    }
}

/// Somebody wrote where a superblock is set aside, or a new table: refused, unless asked to go on.
#[test]
fn what_somebody_wrote_in_flight_is_noticed() {
    let layout = two_sectors();
    let mut table = layout.bytes[..512].to_vec();
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    // In what is set aside, in the data of the witness, in the first sector.
    for (at, bytes) in [(8 << 10, &[1; 512][..]), (17 << 10, &[1; 512]), (0, &table)] {
        for verb in [Verb::Resume, Verb::Rollback] {
            let mut machine = killed_in(&layout, Stage::Moving, 0);
            write(&mut machine, at, bytes);
            refusal(&mut machine, verb);
            machine.trust_disk = true;
            machine.run(verb, ReadErrors::Stop).unwrap();
        }
    }
}

/// While the first sector is being exchanged it may be neither, but no other table.
#[test]
fn a_new_table_is_not_written_over() {
    let layout = two_sectors();
    let mut table = vec![3; 512];
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    let ends = [
        (Verb::Resume, Stage::Committed),
        (Verb::Rollback, Stage::Marking),
    ];
    for (verb, wanted) in ends {
        let mut machine = killed_in(&layout, wanted, 0);
        write(&mut machine, 0, &table);
        let said = refusal(&mut machine, verb);
        assert!(said.contains("has written a table"), "{said}");
        write(&mut machine, 0, &[0xa5; 512]);
        let done = machine.run(verb, ReadErrors::Stop);
        // One that is torn is written once more, where nothing else is covered.
        if wanted == Stage::Committed {
            machine.judge(&done.unwrap()).unwrap();
        }
    }
}

/// A torn first sector is written once more where anything else shows that it is this disk.
#[test]
fn any_evidence_is_enough_for_a_torn_first_sector() {
    let mut without_witness = two_sectors();
    without_witness.job.identity.witnesses.clear();
    let mut one_change = two_sectors();
    let patch = &mut one_change.job.patches[0];
    patch.before = one_change.bytes[8 << 10..16 << 10].to_vec();
    patch.after = vec![1; 8 << 10];
    let mut only_witness = two_sectors();
    only_witness.job.identity.saved.superblocks.clear();
    only_witness.job.patches.remove(0);
    for layout in [without_witness, one_change, only_witness] {
        for (verb, wanted) in [
            (Verb::Resume, Stage::Committed),
            (Verb::Resume, Stage::Marking),
            (Verb::Rollback, Stage::Marking),
        ] {
            let mut machine = killed_in(&layout, wanted, 0);
            write(&mut machine, 0, &[0xa5; 512]);
            let done = machine.run(verb, ReadErrors::Stop).unwrap();
            machine.judge(&done).unwrap();
        }
    }
}

/// One with neither witnesses nor superblocks, and with nothing to be written but the first sector.
#[test]
fn without_evidence_a_torn_first_sector_is_refused() {
    let mut layout = two_sectors();
    layout.job.identity.witnesses.clear();
    layout.job.identity.saved.superblocks.clear();
    layout.job.patches.remove(0);
    for (verb, wanted) in [
        (Verb::Resume, Stage::Committed),
        (Verb::Rollback, Stage::Marking),
    ] {
        let mut machine = killed_in(&layout, wanted, 0);
        write(&mut machine, 0, &[0xa5; 512]);
        let said = refusal(&mut machine, verb);
        assert!(said.contains("the marker of this move is not"), "{said}");
    }
}

/// With a torn first sector nothing else may have changed: what is written last, and what is covered first.
#[test]
fn evidence_that_has_changed_is_named() {
    let layout = two_sectors();
    for (verb, wanted, at) in [
        (Verb::Resume, Stage::Committed, (9 << 10) + 5),
        (Verb::Rollback, Stage::Marking, (8 << 10) + 5),
    ] {
        let mut machine = killed_in(&layout, wanted, 0);
        write(&mut machine, 0, &[0xa5; 512]);
        let byte = !machine.disk.view[at];
        write(&mut machine, at, &[byte]);
        let said = refusal(&mut machine, verb);
        assert!(
            said.contains(&format!("the table at byte {at} has changed")),
            "{said}"
        );
    }
}

/// With a second table, in a block of its own at 60 KiB.
fn two_tables() -> Layout {
    let mut layout = two_sectors();
    let before = layout.bytes[60 << 10..61 << 10].to_vec();
    let second = Patch {
        phase: PatchPhase::Table,
        at: 60 << 10,
        after: vec![9; 1 << 10],
        before,
    };
    layout.job.patches.insert(1, second);
    layout
}

/// No table is written before the commit.
#[test]
fn a_table_that_has_changed_in_flight_is_named() {
    let layout = two_tables();
    let at = (60 << 10) + 700;
    for wanted in [Stage::Marking, Stage::Moving, Stage::Contents] {
        for verb in [Verb::Resume, Verb::Rollback] {
            let mut machines = (0..).map(|later| killed_in(&layout, wanted, later));
            let is_marked = |one: &Machine<'_>| MoveMarker::decode(&one.disk.view).is_some();
            let mut machine = machines.find(is_marked).unwrap();
            write(&mut machine, at, &[layout.bytes[at] ^ 1]);
            let said = refusal(&mut machine, verb);
            let sector = (60 << 10) + 512;
            let words = format!("a partition table at byte {sector} has changed");
            assert!(said.contains(&words), "{said}");
        }
    }
}

/// Nothing is written yet, and another program has used the disk: it is not the one of the plan any more.
#[test]
fn a_disk_that_changed_before_it_was_marked() {
    let layout = two_tables();
    for (at, words) in [
        (17 << 10, "the start of a partition at byte 8192"),
        ((60 << 10) + 700, "the table at byte 62140 has changed"),
    ] {
        let mut machine = killed_in(&layout, Stage::Marking, 0);
        assert!(machine.disk.view == layout.bytes);
        write(&mut machine, at, &[1; 16]);
        let said = refusal(&mut machine, Verb::Resume);
        assert!(said.contains(words), "{said}");
        // Back there is no way to go.
        machine.run(Verb::Rollback, ReadErrors::Stop).unwrap();
    }
}

/// After the last write and before its record others may use the disk: nothing of theirs is written over.
#[test]
fn a_disk_that_is_whole_again_is_left_alone() {
    let layout = two_sectors();
    let ends = [
        (Verb::Resume, Stage::Committed),
        (Verb::Rollback, Stage::Marking),
    ];
    for (verb, wanted) in ends {
        let mut events = 1;
        let mut machine = loop {
            let mut machine = killed_in(&layout, Stage::Moving, 0);
            machine.run_for(verb, events);
            events += 1;
            let first = MoveMarker::decode(&machine.disk.view);
            if stage(&machine) == Some(wanted) && first.is_none() {
                break machine;
            }
        };
        // In the partition, where it was or would have been, and elsewhere.
        for at in [8 << 10, 9 << 10, 48 << 10] {
            write(&mut machine, at, &[0x77; 1024]);
        }
        let before = machine.disk.view.clone();
        machine.run(verb, ReadErrors::Stop).unwrap();
        assert!(machine.disk.view == before, "{verb:?}");
    }
}

/// Free space is kept where it is small; what is not is reported.
#[test]
fn too_much_free_space_is_not_kept() {
    let small = two_sectors();
    assert_eq!(small.job.free_space_not_restored_bytes(), 0);
    let kept: usize = small
        .job
        .identity
        .saved
        .gap
        .iter()
        .map(|one| one.bytes.len())
        .sum();
    assert_eq!(kept, 1024);
    let mut disk = MemoryDisk {
        bytes: vec![0; 160 << 20],
        logical_bytes: 512,
    };
    disk.write_at(80 << 20, &[1; 512]).unwrap();
    let mut job = small.job;
    let mut found = |bytes: u64| {
        job.moves[0].from = 1 << 20;
        job.moves[0].to = 80 << 20;
        job.moves[0].bytes = bytes;
        job.identity = ioalign_repair::Identity::take(&mut disk, &job.moves);
        (
            job.free_space_not_restored_bytes(),
            job.identity.saved.gap.len(),
            ioalign_repair::mover::journal_bytes(&job, &MoverOptions::default()).unwrap(),
        )
    };
    let (missing, pieces, journal) = found(60 << 20);
    assert_eq!((missing, pieces), (0, 1));
    assert!(journal < 1 << 20, "zeros cost nothing: {journal}");
    let (missing, pieces, _) = found(70 << 20);
    assert_eq!((missing, pieces), (70 << 20, 0));
}
