//! Journals of interrupted moves, with damage behind right checksums: they are read and acted upon, and what the job
//! says stays is not written. The bytes are a disk on its way, and its journal.

use std::ops::{ControlFlow, Range};

use ioalign_repair::journal::{self, Contents};
use ioalign_repair::mover::{self, MoverOptions, MoverProgress};
use ioalign_repair::{Identity, Job, MemoryDisk, Move, Patch, PatchPhase};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

const DISK: usize = 64 << 10;
/// Where the job is: moves and patches, what is kept of tables and superblocks, free space at its end.
const JOB: usize = 167_936;

pub fn all() -> Vec<Subject> {
    let seeds = || (1..40).filter_map(seed).collect();
    vec![Subject::of_bytes("journals", "move", seeds, damage, one).with_least(20)]
}

fn options() -> MoverOptions {
    MoverOptions {
        chunk: 4096,
        piece: 1024,
        trust_disk: true,
        ..MoverOptions::default()
    }
}

fn disk_of(bytes: usize, logical_bytes: u64) -> MemoryDisk {
    MemoryDisk {
        bytes: vec![1; bytes],
        logical_bytes,
    }
}

fn job(disk: &mut MemoryDisk) -> Job {
    let one = |from: u64, to: u64, bytes: u64| Move {
        from: from << 10,
        to: to << 10,
        bytes: bytes << 10,
    };
    let moves = vec![one(8, 9, 12), one(32, 48, 4)];
    let patch = |phase, at| Patch {
        phase,
        at,
        before: vec![1; 512],
        after: vec![2; 512],
    };
    Job {
        identity: Identity::take(disk, &moves),
        moves,
        patches: vec![
            patch(PatchPhase::Contents, 9 << 10),
            patch(PatchPhase::Table, 0),
        ],
        keep: std::iter::once(40 << 10..44 << 10).collect(),
    }
}

/// The disk and the journal of a job that was stopped after some pieces.
fn seed(after: u64) -> Option<Vec<u8>> {
    let mut disk = disk_of(DISK, 512);
    let job = job(&mut disk);
    let size = mover::journal_bytes(&job, &options()).unwrap();
    let mut store = MemoryDisk {
        bytes: vec![0; usize::try_from(size).unwrap()],
        logical_bytes: 1,
    };
    let mut pieces = 0;
    let mut watch = |_: &MoverProgress| {
        pieces += 1;
        if pieces < after {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let origin = mover::MoveOrigin::default();
    let stopped = mover::apply_with(&mut disk, &mut store, &job, &origin, &options(), &mut watch);
    stopped.is_err().then(|| [disk.bytes, store.bytes].concat())
}

/// Damages the journal; the disk is what the mover has left.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut journal = bytes.split_off(DISK);
    damage_journal(&mut journal, random);
    bytes.append(&mut journal);
}

/// Up to four numbers of header, states, list or job become others.
fn damage_journal(bytes: &mut Vec<u8>, random: &mut Random) {
    let job_bytes = u64::from_le_bytes(*bytes[48..].first_chunk().unwrap());
    let end = JOB.saturating_add(usize::try_from(job_bytes).unwrap());
    let end = end.clamp(JOB + 3400, bytes.len() - 8);
    let places: [Range<usize>; 8] = [
        0..124,
        4096..4180,
        12_288..12_372,
        20_480..20_600,
        151_552..151_640,
        JOB..JOB + 3400,
        JOB..JOB + 3400,
        end - 1100..end,
    ];
    damage::fields(bytes, &places, 1..=4, random);
    damage::cut_rarely(bytes, random);
}

/// Whether it was read, once its checksums are right.
fn one(bytes: &[u8]) -> Answer {
    let Some((disk, journal)) = bytes.split_at_checked(DISK) else {
        return Answer::NotMine;
    };
    let mut journal = journal.to_vec();
    journal::sign(&mut journal);
    let mut store = MemoryDisk {
        bytes: journal,
        logical_bytes: 1,
    };
    let Ok(contents) = journal::read(&mut store) else {
        return Answer::NotMine;
    };
    let before = MemoryDisk {
        bytes: disk.to_vec(),
        logical_bytes: 512,
    };
    for verb in [mover::resume_with, mover::rollback_with] {
        let mut disk = before.clone();
        let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
        let _ = verb(&mut disk, &mut store.clone(), &options(), &mut watch);
        assert_kept(&contents, &before.bytes, &disk.bytes);
    }
    Answer::Mine
}

/// What the job says stays, stays, but for the place of the marker.
fn assert_kept(contents: &Contents, before: &[u8], after: &[u8]) {
    for keep in &contents.job.keep {
        let index = |at| usize::try_from(at).unwrap().min(DISK);
        let (start, end) = (index(keep.start).max(512), index(keep.end));
        assert!(
            after.get(start..end) == before.get(start..end),
            "{keep:?} was written"
        );
    }
}
