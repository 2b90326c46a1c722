//! Licences, sources, bans, build scripts and advisories of the dependencies, by cargo-deny.
//!
//! Advisories come from GitHub, which a machine with package registries alone does not reach. There the step passes
//! without them and says so before the last line: a run that must not pass without them sets
//! `CI_ADVISORIES=required`. `IOALIGN_OFFLINE=1` does not even try.

use anyhow::Result;

use crate::{run, tools};

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
    let program = tools::DENY.find()?;
    let deny = |args: &[&str]| {
        let mut command = run::command(&program);
        command.arg("deny").args(args);
        command
    };
    // Fetches the database, quietly: without it `check` fails for a reason that is not ours.
    let advisories_reachable = || run::output(&mut deny(&["fetch", "db"])).is_ok();
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
