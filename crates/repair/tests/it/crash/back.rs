//! Coming back to a disk on which others have put tables and superblocks: as they were before the move, as they are
//! after it, of `--abandon`, or of their own.

use std::io;
use std::ops::ControlFlow;

use ioalign_core::move_marker::{GPT_SET_ASIDE, GPT_SIGNATURE, MoveMarker, set_aside};
use ioalign_repair::journal::{Contents, Stage};
use ioalign_repair::mover::{self, MoveVerdict, MoverOutcome, Patch, PatchPhase, ReadErrors};
use ioalign_repair::{Disk, ErrorKind, Job, MemoryDisk};
use ioalign_testkit::Random;

use super::layout::{Layout, generate, two_sectors};
use super::marker::{killed_in, refusal, write};
use super::sim::Peek;
use super::trial::{Machine, Verb, origin};

const WAYS: [Verb; 2] = [Verb::Resume, Verb::Rollback];

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

/// The first sector that `--abandon` leaves.
fn abandoned(before: &[u8]) -> Vec<u8> {
    let mut first = vec![0; 512];
    first[440..510].copy_from_slice(&MoveMarker::table_in(before));
    first[510..].copy_from_slice(&[0x55, 0xaa]);
    first
}

/// The first sector after the job.
fn first_after(layout: &Layout) -> Vec<u8> {
    let patch = layout
        .job
        .patches(PatchPhase::Table)
        .find(|one| one.at == 0);
    patch.unwrap().after[..512].to_vec()
}

/// Puts a table into the first sector, and some of what stands there otherwise in place of the covers.
fn tamper(machine: &mut Machine<'_>, layout: &Layout, contents: &Contents, random: &mut Random) {
    let first = match random.below(3) {
        0 => layout.bytes[..512].to_vec(),
        1 => first_after(layout),
        _ => abandoned(&layout.bytes),
    };
    write(machine, 0, &first);
    let end = layout.bytes.len() - index(layout.logical);
    for at in [index(layout.logical), end] {
        if machine.disk.view[at..].starts_with(&GPT_SET_ASIDE) && random.below(2) == 0 {
            write(machine, at, &GPT_SIGNATURE);
        }
    }
    let on_its_way = contents.state.staged.is_some();
    for patch in layout.job.patches(PatchPhase::Table) {
        let is_data = |job: &Job| job.moves.iter().any(|one| meets(&one.source(), patch));
        if patch.at != 0 && random.below(4) == 0 && !(on_its_way && is_data(&layout.job)) {
            write(machine, index(patch.at), &patch.after);
        }
    }
    for superblock in &layout.job.identity.saved.superblocks {
        let sectors = superblock.bytes.chunks(512);
        for (at, before) in (index(superblock.at)..).step_by(512).zip(sectors) {
            let is_covered = machine.disk.view[at..at + 512] == set_aside(contents.run, 512);
            if is_covered && random.below(2) == 0 {
                write(machine, at, before);
            }
        }
    }
}

fn meets(source: &std::ops::Range<u64>, patch: &Patch) -> bool {
    source.start < patch.place().end && patch.at < source.end
}

/// How the disk looks to a program that has the journal.
fn outlook(machine: &Machine<'_>, back: bool) -> mover::Outlook {
    let contents = machine.contents().unwrap();
    mover::outlook(&mut Peek(&machine.disk.view), &contents, back).unwrap()
}

/// Goes on by force until it ends, with losses of power meanwhile; `None` if nothing of the move is on the disk: what was
/// written last was in a cache.
fn end(machine: &mut Machine<'_>, verb: Verb, random: &mut Random) -> Option<mover::Done> {
    machine.trust_disk = true;
    let mut crashes = 0;
    loop {
        let lasts = match crashes < 3 {
            true => random.within(1, 40),
            false => u64::MAX,
        };
        machine.restart(random, lasts);
        let before = machine.disk.view.clone();
        match machine.run(verb, ReadErrors::Map) {
            Ok(done) => return Some(done),
            Err(_) if machine.is_out() => crashes += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Refused, "{verb:?} {error}");
                let seen = outlook(machine, verb == Verb::Rollback);
                assert!(!seen.is_on_disk && machine.disk.view == before, "{error}");
                return None;
            }
        }
    }
}

/// One disk that was stopped somewhere, tampered with, and ended; whether it was.
fn comes_back(layout: &Layout, events: u64, random: &mut Random) -> bool {
    let mut machine = Machine::killed_after(layout, events);
    machine.settle();
    let Some(contents) = machine.contents() else {
        return false;
    };
    let stage = contents.state.stage;
    if stage == Stage::Done {
        return false;
    }
    tamper(&mut machine, layout, &contents, random);
    let verb = match stage {
        Stage::Committed => Verb::Resume,
        _ => *random.pick(&WAYS),
    };
    let before = machine.disk.view.clone();
    match machine.run(verb, ReadErrors::Map) {
        Ok(done) => {
            let right = machine.judge(&done);
            right.unwrap_or_else(|error| panic!("{stage:?} {verb:?}: {error}"));
            return true;
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::Refused, "{error}"),
    }
    assert!(
        machine.disk.view == before,
        "refused, and something was written"
    );
    let Some(done) = end(&mut machine, verb, random) else {
        return false;
    };
    let right = machine.judge(&done);
    right.unwrap_or_else(|error| panic!("{stage:?} {verb:?} by force: {error}"));
    true
}

/// Tables and superblocks of before, of after, of `--abandon`, in any number: by force all of them come to what the
/// job wants, through losses of power.
#[test]
fn whatever_of_the_two_layouts_was_put_back_the_job_ends() {
    let (mut ended, mut tried) = (0, 0);
    for seed in 1..500 {
        let Some(layout) = generate(seed) else {
            continue;
        };
        if !layout.job.patches(PatchPhase::Table).any(|one| one.at == 0) {
            continue;
        }
        let mut whole = Machine::new(&layout, u64::MAX);
        whole.run(Verb::Apply, ReadErrors::Map).unwrap();
        let mut random = Random(seed);
        for _ in 0..12 {
            let events = random.within(1, whole.events());
            tried += 1;
            ended += u32::from(comes_back(&layout, events, &mut random));
        }
    }
    assert!(tried > 500 && ended * 10 > tried * 7, "{ended} of {tried}");
}

/// The marker is gone, and all it stood for is still covered: by force the job ends right in either layout.
#[test]
fn after_abandon_the_superblocks_come_back() {
    let layout = two_sectors();
    for first in [
        abandoned(&layout.bytes),
        layout.bytes[..512].to_vec(),
        first_after(&layout),
    ] {
        for stage in [Stage::Moving, Stage::Contents] {
            for (verb, outcome) in WAYS
                .into_iter()
                .zip([MoverOutcome::Moved, MoverOutcome::RolledBack])
            {
                let mut machine = killed_in(&layout, stage, 1);
                write(&mut machine, 0, &first);
                refusal(&mut machine, verb);
                machine.trust_disk = true;
                let done = machine.run(verb, ReadErrors::Stop).unwrap();
                assert_eq!(done.outcome, outcome);
                machine.judge(&done).unwrap();
            }
        }
    }
}

/// A disk restored from a backup has nothing of the move on it: it is refused, by force too.
#[test]
fn a_restored_disk_is_not_written_with_a_stale_journal() {
    let layout = two_sectors();
    let mut newer = layout.bytes.clone();
    newer[9 << 10..11 << 10].fill(7);
    for stage in [Stage::Moving, Stage::Contents, Stage::Committed] {
        for bytes in [&layout.bytes, &newer] {
            for verb in WAYS {
                let mut machine = killed_in(&layout, stage, 0);
                write(&mut machine, 0, bytes);
                for trust in [false, true] {
                    machine.trust_disk = trust;
                    refusal(&mut machine, verb);
                }
                let seen = outlook(&machine, verb == Verb::Rollback);
                assert!(!seen.is_on_disk && matches!(seen.verdict, MoveVerdict::Absent(_)));
            }
        }
    }
}

/// Something of others in place of a superblock on its way: it is named, refused, and written over by force alone.
#[test]
fn what_others_wrote_is_named_before_it_is_lost() {
    let layout = two_sectors();
    for verb in WAYS {
        let mut machine = killed_in(&layout, Stage::Moving, 0);
        write(&mut machine, 10 << 10, &[0x66; 1024]);
        let said = refusal(&mut machine, verb);
        assert!(
            said.contains("a superblock at byte 10240 has changed"),
            "{said}"
        );
        let seen = outlook(&machine, verb == Verb::Rollback);
        let all: Vec<_> = seen.foreign.iter().map(ToString::to_string).collect();
        assert_eq!(all, ["1024 bytes at byte 10240 (a superblock)"]);
        machine.trust_disk = true;
        let done = machine.run(verb, ReadErrors::Stop).unwrap();
        machine.judge(&done).unwrap();
    }
}

/// In the commit, with the marker: a new first sector of others and the old second table.
#[test]
fn a_commit_that_was_stopped_ends_after_an_old_table_came_back() {
    let mut layout = two_sectors();
    let before = layout.bytes[60 << 10..61 << 10].to_vec();
    let second = Patch {
        phase: PatchPhase::Table,
        at: 60 << 10,
        after: vec![9; 1 << 10],
        before,
    };
    layout.job.patches.insert(1, second);
    // As a GPT has it: the first sector is the same before and after.
    let same = layout
        .job
        .patches
        .iter_mut()
        .find(|one| one.at == 0)
        .unwrap();
    same.after.clone_from(&same.before);
    let mut machine = killed_in(&layout, Stage::Committed, 0);
    write(&mut machine, 0, &layout.bytes[..512]);
    refusal(&mut machine, Verb::Resume);
    machine.trust_disk = true;
    let done = machine.run(Verb::Resume, ReadErrors::Stop).unwrap();
    machine.judge(&done).unwrap();
}

/// A tool that writes the old logical partitions by hand writes over data that have moved there: these are lost,
/// and named.
#[test]
fn an_old_boot_record_over_moved_data_is_named() {
    let mut layout = two_sectors();
    let from = 24 << 10;
    let record = Patch {
        phase: PatchPhase::Covered,
        at: from,
        before: layout.bytes[index(from)..index(from) + 512].to_vec(),
        after: Vec::new(),
    };
    layout.job.patches.insert(1, record);
    let at = index(from);
    let has_moved = |machine: &Machine<'_>| {
        let state = machine.contents().unwrap().state;
        let data = &layout.bytes[at - 1024..at - 512];
        state.stage == Stage::Moving
            && state.done >= 4096
            && machine.disk.view[at..at + 512] == *data
    };
    let mut machines = (0..).map(|later| killed_in(&layout, Stage::Moving, later));
    let mut machine = machines.find(has_moved).unwrap();
    write(&mut machine, at, &layout.bytes[at..at + 512]);
    let said = refusal(&mut machine, Verb::Resume);
    assert!(said.contains("an old boot record"), "{said}");
}

/// A disk that takes no writes.
struct ReadOnly(MemoryDisk);

impl Disk for ReadOnly {
    fn size_bytes(&self) -> u64 {
        self.0.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        self.0.logical_bytes()
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_at(at, bytes)
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_journal_whose_marker_was_never_written_takes_itself_back() {
    let layout = two_sectors();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let mut disk = ReadOnly(MemoryDisk {
        bytes: layout.bytes.clone(),
        logical_bytes: 512,
    });
    let (job, options) = (&layout.job, &layout.options);
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    let done = mover::apply(&mut disk, &journal, job, &origin(), options, &mut watch);
    let said = done.unwrap_err().to_string();
    assert!(
        said.contains("512 bytes cannot be written at byte 0"),
        "{said}"
    );
    assert!(
        said.contains("the journal is gone") && !journal.exists(),
        "{said}"
    );
}
