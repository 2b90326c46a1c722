//! `cargo xtask demo`: from a fresh clone to a first result, on a scratch image and then on the
//! machine itself.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{packages, paths, run};

/// Verdicts of `ioalign check` (docs: exit codes); everything else is an error of the program.
const VERDICTS: std::ops::RangeInclusive<i32> = 0..=3;

/// The program, built quickly and without optimising.
pub fn build() -> Result<PathBuf> {
    run::must(&mut run::cargo(&[
        "build",
        "--profile",
        "demo",
        "--package",
        "ioalign",
    ]))?;
    Ok(paths::target().join("demo/ioalign"))
}

/// Builds, then shows.
pub fn command(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("cargo xtask demo takes no arguments");
    }
    packages::ensure("build")?;
    let program = build()?;
    run::must(run::command(&program).arg("demo"))?;
    let mut check = run::command(&program);
    let status = check
        .arg("check")
        .status()
        .context("cannot start ioalign check")?;
    match status.code() {
        Some(code) if VERDICTS.contains(&code) => Ok(ExitCode::SUCCESS),
        _ => bail!("ioalign check ended with {status}"),
    }
}
