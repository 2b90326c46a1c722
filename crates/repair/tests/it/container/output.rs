//! A new image in the new layout.

use std::ops::ControlFlow;

use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::mover::{MoverOptions, MoverProgress, Verify};
use ioalign_repair::{ErrorKind, Identity, Job, MemoryDisk, Move, Patch, PatchPhase};
use ioalign_testkit::Random;

use super::model::data;
use super::tools::is_sound;

const SIZE: usize = 12 << 20;
const MIB: u64 = 1 << 20;

fn disk() -> MemoryDisk {
    let mut bytes = data(&mut Random(9), SIZE);
    bytes[6 << 20..9 << 20].fill(0);
    MemoryDisk {
        bytes,
        logical_bytes: 512,
    }
}

fn job(disk: &mut MemoryDisk) -> Job {
    let at = |from: u64, to, bytes| Move { from, to, bytes };
    let moves = vec![
        at(63 * 512, MIB, 3 * MIB + 512),
        at(9 * MIB + 512, 9 * MIB, 512 * 21),
    ];
    let patch = |phase, at: u64, from: u64| {
        let from = usize::try_from(from).unwrap();
        Patch {
            phase,
            at,
            before: disk.bytes[from..from + 512].to_vec(),
            after: vec![0x5a; 512],
        }
    };
    let patches = vec![
        patch(PatchPhase::Contents, 2 * MIB - 512, 63 * 512 + MIB - 512),
        patch(PatchPhase::Table, 0, 0),
    ];
    Job {
        identity: Identity::take(disk, &moves),
        moves,
        patches,
        keep: Vec::new(),
    }
}

/// What is to come out, by the plainest code there is.
fn expected(disk: &MemoryDisk, job: &Job) -> Vec<u8> {
    let place = |at: u64, bytes: u64| {
        let at = usize::try_from(at).unwrap();
        at..at + usize::try_from(bytes).unwrap()
    };
    let mut new = disk.bytes.clone();
    for one in &job.moves {
        new[place(one.from, one.bytes)].fill(0);
    }
    for one in &job.moves {
        new[place(one.to, one.bytes)].copy_from_slice(&disk.bytes[place(one.from, one.bytes)]);
    }
    for patch in &job.patches {
        new[place(patch.at, 512)].copy_from_slice(&patch.after);
    }
    new
}

#[test]
fn every_format_gets_the_new_layout() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let mut source = disk();
    let job = job(&mut source);
    let expected = expected(&source, &job);
    let before = source.bytes.clone();
    for format in ImageFormat::ALL {
        let path = folder.path().join(format!("new.{}", format.name()));
        let mut to = container::create(&path, format, SIZE as u64, 512).unwrap();
        let mut seen = 0;
        let mut watch = |progress: &MoverProgress| {
            seen = progress.done_bytes;
            ControlFlow::Continue(())
        };
        let done = container::write_new(&mut source, &job, to.as_mut(), &mut watch).unwrap();
        assert_eq!((seen, done.verified_bytes), (SIZE as u64, SIZE as u64));
        assert!(
            done.written_bytes < SIZE as u64 - 2 * MIB,
            "zeros are not written"
        );
        drop(to);
        is_sound(&path, format.name(), &expected);
    }
    assert!(source.bytes == before, "the original has changed");
}

#[test]
fn samples_are_a_few_pieces() {
    let mut source = disk();
    let job = job(&mut source);
    let mut to = MemoryDisk {
        bytes: vec![0; SIZE],
        logical_bytes: 512,
    };
    let options = MoverOptions {
        verify: Verify::Sampled,
        ..MoverOptions::default()
    };
    let mut go = |_: &MoverProgress| ControlFlow::Continue(());
    let done = container::write_new_with(&mut source, &job, &mut to, &options, &mut go).unwrap();
    assert_eq!(done.verified_bytes, 2 * MIB, "the first and the last");
    assert!(to.bytes == expected(&source, &job));
}

#[test]
fn it_can_be_stopped_and_refused() {
    let mut source = disk();
    let mut job = job(&mut source);
    let blank = || MemoryDisk {
        bytes: vec![0; SIZE],
        logical_bytes: 512,
    };
    let mut stop = |_: &MoverProgress| ControlFlow::Break(());
    let error = container::write_new(&mut source, &job, &mut blank(), &mut stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(error.to_string().contains("original"), "{error}");
    let mut go = |_: &MoverProgress| ControlFlow::Continue(());
    let mut short = blank();
    short.bytes.pop();
    let error = container::write_new(&mut source, &job, &mut short, &mut go).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    job.patches[1].before[7] ^= 1;
    let error = container::write_new(&mut source, &job, &mut blank(), &mut go).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

/// A disk that keeps one bit less than it is given.
#[test]
fn a_disk_that_lies_is_found() {
    let mut source = disk();
    let job = job(&mut source);
    let mut dirty = MemoryDisk {
        bytes: vec![0; SIZE],
        logical_bytes: 512,
    };
    // Not new: where zeros are left out, something stands.
    dirty.bytes[7 << 20] = 1;
    let mut go = |_: &MoverProgress| ControlFlow::Continue(());
    let error = container::write_new(&mut source, &job, &mut dirty, &mut go).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device, "{error}");
}
