//! Power is lost at every write of a conversion: it goes on, or goes back, to the byte.

use std::io;
use std::ops::ControlFlow;

use ioalign_repair::convert::ConversionWish;
use ioalign_repair::mover::{self, MoveOrigin, MoverOptions, MoverOutcome, MoverProgress};
use ioalign_repair::{Disk, Job, MemoryDisk, Move, Patch};

use super::{answered, shell};
use crate::image;

/// A disk that fails from some write on.
struct Failing {
    disk: MemoryDisk,
    left: u64,
}

impl Disk for Failing {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        512
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(at, bytes)
    }

    /// The last write is torn: only its first half arrives.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        match self.left {
            0 => return Err(io::ErrorKind::BrokenPipe.into()),
            1 => {
                let half = (bytes.len() / 2).next_multiple_of(512);
                self.disk.write_at(at, &bytes[..half])?;
            }
            _ => self.disk.write_at(at, bytes)?,
        }
        self.left -= 1;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.left == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }
}

fn go_on(_: &MoverProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

struct Stage {
    old: Vec<u8>,
    new: Vec<u8>,
    job: Job,
}

/// An ESP that has to be moved and one that stays, both laid out again.
fn stage(both: bool) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    super::blank(&path, 12 << 20);
    image::partition(
        &path,
        512,
        "label: gpt\nfirst-lba: 34\nstart=67, size=4000, type=U\nstart=8192, size=8192, type=U\n",
    );
    let script = "truncate --size 2048000 \"$1.f\"; mkfs.fat -s 1 \"$1.f\" >&2; seq 1 30000 > \"$1.t\"; mcopy -i \"$1.f\" \"$1.t\" ::/FILE
        for at in 67 8192; do dd if=\"$1.f\" of=\"$1\" bs=512 seek=$at conv=notrunc status=none; done";
    shell(script, &[&path]);
    let old = std::fs::read(&path).unwrap();
    let mut disk = MemoryDisk {
        bytes: old.clone(),
        logical_bytes: 512,
    };
    let wish = ConversionWish {
        from: 512,
        to: 4096,
        both,
        may_grow: true,
    };
    let plan = answered(&mut disk, wish).unwrap();
    assert!(
        plan.refusal(|_| false).is_none(),
        "{:?}",
        plan.refusal(|_| false)
    );
    assert_eq!(plan.moves.len(), 1);
    let job = plan.job(&mut disk).unwrap();
    let mut new = vec![0; old.len()];
    plan.view(&mut disk).read_at(0, &mut new).unwrap();
    wipe(&job, &mut new);
    Stage { old, new, job }
}

/// Where a superblock was and nothing comes to lie there are zeros at the end.
fn wipe(job: &Job, new: &mut [u8]) {
    let taken = |at: u64| {
        let destinations = job.moves.iter().map(Move::destination);
        let tables = job.patches.iter().map(Patch::place);
        destinations.chain(tables).any(|place| place.contains(&at))
    };
    let superblocks = job.identity.saved.superblocks.iter();
    for at in superblocks
        .flat_map(|one| one.place())
        .filter(|at| !taken(*at))
    {
        new[usize::try_from(at).unwrap()] = 0;
    }
}

#[test]
fn a_conversion_survives_the_loss_of_power_at_any_write() {
    needs!(Packages);
    survives(&stage(false));
}

#[test]
fn two_tables_survive_the_loss_of_power_at_any_write() {
    needs!(Packages);
    survives(&stage(true));
}

fn survives(Stage { old, new, job }: &Stage) {
    let options = MoverOptions {
        chunk: 256 << 10,
        piece: 64 << 10,
        ..MoverOptions::default()
    };
    let journal = usize::try_from(mover::journal_bytes(job, &options).unwrap()).unwrap();
    let (mut resumed, mut rolled_back) = (0, 0);
    for writes in 0.. {
        let memory = |bytes| MemoryDisk {
            bytes,
            logical_bytes: 512,
        };
        let mut store = memory(vec![0; journal]);
        let mut disk = Failing {
            disk: memory(old.clone()),
            left: writes,
        };
        let done = mover::apply_with(
            &mut disk,
            &mut store,
            job,
            &MoveOrigin::default(),
            &options,
            &mut go_on,
        );
        if done.is_ok() {
            assert!(
                disk.disk.bytes == *new,
                "the job ends in what the view shows"
            );
            break;
        }
        let mut after = disk.disk.clone();
        let done =
            mover::resume_with(&mut after, &mut store.clone(), &options, &mut go_on).unwrap();
        assert_eq!(done.outcome, MoverOutcome::Moved);
        assert!(after.bytes == *new, "resumed after {writes} writes");
        resumed += 1;
        let mut back = disk.disk;
        if mover::rollback_with(&mut back, &mut store, &options, &mut go_on).is_ok() {
            assert!(back.bytes == *old, "back after {writes} writes");
            rolled_back += 1;
        }
    }
    assert!(resumed > 10 && rolled_back > 3, "{resumed} {rolled_back}");
}
