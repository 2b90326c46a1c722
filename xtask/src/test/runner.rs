//! Runs the tests: by cargo-nextest, which shares the processors between all test programs, or by `cargo test` where it cannot be had.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use ioalign_testkit::needs;

use super::choice::Choice;
use super::counts::{Counts, Durations};
use super::groups::TestGroup;
use crate::{run, tools};

/// Crash layouts of a whole run; the inner loop has fewer (`crates/repair/tests/it/crash/power.rs`).
const CRASH_LAYOUTS: &str = "400";
/// As many tests are listed at the end.
const SLOWEST: usize = 10;

/// Runs the tests of a group. A run that fails without a failed test did not compile, or crashed.
pub fn run(choice: &Choice, group: TestGroup) -> Result<Counts> {
    let run_id = format!("{}-{}", std::process::id(), unix_time());
    let (mut command, is_nextest) = match tools::NEXTEST.find() {
        Ok(nextest) => (nextest_command(nextest, choice), true),
        Err(error) => {
            eprintln!("xtask: the tests run one program after the other: {error:#}");
            (cargo_test(choice), false)
        }
    };
    let scratch = ScratchFolder::make()?;
    command.env("TMPDIR", &scratch.0);
    // The appliance of libguestfs: 370 MB, which it keeps in /var/tmp otherwise.
    command.env("LIBGUESTFS_CACHEDIR", guestfs_folder()?);
    command.env("IOALIGN_TESTS", group.mode());
    command.env(needs::RUN, &run_id);
    // Tests of guests would build it again, in another profile.
    command.env("IOALIGN_XTASK", std::env::current_exe()?);
    if !choice.quick {
        command.env("IOALIGN_CRASH_LAYOUTS", CRASH_LAYOUTS);
    }
    let names = match &choice.name {
        Some(name) => vec![name.clone()],
        None => group.names()?,
    };
    if !is_nextest && choice.name.is_none() {
        command.arg("--");
    }
    command.args(names);
    let mut counts = Counts::default();
    let mut durations = Durations::default();
    let passed = run::tee(&mut command, |line| {
        counts.line(line, is_nextest);
        durations.line(line);
    })?;
    counts.failed += u64::from(!passed && counts.failed == 0);
    durations.print(SLOWEST);
    needs::print_counts(&needs::counts_of(&run_id));
    Ok(counts)
}

fn nextest_command(nextest: PathBuf, choice: &Choice) -> Command {
    let mut command = run::command(nextest);
    command.args(["nextest", "run", "--color", "never"]);
    // One more than processors: a test often waits for a device, a guest or a program.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    command.args(["--test-threads", &(processors + 1).to_string()]);
    command.args(["--cargo-profile", choice.profile()]);
    command.args(packages(choice));
    command
}

fn cargo_test(choice: &Choice) -> Command {
    let mut command = run::cargo(&["test", "--no-fail-fast", "--profile", choice.profile()]);
    command.args(packages(choice));
    command
}

fn packages(choice: &Choice) -> Vec<&str> {
    match &choice.package {
        Some(name) => vec!["--package", name],
        None => vec!["--workspace"],
    }
}

/// A folder for the temporary files of tests and of what they start, removed at the end: a test that fails may leave some. Short, as
/// the names of sockets are limited to 108 bytes.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn make() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("ioalign-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn guestfs_folder() -> Result<PathBuf> {
    let path = tools::cache()?.join("guestfs");
    fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

fn unix_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
