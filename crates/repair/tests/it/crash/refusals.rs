//! Jobs that cannot be done, and disks that are not those of the job: nothing is written.

use ioalign_repair::mover::{PatchPhase, ReadErrors, check};
use ioalign_repair::{ErrorKind, Job, Move};

use super::layout::{Layout, two_sectors};
use super::trial::{Machine, Verb};

fn refused(change: impl FnOnce(&mut Job), reason: &str) {
    let mut job = two_sectors().job;
    change(&mut job);
    let error = check(&job, 64 << 10, 512).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn jobs_that_would_destroy_something() {
    let other = |from, to| Move {
        from,
        to,
        bytes: 4096,
    };
    check(&two_sectors().job, 64 << 10, 512).unwrap();
    refused(|job| job.moves[0].to = 8 << 10, "goes nowhere");
    refused(|job| job.moves[0].to = 60 << 10, "behind the disk");
    refused(|job| job.moves[0].to = u64::MAX - 511, "behind the disk");
    refused(|job| job.moves[0].to += 100, "whole blocks of 512");
    refused(|job| job.moves[0].bytes = 0, "is empty");
    refused(
        |job| (job.moves[0].to, job.patches[0].at) = (20 << 10, 20 << 10),
        "which stay",
    );
    refused(
        |job| job.moves.push(other(24 << 10, 40 << 10)),
        "still to be read",
    );
    refused(|job| job.moves.push(other(23 << 10, 50 << 10)), "sources");
    refused(
        |job| job.moves.push(other(50 << 10, 10 << 10)),
        "destinations",
    );
    refused(|job| job.patches[1].at = 33 << 10, "which stay");
    refused(|job| job.patches[1].at = 10 << 10, "patch 1 is not where");
    refused(|job| job.patches[0].at = 512, "patch 0 is not where");
    refused(
        |job| job.patches[1].phase = PatchPhase::Covered,
        "has 512 bytes after, not 0",
    );
    refused(
        |job| job.patches[1].after.truncate(511),
        "has 511 bytes after, not 512",
    );
    refused(
        |job| {
            let again = job.patches[1].clone();
            job.patches.push(again);
        },
        "overlaps a later one",
    );
    refused(
        |job| job.identity.size_bytes += 512,
        "planned for a disk of",
    );
}

/// What the plan has seen is not there any more: nothing is begun, not even the journal.
#[test]
fn a_disk_that_changed_since_the_plan() {
    let layout = two_sectors();
    for (at, what) in [
        (5, "a table"),
        (8 << 10, "a boot sector"),
        (9000, "start of a partition"),
    ] {
        let mut machine = Machine::new(&layout, u64::MAX);
        machine.disk.view[at] ^= 1;
        let before = machine.disk.view.clone();
        let error = machine.run(Verb::Apply, ReadErrors::Stop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains(what), "{at}: {error}");
        assert_eq!(machine.disk.view, before);
        assert!(machine.store.view.iter().all(|byte| *byte == 0));
    }
}

/// In the middle: the superblock has moved already, or has not; the table is still the old one.
#[test]
fn another_disk_in_the_middle() {
    let layout = two_sectors();
    let events = {
        let mut whole = Machine::new(&layout, u64::MAX);
        whole.run(Verb::Apply, ReadErrors::Stop).unwrap();
        whole.events()
    };
    let (mut by_table, mut by_start) = (0, 0);
    for after in 8..events - 4 {
        for verb in [Verb::Resume, Verb::Rollback] {
            by_table += u32::from(refuses(&layout, after, verb, 3));
            by_start += u32::from(
                refuses(&layout, after, verb, 8 << 10) || refuses(&layout, after, verb, 9 << 10),
            );
        }
    }
    assert!(by_table > 20 && by_start > 2, "{by_table} {by_start}");
}

/// Whether a disk with a change is refused and left as it is. A change that nobody could see, in a place
/// that is free by now or on its way, must do no harm either.
fn refuses(layout: &Layout, after: u64, verb: Verb, at: usize) -> bool {
    let mut machine = Machine::killed_after(layout, after);
    machine.disk.view[at] ^= 0x10;
    machine.disk.durable[at] ^= 0x10;
    let before = machine.disk.view.clone();
    match machine.run(verb, ReadErrors::Stop) {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
            let is_same = machine.disk.view == before;
            assert!(
                is_same || error.to_string().contains("no way back"),
                "{error}"
            );
            is_same
        }
        Ok(_) => false,
    }
}

#[test]
fn a_disk_of_another_size() {
    let layout = two_sectors();
    let mut machine = Machine::killed_after(&layout, 12);
    machine.disk.view.truncate(60 << 10);
    let error = machine.run(Verb::Resume, ReadErrors::Stop).unwrap_err();
    assert!(
        error.to_string().contains("planned for a disk of 65536"),
        "{error}"
    );
}
