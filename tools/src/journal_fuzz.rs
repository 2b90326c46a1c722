//! `journal_fuzz RUNS [SEED]`: journals of interrupted moves with damage behind right checksums, read and acted
//! upon. Nothing may panic, hang, or write outside of what the job says. `cargo xtask fuzz --journals`.

use std::ops::ControlFlow;
use std::time::Instant;

use ioalign_repair::journal::{self, Contents};
use ioalign_repair::mover::{self, MoverOptions, MoverProgress};
use ioalign_repair::{Identity, Job, MemoryDisk, Move, Patch, PatchPhase};
use ioalign_testkit::Random;

const DISK: usize = 64 << 10;

pub fn main() {
    let (runs, mut random) = Random::of_arguments(100_000);
    let seeds: Vec<_> = (1..40).filter_map(seed).collect();
    let started = Instant::now();
    let (mut read, mut ended) = (0u64, 0u64);
    for _ in 0..runs {
        let mut bytes = random.pick(&seeds).clone();
        damage(&mut bytes, &mut random);
        let (was_read, ends) = one(bytes);
        read += u64::from(was_read);
        ended += ends;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "journal: {runs} runs from {} seeds in {seconds:.1} s, {read} read, {ended} acted upon, no panic",
        seeds.len()
    );
    assert!(read * 20 > runs, "too few get behind the checksums");
}

fn options() -> MoverOptions {
    MoverOptions {
        chunk: 4096,
        piece: 1024,
        trust_disk: true,
        ..MoverOptions::default()
    }
}

fn job(disk: &mut MemoryDisk) -> Job {
    let moves = vec![
        Move {
            from: 8 << 10,
            to: 9 << 10,
            bytes: 12 << 10,
        },
        Move {
            from: 32 << 10,
            to: 48 << 10,
            bytes: 4 << 10,
        },
    ];
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

/// The journal of a job that was stopped after some pieces.
fn seed(after: u64) -> Option<Vec<u8>> {
    let mut disk = MemoryDisk {
        bytes: vec![1; DISK],
        logical_bytes: 512,
    };
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
    let stopped = mover::apply_with(
        &mut disk,
        &mut store,
        &job,
        &mover::MoveOrigin::default(),
        &options(),
        &mut watch,
    );
    stopped.is_err().then_some(store.bytes)
}

/// Up to four numbers of header, states, list or job become others.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    // The job: moves and patches, what is kept of tables and superblocks, free space at its end.
    const JOB: u64 = 167_936;
    let job_bytes = u64::from_le_bytes(*bytes[48..].first_chunk().unwrap());
    let end = (JOB + job_bytes).clamp(JOB + 3400, bytes.len() as u64 - 8);
    let places = [
        (0, 124),
        (4096, 4180),
        (12_288, 12_372),
        (20_480, 20_600),
        (151_552, 151_640),
        (JOB, JOB + 3400),
        (JOB, JOB + 3400),
        (end - 1100, end),
    ];
    for _ in 0..random.below(4) + 1 {
        let (from, to) = *random.pick(&places);
        let at = usize::try_from(random.within(from, to)).unwrap();
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            _ => {
                let edge = *random.pick(&[
                    0,
                    1,
                    511,
                    512,
                    4096,
                    u64::from(u32::MAX),
                    u64::MAX / 2,
                    u64::MAX - 511,
                    u64::MAX,
                ]);
                bytes[at..at + 8].copy_from_slice(&edge.to_le_bytes());
            }
        }
    }
    if random.below(50) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    journal::sign(bytes);
}

/// Whether it was read, and how many verbs came to their end.
fn one(bytes: Vec<u8>) -> (bool, u64) {
    let mut store = MemoryDisk {
        bytes,
        logical_bytes: 1,
    };
    let Ok(contents) = journal::read(&mut store) else {
        return (false, 0);
    };
    let disk = MemoryDisk {
        bytes: vec![1; DISK],
        logical_bytes: 512,
    };
    let mut ended = 0;
    for verb in [mover::resume_with, mover::rollback_with] {
        let mut disk = disk.clone();
        let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
        let done = verb(&mut disk, &mut store.clone(), &options(), &mut watch);
        ended += u64::from(done.is_ok());
        stays(&contents, &disk);
    }
    (true, ended)
}

/// What the job says stays, stays, but for the place of the marker.
fn stays(contents: &Contents, disk: &MemoryDisk) {
    for keep in &contents.job.keep {
        let index = |at| usize::try_from(at).unwrap_or(usize::MAX).min(DISK);
        let start = index(keep.start).clamp(512, index(keep.end).max(512));
        let kept = disk.bytes.get(start..index(keep.end).max(start)).unwrap();
        assert!(kept.iter().all(|byte| *byte == 1), "{keep:?} was written");
    }
}
