//! `cargo xtask test`: everything that CI runs, in the order in which it fails fastest.
//!
//! All steps run even when one fails. The last line counts: tests that passed; tests that failed,
//! with every other failed step as one more failure.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::counts::Counts;
use crate::{bpf, deny, fixtures, fuzz, packages, run, shells};

/// Executions per format in CI; a release is fuzzed with a million.
const FUZZ_RUNS: u64 = 100_000;
/// The same per format of text, which are slower to read and more: less than a minute on two cores.
const FUZZ_TEXT_RUNS: u64 = 50_000;

/// Runs all steps.
pub fn command(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("cargo xtask test takes no arguments");
    }
    let mut report = Report::default();
    report.step("packages", || {
        packages::ensure(packages::BUILD)?;
        packages::ensure(packages::TEST)?;
        packages::ensure_vm().map(|()| true)
    });
    report.step("format", || {
        run::succeeds(&mut run::cargo(&["fmt", "--all", "--check"]))
    });
    report.step("clippy", || run::succeeds(&mut clippy()));
    report.step("shell", shells::check);
    report.step("bpf", bpf::check);
    report.step("fixtures", || fixtures::build(&[]).map(|_| true));
    report.tests();
    report.step("doc", || run::succeeds(&mut doc()));
    report.step("fuzz", || {
        fuzz::run(&[
            "--runs".into(),
            FUZZ_RUNS.to_string(),
            "--text-runs".into(),
            FUZZ_TEXT_RUNS.to_string(),
        ])
    });
    report.step("texts cut off", || {
        fuzz::run(&["--truncate".into(), "--format".into(), "captures".into()])
    });
    report.step("deny", deny::check);
    println!("{}", report.counts.summary());
    Ok(ExitCode::from(u8::from(report.counts.failed > 0)))
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
struct Report {
    counts: Counts,
}

impl Report {
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
    fn tests(&mut self) {
        let started = Instant::now();
        let mut counts = Counts::default();
        let mut command = run::cargo(&["test", "--workspace", "--no-fail-fast"]);
        let passed = run::tee(&mut command, |line| counts.line(line)).unwrap_or(false);
        counts.failed += u64::from(!passed && counts.failed == 0);
        self.counts.passed += counts.passed;
        self.counts.failed += counts.failed;
        say("test", passed, started);
    }
}

fn say(name: &str, passed: bool, started: Instant) {
    let verdict = if passed { "ok" } else { "FAILED" };
    eprintln!(
        "xtask: {name}: {verdict} ({:.0} s)",
        started.elapsed().as_secs_f64()
    );
}
