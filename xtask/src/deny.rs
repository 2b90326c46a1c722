//! Licences, sources, bans, build scripts and advisories of the dependencies, by cargo-deny.
//!
//! Advisories come from GitHub, which a machine with package registries alone does not reach. There the step passes
//! without them and says so beside the last line: a run that must not pass without them sets
//! `CI_ADVISORIES=required`. `IOALIGN_OFFLINE=1` does not even try. cargo-deny takes minutes to compile: where it is not
//! installed only a run with `CI_DENY=required`, as `.ci/run` is, compiles it; others print that this was not checked.

use std::process::Command;

use anyhow::Result;

use crate::run;

/// The version that CI compiles when none is there. It is no package of Debian, and the one on PyPI is too old for
/// this lock file.
const VERSION: &str = "0.20.2";

/// What was found.
pub struct DenyResult {
    /// Whether everything that was checked is well, and nothing that is required was left out.
    pub passed: bool,
    /// What was not checked, and why.
    pub left_out: Option<String>,
}

/// Whether the advisories are checked.
#[derive(Debug, PartialEq, Eq)]
enum Advisories {
    Checked,
    LeftOut(&'static str),
    Missing(&'static str),
}

/// Runs the checks.
pub fn check() -> Result<DenyResult> {
    let set = |name, value| std::env::var(name).is_ok_and(|found| found == value);
    if !installed() {
        if !set("CI_DENY", "required") {
            let why = "cargo-deny is not installed; CI compiles it";
            return Ok(DenyResult {
                passed: true,
                left_out: Some(format!("dependencies: {why}")),
            });
        }
        run::install("cargo-deny", VERSION)?;
    }
    let offline = set("IOALIGN_OFFLINE", "1");
    let required = set("CI_ADVISORIES", "required");
    let left_out = |why| Some(format!("advisories of dependencies: {why}"));
    match advisories(offline, required, advisories_reachable) {
        Advisories::Checked => Ok(DenyResult {
            passed: run::succeeds(&mut deny(&["check"]))?,
            left_out: None,
        }),
        Advisories::LeftOut(why) => Ok(DenyResult {
            passed: run::succeeds(&mut deny(&["check", "bans", "licenses", "sources"]))?,
            left_out: left_out(why),
        }),
        Advisories::Missing(why) => Ok(DenyResult {
            passed: false,
            left_out: left_out(why),
        }),
    }
}

/// What is done about advisories; `reach` is asked only where it matters.
fn advisories(offline: bool, required: bool, reach: impl FnOnce() -> bool) -> Advisories {
    const OFFLINE: &str = "IOALIGN_OFFLINE=1 is set";
    const UNREACHED: &str = "their database cannot be fetched from here";
    match (offline, required) {
        (true, true) => Advisories::Missing(OFFLINE),
        (true, false) => Advisories::LeftOut(OFFLINE),
        _ if reach() => Advisories::Checked,
        (_, true) => Advisories::Missing(UNREACHED),
        (_, false) => Advisories::LeftOut(UNREACHED),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_never_left_out() {
        for offline in [false, true] {
            for reached in [false, true] {
                let found = advisories(offline, true, || reached);
                let checked = found == Advisories::Checked;
                assert_eq!(checked, reached && !offline);
                assert!(checked || matches!(found, Advisories::Missing(_)));
            }
        }
        let left_out = |found| matches!(found, Advisories::LeftOut(_));
        assert!(left_out(advisories(false, false, || false)));
        assert!(left_out(advisories(true, false, || unreachable!(
            "not asked"
        ))));
        assert_eq!(advisories(false, false, || true), Advisories::Checked);
    }
}
