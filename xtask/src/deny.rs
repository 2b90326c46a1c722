//! Licences, sources, bans and advisories of the dependencies, by cargo-deny.

use std::process::Command;

use anyhow::Result;

use crate::run;

/// The version that CI compiles when none is there.
const VERSION: &str = "0.20.2";

/// Runs the checks; whether they passed.
pub fn check() -> Result<bool> {
    if !installed() {
        // A debug build: the run takes seconds either way, the compile takes minutes.
        let args = [
            "install",
            "--locked",
            "--debug",
            "--version",
            VERSION,
            "cargo-deny",
        ];
        run::must(&mut run::cargo(&args))?;
    }
    if advisories_reachable() {
        return run::succeeds(&mut deny(&["check"]));
    }
    eprintln!("xtask: the advisory database cannot be fetched; advisories are NOT checked");
    run::succeeds(&mut deny(&["check", "bans", "licenses", "sources"]))
}

fn installed() -> bool {
    run::output(&mut deny(&["--version"])).is_ok()
}

/// Fetches the database, quietly: without it `check` fails for a reason that is not ours.
fn advisories_reachable() -> bool {
    run::output(&mut deny(&["fetch", "db"])).is_ok()
}

fn deny(args: &[&str]) -> Command {
    let mut command = run::cargo(&["deny"]);
    command.args(args);
    command
}
