//! Real kills: a process that moves data on a loop device gets SIGKILL at a random moment, again and again,
//! until one comes to its end. Needs root, as CI has, for loop devices.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ioalign_repair::mover::{
    self, Done, FileDisk, MoveOrigin, MoverOptions, MoverOutcome, Verify, digest,
};
use ioalign_repair::{Disk, Identity, Job, Move, Patch, PatchPhase, Result};
use ioalign_testkit::run::tool;
use ioalign_testkit::{Loop, Random};

use crate::image::free;

/// How many jobs are done. The first process of each is killed, and mostly some more.
const JOBS: u32 = 30;
/// The processes are slowed down so that they are in the middle of something: the 12 MiB of a job take 300 ms.
const BYTES_PER_SECOND: u64 = 40 << 20;
/// A process is killed within this many milliseconds, and later where a slow machine has begun nothing by then.
const KILLED_WITHIN: u64 = 250;

const DISK_BYTES: u64 = 20 << 20;
/// Names the scratch folder to the child.
const FOLDER: &str = "IOALIGN_KILL_FOLDER";

/// Two partitions: one moves far to the right over itself, the other by two sectors; numbers in both, a
/// table at the start, an old boot record under the second.
fn job(disk: &mut dyn Disk, to_the_right: bool) -> Job {
    let (mut one, mut two) = (
        Move {
            from: 9 << 20,
            to: (13 << 20) + 512,
            bytes: 6 << 20,
        },
        Move {
            from: 1 << 20,
            to: (1 << 20) + 1024,
            bytes: 6 << 20,
        },
    );
    if !to_the_right {
        for back in [&mut one, &mut two] {
            (back.from, back.to) = (back.to, back.from);
        }
        (one, two) = (two, one);
    }
    let mut read = |at: u64| {
        let mut block = vec![0; 512];
        disk.read_at(at, &mut block).unwrap();
        block
    };
    let changed = |block: &[u8]| block.iter().map(|byte| !byte).collect();
    let (boot, table) = (read(one.from), read(0));
    let contents = Patch {
        phase: PatchPhase::Contents,
        at: one.to,
        after: changed(&boot),
        before: boot,
    };
    let table = Patch {
        phase: PatchPhase::Table,
        at: 0,
        after: changed(&table),
        before: table,
    };
    let moves = vec![one, two];
    Job {
        identity: Identity::take(disk, &moves),
        moves,
        patches: vec![contents, table],
        keep: Vec::new(),
    }
}

fn options() -> MoverOptions {
    MoverOptions {
        chunk: 1 << 20,
        piece: 64 << 10,
        direct_from: 3 << 20,
        limit: Some(BYTES_PER_SECOND),
        verify: Verify::Full,
        ..MoverOptions::default()
    }
}

/// A verb in this process.
fn run(folder: &Path, verb: &str, options: &MoverOptions) -> Result<Done> {
    let device = std::fs::read_to_string(folder.join("device")).unwrap();
    let journal = folder.join("journal");
    let mut disk = free(|| FileDisk::open(Path::new(&device)))?;
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    match verb {
        "resume" => mover::resume(&mut disk, &journal, options, &mut watch),
        "rollback" => mover::rollback(&mut disk, &journal, options, &mut watch),
        way => {
            let job = job(&mut disk, way == "right");
            mover::apply(
                &mut disk,
                &journal,
                &job,
                &MoveOrigin::default(),
                options,
                &mut watch,
            )
        }
    }
}

/// What [`Trial::start`] runs: this test program again, with this test alone. Without a folder it has nothing
/// to do.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let verb = std::env::var("IOALIGN_KILL_VERB").unwrap();
    let done = run(Path::new(&folder), &verb, &options());
    std::process::exit(i32::from(done.is_err()));
}

/// A loop device over a file of random bytes.
struct Trial {
    device: Loop,
    folder: tempfile::TempDir,
}

impl Trial {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        let mut random = Random(7);
        let bytes: Vec<u8> = (0..DISK_BYTES / 8)
            .flat_map(|_| random.next().to_le_bytes())
            .collect();
        std::fs::write(&image, bytes).unwrap();
        let device = Loop::new(&image, &[]);
        std::fs::write(folder.path().join("device"), device.text()).unwrap();
        Self { device, folder }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    fn start(&self, verb: &str) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "crash::kill::child", "--quiet"]);
        command
            .env(FOLDER, self.folder.path())
            .env("IOALIGN_KILL_VERB", verb);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// Runs a verb and kills it after a while; whether it was killed before its end.
    fn killed(&self, verb: &str, after: Duration) -> bool {
        let mut child = self.start(verb);
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap().code().is_none()
    }

    /// The hash of each partition without its first block, and of that block and the table.
    fn hashes(&self, job: &Job, of: fn(&Move) -> std::ops::Range<u64>) -> Vec<u128> {
        let bytes = std::fs::read(self.folder.path().join("image")).unwrap();
        let index = |at: u64| usize::try_from(at).unwrap();
        let places = job.moves.iter().map(of).chain(std::iter::once(0..1024));
        let places =
            places.flat_map(|place| [place.start..place.start + 512, place.start + 512..place.end]);
        places
            .map(|place| digest::of(&bytes[index(place.start)..index(place.end)]))
            .collect()
    }
}

/// A job with kills until it ends one way or the other; how many there were.
fn one_job(trial: &Trial, random: &mut Random, right: bool) -> (u32, MoverOutcome) {
    let job = job(
        &mut free(|| FileDisk::open(trial.device.path())).unwrap(),
        right,
    );
    let before = trial.hashes(&job, Move::source);
    let (mut kills, mut within) = (0, KILLED_WITHIN);
    let mut verb = if right { "right" } else { "left" };
    let outcome = loop {
        let after = Duration::from_millis(random.within(1, within));
        let killed = trial.killed(verb, after);
        kills += u32::from(killed);
        let journal = trial.journal().exists();
        if journal && (!killed || kills >= 8) {
            break finish(trial);
        } else if journal {
            verb = *random.pick(&["resume", "resume", "rollback"]);
        } else if let Some(outcome) = ended(&trial.hashes(&job, Move::source), &before, verb) {
            break outcome;
        } else {
            within += KILLED_WITHIN / 8;
        }
    };
    judge(trial, &job, &before, outcome);
    (kills, outcome)
}

/// No journal: nothing was begun, or all is done. A rollback may have been killed when nothing was left to do
/// for the next one.
fn ended(now: &[u128], before: &[u128], verb: &str) -> Option<MoverOutcome> {
    if now != before {
        return Some(MoverOutcome::Moved);
    }
    ["resume", "rollback"]
        .contains(&verb)
        .then_some(MoverOutcome::RolledBack)
}

/// To the end, without a limit, after many kills or a verb that was refused: a rollback after the commit, and
/// anything on a journal that was never complete.
fn finish(trial: &Trial) -> MoverOutcome {
    let options = MoverOptions {
        limit: None,
        ..options()
    };
    match run(trial.folder.path(), "resume", &options) {
        Ok(done) => done.outcome,
        Err(error) => {
            assert!(
                error.to_string().contains("before anything moved"),
                "{error}"
            );
            std::fs::remove_file(trial.journal()).unwrap();
            MoverOutcome::RolledBack
        }
    }
}

fn judge(trial: &Trial, job: &Job, before: &[u128], outcome: MoverOutcome) {
    tool(
        "sync",
        &["--file-system", trial.folder.path().to_str().unwrap()],
    );
    match outcome {
        MoverOutcome::RolledBack => assert_eq!(trial.hashes(job, Move::source), before),
        MoverOutcome::Moved => {
            let mut wanted = before.to_vec();
            let after = |phase| {
                job.patches(phase)
                    .next()
                    .map(|patch| digest::of(&patch.after))
            };
            wanted[0] = after(PatchPhase::Contents).unwrap();
            wanted[4] = after(PatchPhase::Table).unwrap();
            assert_eq!(trial.hashes(job, Move::destination), wanted);
        }
    }
}

#[test]
fn killed_processes_lose_nothing() {
    needs!(Root);
    let trial = Trial::new();
    let mut random = Random(0x6b69_6c6c);
    let (mut kills, mut right) = (0, true);
    for _ in 0..JOBS {
        let (more, outcome) = one_job(&trial, &mut random, right);
        right ^= outcome == MoverOutcome::Moved;
        kills += more;
    }
    eprintln!("{kills} processes killed in {JOBS} jobs");
    assert!(kills >= JOBS, "{kills}");
}
