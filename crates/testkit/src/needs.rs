//! What a test needs of the machine besides Rust: such a test begins with `needs!(Packages);`.
//!
//! `cargo test` leaves a test out whose needs are not met, and writes its name to `left-out` in the target folder; the
//! last test of the workspace counts them. With `IOALIGN_TESTS=all`, which `cargo xtask test` and CI set, no test is
//! left out: what is missing makes it fail. `IOALIGN_TESTS=unit` leaves every test out that needs something, and
//! `IOALIGN_TESTS=quick` those that need root or the virtual machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::run::{FIXTURES, target_folder};

/// The programs that tests run, with their Debian packages.
const LIST: &str = include_str!("../../../xtask/packages.txt");
/// The variable that says which tests are wanted.
const CHOICE: &str = "IOALIGN_TESTS";
/// The variable that names a run of several test programs.
pub const RUN: &str = "IOALIGN_TEST_RUN";
/// The kernel that the virtual machine starts; see `docs/vm.md`.
const KERNEL: &str = "vmlinuz-";

/// Something that a machine may lack.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MachineNeed {
    /// The Debian packages of `xtask/packages.txt`.
    Packages,
    /// The rights of root, and loop devices.
    Root,
    /// The stacks that `cargo xtask fixtures` makes.
    Fixtures,
    /// A kernel for the virtual machine; `cargo xtask vm` is run.
    Guest,
}

/// Ends a test that needs what is not there.
#[macro_export]
macro_rules! needs {
    ($($need:ident),+) => {
        if $crate::needs::is_left_out(&[$($crate::needs::MachineNeed::$need),+]) {
            return;
        }
    };
}

/// Whether the test of this thread is to end, for want of one of these.
pub fn is_left_out(needs: &[MachineNeed]) -> bool {
    let missing = match std::env::var(CHOICE).as_deref() {
        Ok("all") => None,
        Ok("unit") => Some("only tests without needs were asked for".to_owned()),
        Ok("quick") => needs
            .iter()
            .any(|need| *need != MachineNeed::Packages)
            .then(|| "the inner loop runs without root and the virtual machine".to_owned()),
        _ => needs.iter().find_map(|need| need.missing()),
    };
    let Some(reason) = missing else {
        return false;
    };
    record(&reason);
    true
}

impl MachineNeed {
    /// What is missing, in words.
    fn missing(self) -> Option<String> {
        let (is_met, words) = match self {
            Self::Packages => return packages(),
            Self::Root => (
                is_root() && Path::new("/dev/loop-control").exists(),
                "root, or loop devices",
            ),
            Self::Fixtures => (
                target_folder().join(FIXTURES).is_dir(),
                "fixtures (`cargo xtask fixtures`)",
            ),
            Self::Guest => (has_kernel(), "a kernel for the virtual machine"),
        };
        (!is_met).then(|| words.to_owned())
    }
}

fn packages() -> Option<String> {
    static MISSING: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        let lines = LIST.lines().filter(|line| line.starts_with("test"));
        let things = lines.filter_map(|line| line.split_whitespace().nth(1));
        let mut programs = things.filter(|thing| !thing.starts_with('/'));
        let first = programs.find(|program| !is_program(program))?;
        Some(format!("Debian packages ({first} and others)"))
    };
    MISSING.get_or_init(find).clone()
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    folders
        .map(|folder| folder.join(name))
        .any(|file| file.is_file())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn has_kernel() -> bool {
    let named = std::env::var_os("IOALIGN_VM_KERNEL").is_some();
    let boot = fs::read_dir("/boot").into_iter().flatten().flatten();
    let mut names = boot.map(|entry| entry.file_name());
    named || names.any(|name| name.to_string_lossy().starts_with(KERNEL))
}

/// Adds a line for a test, of this run alone: the first line names the run.
fn record(reason: &str) {
    let thread = std::thread::current();
    let line = format!("{reason}\t{}\n", thread.name().unwrap_or("?"));
    // A target folder that cannot be written to costs the count, not the test.
    let _ = append(&line);
}

/// Test programs run at the same time: the file is locked until it is closed.
fn append(line: &str) -> std::io::Result<()> {
    fs::create_dir_all(target_folder())?;
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    let mut file = options.open(target_folder().join("left-out"))?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let run = run();
    if text.lines().next() != Some(&run) {
        file.set_len(0)?;
        file.write_all(format!("{run}\n").as_bytes())?;
    }
    file.write_all(line.as_bytes())
}

/// The name of the run: that of `cargo xtask test`, or the process that runs one test program after the other, with the time of
/// its start.
fn run() -> String {
    if let Ok(named) = std::env::var(RUN) {
        return named;
    }
    let parent = parent_id();
    let stat = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let started = fields.split_whitespace().nth(19).unwrap_or_default();
    format!("run {parent} {started}")
}

/// How many tests of this run were left out by now, by reason.
pub fn counts() -> BTreeMap<String, usize> {
    counts_of(&run())
}

/// The same of the run with this name.
pub fn counts_of(run: &str) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(target_folder().join("left-out")).unwrap_or_default();
    let mut lines = text.lines();
    let mut counts = BTreeMap::new();
    if lines.next() == Some(run) {
        // A property asks once a case.
        let lines: BTreeSet<_> = lines.collect();
        for (reason, _) in lines.iter().filter_map(|line| line.split_once('\t')) {
            *counts.entry(reason.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Prints the counts, if there are any.
pub fn print_counts(counts: &BTreeMap<String, usize>) {
    let all: usize = counts.values().sum();
    if all == 0 {
        return;
    }
    assert_ne!(std::env::var(CHOICE).as_deref(), Ok("all"));
    let mut text = format!("\nleft out: {all} tests; target/left-out has their names\n");
    for (reason, number) in counts {
        text += &format!("  {number:4} for want of {reason}\n");
    }
    text += "  `./dev test` has all that they need; `cargo xtask test` leaves none out\n";
    // Not through `print!`, which libtest captures.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
