//! The limits of what a job may name, to the byte: what is just inside is taken, what is just outside refused.

use ioalign_repair::mover::job::{SavedBlocks, SavedBytes};
use ioalign_repair::mover::{Patch, PatchPhase, check};
use ioalign_repair::{Identity, Job, Move};

use super::layout::two_sectors;

/// Why a changed job is refused; empty where it is not. Its one move goes from 8 to 9 KiB, with 16 KiB of data.
fn said(change: impl FnOnce(&mut Job)) -> String {
    let mut job = two_sectors().job;
    change(&mut job);
    refusal(&job, 64 << 10, 512)
}

fn refusal(job: &Job, size: u64, logical: u64) -> String {
    let refused = check(job, size, logical).err();
    refused.map_or(String::new(), |error| error.to_string())
}

fn bytes(at: u64, length: usize) -> SavedBytes {
    SavedBytes {
        at,
        bytes: vec![0; length],
    }
}

#[test]
fn a_disk_has_one_length_and_one_block() {
    let job = two_sectors().job;
    assert_eq!(refusal(&job, 64 << 10, 512), "");
    for (size, logical) in [(64 << 10, 4096), (65 << 10, 512), (63 << 10, 512)] {
        assert!(refusal(&job, size, logical).contains("planned for a disk of"));
    }
}

#[test]
fn places_end_with_the_disk_and_with_a_block() {
    let to = |to: u64| {
        said(|job| {
            (job.moves[0].to, job.patches[0].at) = (to, to);
            job.identity.saved.gap.clear();
        })
    };
    assert_eq!(to(48 << 10), "");
    assert!(to((48 << 10) + 512).contains("behind the disk"));
    assert!(said(|job| job.moves[0].bytes += 100).contains("whole blocks"));
    let start = said(|job| {
        job.moves[0].from -= 100;
        job.moves[0].bytes += 100;
    });
    assert!(start.contains("whole blocks"), "{start}");
    let kept = said(|job| job.identity.saved.tables.push(bytes(1024, 100)));
    assert!(kept.contains("what is kept, 1024 to 1124"), "{kept}");
}

#[test]
fn patches_of_contents_lie_in_a_destination() {
    let at = |at: u64, length: usize| {
        said(|job| {
            let patch = &mut job.patches[0];
            (patch.at, patch.before, patch.after) = (at, vec![0; length], vec![1; length]);
        })
    };
    assert_eq!(
        (at(9 << 10, 512), at(24_576 + 512, 512)),
        (String::new(), String::new())
    );
    for (start, length) in [
        ((9 << 10) - 512, 512),
        ((9 << 10) - 512, 1024),
        (25_088, 1024),
        (25_600, 512),
    ] {
        assert!(
            at(start, length).contains("patch 0 is not where"),
            "{start} {length}"
        );
    }
}

#[test]
fn what_data_go_over_is_nothing_that_moves() {
    let covered = |at: u64| {
        said(|job| {
            job.patches.push(Patch {
                phase: PatchPhase::Covered,
                at,
                before: vec![0; 512],
                after: Vec::new(),
            });
        })
    };
    assert_eq!(
        (covered(24 << 10), covered(7680)),
        (String::new(), String::new())
    );
    assert!(covered(8 << 10).contains("patch 2 is not where"));
    assert!(covered(24_576 - 512).contains("patch 2 is not where"));
}

#[test]
fn what_stays_may_be_touched_and_not_overlapped() {
    let table = |at: u64| said(|job| job.patches[1].at = at);
    assert_eq!(
        (table((32 << 10) - 512), table(40 << 10)),
        (String::new(), String::new())
    );
    assert!(
        table(32 << 10).contains("which stay") && table((40 << 10) - 512).contains("which stay")
    );
}

#[test]
fn superblocks_lie_in_what_moves() {
    let at =
        |at: u64, length: usize| said(|job| job.identity.saved.superblocks.push(bytes(at, length)));
    assert_eq!(
        (at(8 << 10, 512), at(24_576 - 512, 512)),
        (String::new(), String::new())
    );
    for (start, length) in [
        (7680, 512),
        (7680, 1024),
        (24_576 - 512, 1024),
        (24_576, 512),
    ] {
        assert!(
            at(start, length).contains("in nothing that moves"),
            "{start} {length}"
        );
    }
}

#[test]
fn free_space_is_where_data_go_and_come_from_nowhere() {
    let gap = |at: u64, length: usize| said(|job| job.identity.saved.gap = vec![bytes(at, length)]);
    let zeros = |at: u64, length: usize| {
        said(|job| job.identity.saved.zeros = std::iter::once(at..at + length as u64).collect())
    };
    for found in [gap, zeros] {
        assert_eq!(
            (found(24_576, 512), found(24_576, 1024)),
            (String::new(), String::new())
        );
        for (start, length) in [
            (24_576 - 512, 1024),
            (25_088, 1024),
            (25_600, 512),
            (9 << 10, 512),
        ] {
            assert!(
                found(start, length).contains("is no free space"),
                "{start} {length}"
            );
        }
    }
}

/// A move of 200 MiB with these bytes of patches, and so much that is kept.
fn large(patches: &[usize], kept: usize) -> String {
    const MIB: u64 = 1 << 20;
    let mut at = 0;
    let patches = patches.iter().map(|length| {
        at += 100 * MIB;
        Patch {
            phase: PatchPhase::Table,
            at: at - 100 * MIB,
            before: vec![0; *length],
            after: vec![0; *length],
        }
    });
    let job = Job {
        patches: patches.collect(),
        moves: vec![Move {
            from: 300 * MIB,
            to: 600 * MIB,
            bytes: 200 * MIB,
        }],
        keep: Vec::new(),
        identity: Identity {
            size_bytes: 1024 * MIB,
            logical_bytes: 512,
            witnesses: Vec::new(),
            saved: SavedBlocks {
                gap: vec![bytes(600 * MIB, kept)],
                superblocks: vec![bytes(300 * MIB, 512)],
                ..SavedBlocks::default()
            },
        },
    };
    refusal(&job, 1024 * MIB, 512)
}

#[test]
fn patches_and_what_is_kept_have_a_limit() {
    assert_eq!(large(&[64 << 20], 512), "");
    assert!(large(&[64 << 20, 512], 512).contains("patches of 67109376 bytes"));
    assert_eq!(large(&[512], (128 << 20) - 512), "");
    assert!(large(&[512], 128 << 20).contains("too much to be kept"));
}
