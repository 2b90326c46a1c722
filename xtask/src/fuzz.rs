//! `cargo xtask fuzz`: seeds from the real tools, then the in-process mutation loop.
use std::process::ExitCode;

use anyhow::Result;

use crate::run;

/// Runs it.
pub fn command(args: &[String]) -> Result<ExitCode> {
    Ok(ExitCode::from(u8::from(!run(args)?)))
}

/// Whether no reader panicked.
pub fn run(args: &[String]) -> Result<bool> {
    let mut command = run::cargo(&[
        "run",
        "--release",
        "--quiet",
        "--package",
        "ioalign-inspect",
        "--example",
        "fuzz_loop",
        "--",
    ]);
    run::succeeds(command.args(args))
}
