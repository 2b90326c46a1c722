//! `cargo xtask test`: everything that CI runs, in the order in which it fails fastest, or with `--quick` the inner loop.
//!
//! All steps run even when one fails. The last line counts: tests that passed; tests that failed, with every other failed step as one
//! more failure.

mod changed;
mod choice;
mod counts;
mod groups;
mod runner;

use std::process::{Command, ExitCode};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use self::choice::Choice;
use self::counts::Counts;
use crate::{book, bpf, deny, fixtures, fuzz, nightly, packages, publish, run, shells};

/// Runs the steps that are wanted.
pub fn command(args: &[String]) -> Result<ExitCode> {
    let choice = Choice::parse(args)?;
    let mut report = TestReport::default();
    let steps = choice.steps();
    // The guests of the fixtures keep one processor busy: they run while clippy compiles.
    let mut fixtures = steps.contains(&"fixtures").then(start_fixtures);
    for step in steps {
        match (step, choice::group_of(step)) {
            (_, Some(group)) => report.tests(step, || runner::run(&choice, group)),
            ("deny", _) => report.deny(),
            ("fixtures", _) => report.step(step, || finish(fixtures.take())),
            _ => report.step(step, || run_step(step, &choice)),
        }
    }
    if choice.is_whole() {
        println!("{}", nightly::age()?);
    }
    if let Some(what) = &report.left_out {
        println!("NOT CHECKED: {what}");
    }
    println!("{}", report.counts.summary());
    Ok(ExitCode::from(u8::from(report.counts.failed > 0)))
}

type Fixtures = JoinHandle<Result<bool>>;

fn start_fixtures() -> Fixtures {
    thread::spawn(|| fixtures::build(&[]).map(|_| true))
}

fn finish(fixtures: Option<Fixtures>) -> Result<bool> {
    let ended = fixtures.map(JoinHandle::join);
    ended.map_or(Ok(true), |ended| {
        ended.unwrap_or_else(|_| Err(anyhow!("a builder panicked")))
    })
}

fn run_step(step: &str, choice: &Choice) -> Result<bool> {
    let profile = ["--profile", choice.profile()];
    match step {
        "packages" => packages::ensure("build")
            .and_then(|()| packages::ensure("test"))
            .map(|()| true),
        "format" => run::succeeds(&mut run::cargo(&["fmt", "--all", "--check"])),
        "clippy" => clippy(choice),
        "shell" => shells::check(),
        "bpf" => bpf::check(),
        "doc" => run::succeeds(doc().args(profile)),
        "book" => book::build().map(|_| true),
        "publish" => publish::check(),
        "fuzz" => fuzz::brief(),
        other => bail!("there is no step {other}"),
    }
}

/// Of everything, or in the inner loop of what changed.
fn clippy(choice: &Choice) -> Result<bool> {
    let mut command = run::cargo(&["clippy", "--all-targets"]);
    command.args(["--profile", choice.profile()]);
    match (choice.quick, &choice.package) {
        (true, Some(package)) => _ = command.args(["--package", package]),
        (true, None) => {
            let crates = changed::crates()?;
            if crates.is_empty() {
                return Ok(true);
            }
            for name in crates {
                command.args(["--package", &name]);
            }
        }
        (false, _) => _ = command.arg("--workspace"),
    }
    run::succeeds(command.args(["--", "-D", "warnings"]))
}

fn doc() -> Command {
    let mut command = run::cargo(&["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

#[derive(Default)]
struct TestReport {
    counts: Counts,
    /// What no step could check.
    left_out: Option<String>,
}

impl TestReport {
    /// Checks the dependencies, and remembers what could not be.
    fn deny(&mut self) {
        let mut left_out = None;
        self.step("deny", || {
            let checked = deny::check()?;
            left_out = checked.left_out;
            Ok(checked.passed)
        });
        self.left_out = left_out;
    }

    /// Runs a step that is not made of tests.
    fn step(&mut self, name: &str, action: impl FnOnce() -> Result<bool>) {
        let started = Instant::now();
        let passed = action().unwrap_or_else(|error| {
            eprintln!("xtask: {name}: {error:#}");
            false
        });
        self.counts.failed += u64::from(!passed);
        report_step(name, passed, started);
    }

    /// Runs tests.
    fn tests(&mut self, step: &str, action: impl FnOnce() -> Result<Counts>) {
        let started = Instant::now();
        let counts = action().unwrap_or_else(|error| {
            eprintln!("xtask: {step}: {error:#}");
            Counts::FAILED
        });
        self.counts.add(counts);
        report_step(step, counts.failed == 0, started);
    }
}

fn report_step(name: &str, passed: bool, started: Instant) {
    let verdict = if passed { "ok" } else { "FAILED" };
    eprintln!(
        "xtask: {name}: {verdict} ({:.0} s)",
        started.elapsed().as_secs_f64()
    );
}
