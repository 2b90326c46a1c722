//! `cargo xtask docs`: writes what is made from the code. The test that compares it can write it
//! too, so that there is one way to make it.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::run;

/// Writes `docs/rules.md` and `docs/fix-refusals.md`.
pub fn command(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("cargo xtask docs takes no arguments");
    }
    let mut test = run::cargo(&[
        "test",
        "--quiet",
        "--package",
        "ioalign-core",
        "--test",
        "it",
        "the_documentation_is_current",
    ]);
    run::must(test.env("UPDATE_DOCS", "1"))?;
    Ok(ExitCode::SUCCESS)
}
