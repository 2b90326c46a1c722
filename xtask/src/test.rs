//! `cargo xtask test`: everything that CI runs, in the order in which it fails fastest.
//!
//! All steps run even when one fails; `--only` runs one, or a part of the tests (`groups.rs`). The last line counts: tests that passed; tests that failed,
//! with every other failed step as one more failure.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::counts::Counts;
use crate::groups::TestGroup;
use crate::{bpf, deny, fixtures, fuzz, packages, publish, run, shells};

/// Executions per format in CI, whose whole run is to take less than 40 minutes on two processors; a release is fuzzed with
/// a million.
const FUZZ_RUNS: u64 = 50_000;
/// The same per format of text, which are slower to read and more.
const FUZZ_TEXT_RUNS: u64 = 15_000;

const STEPS: [&str; 11] = [
    "packages", "format", "clippy", "shell", "bpf", "fixtures", "test", "doc", "publish", "fuzz",
    "deny",
];
/// Parts of the step `test`, by what the tests need.
const PARTS: [&str; 3] = ["unit", "oracle", "vm"];

/// What was asked for: all steps, or one of them; of the tests those with a name.
#[derive(Default)]
struct Choice {
    only: Option<String>,
    name: Option<String>,
}

impl Choice {
    fn parse(args: &[String]) -> Result<Self> {
        let mut choice = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--only" {
                let step = args
                    .next()
                    .filter(|step| all_steps().any(|one| one == *step));
                let Some(step) = step else {
                    bail!("--only takes one of {}", list_of_steps());
                };
                choice.only = Some(step.clone());
            } else if arg.starts_with('-') || choice.name.is_some() {
                bail!(
                    "cargo xtask test [--only STEP] [NAME]; steps are {}",
                    list_of_steps()
                );
            } else {
                choice.name = Some(arg.clone());
            }
        }
        // A name is one of tests.
        if choice.name.is_some() && choice.only.is_none() {
            choice.only = Some("test".to_owned());
        }
        Ok(choice)
    }

    fn has(&self, step: &str) -> bool {
        match self.only.as_deref() {
            Some(only) => only == step,
            None => STEPS.contains(&step),
        }
    }
}

fn all_steps() -> impl Iterator<Item = &'static str> {
    STEPS.into_iter().chain(PARTS)
}

fn list_of_steps() -> String {
    all_steps().collect::<Vec<_>>().join(", ")
}

/// Runs the steps that are wanted.
pub fn command(args: &[String]) -> Result<ExitCode> {
    let choice = Choice::parse(args)?;
    let mut report = TestReport::default();
    for step in all_steps().filter(|step| choice.has(step)) {
        match (step, TestGroup::of_step(step)) {
            (_, Some(group)) => report.tests(step, group, choice.name.as_deref()),
            ("deny", _) => report.deny(),
            _ => report.step(step, || run_step(step)),
        }
    }
    if let Some(what) = &report.left_out {
        println!("NOT CHECKED: {what}");
    }
    println!("{}", report.counts.summary());
    Ok(ExitCode::from(u8::from(report.counts.failed > 0)))
}

fn run_step(step: &str) -> Result<bool> {
    match step {
        "packages" => packages::ensure("build")
            .and_then(|()| packages::ensure("test"))
            .map(|()| true),
        "format" => run::succeeds(&mut run::cargo(&["fmt", "--all", "--check"])),
        "clippy" => run::succeeds(&mut clippy()),
        "shell" => shells::check(),
        "bpf" => bpf::check(),
        "fixtures" => fixtures::build(&[]).map(|_| true),
        "doc" => run::succeeds(&mut doc()),
        "publish" => publish::check(),
        "fuzz" => fuzz_all(),
        other => bail!("there is no step {other}"),
    }
}

fn fuzz_all() -> Result<bool> {
    let (runs, text_runs) = (FUZZ_RUNS.to_string(), FUZZ_TEXT_RUNS.to_string());
    let mutated = fuzz::run(&["--runs".into(), runs, "--text-runs".into(), text_runs])?;
    let cut_off = fuzz::run(&["--truncate".into(), "--format".into(), "captures".into()])?;
    Ok(mutated && cut_off)
}

fn clippy() -> Command {
    run::cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ])
}

fn doc() -> Command {
    let mut command = run::cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
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
        say(name, passed, started);
    }

    /// Runs the tests. A run that fails without a failed test did not compile, or crashed.
    fn tests(&mut self, step: &str, group: TestGroup, name: Option<&str>) {
        let started = Instant::now();
        let mut counts = Counts::default();
        let mut command = run::cargo(&["test", "--workspace", "--no-fail-fast"]);
        command.env("IOALIGN_TESTS", group.mode());
        match (name, group.names()) {
            (Some(name), _) => _ = command.arg(name),
            (None, Ok(names)) => _ = command.arg("--").args(names),
            (None, Err(error)) => {
                eprintln!("xtask: {step}: {error:#}");
                self.counts.failed += 1;
                return;
            }
        }
        let passed = run::tee(&mut command, |line| counts.line(line)).unwrap_or(false);
        counts.failed += u64::from(!passed && counts.failed == 0);
        self.counts.passed += counts.passed;
        self.counts.failed += counts.failed;
        say(step, passed, started);
    }
}

fn say(name: &str, passed: bool, started: Instant) {
    let verdict = if passed { "ok" } else { "FAILED" };
    eprintln!(
        "xtask: {name}: {verdict} ({:.0} s)",
        started.elapsed().as_secs_f64()
    );
}
