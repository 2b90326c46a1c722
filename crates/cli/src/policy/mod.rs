//! The policy of a build: what fails it, and what is waived until when (`ioalign.toml`).
//!
//! Severities stay facts; a policy only says what counts. A waiver needs a reason and a last day,
//! and once that is over the finding counts again, with a note that says why.

mod file;
mod found;
mod glob;
mod lint;
mod text;

use std::path::Path;

use anyhow::Result;
use ioalign_core::{Finding, Severity, Waiver, judge, rules};
use ioalign_report::{FailOn, Target};

use crate::say::note;
use ioalign_core::day::Day;

/// Looked for in the working directory.
const NAME: &str = "ioalign.toml";

/// The findings that count, and those that do not.
#[derive(Debug, Default)]
pub struct Policy {
    /// The file that says so.
    pub file: Option<String>,
    /// The failing findings of a build.
    pub fail: FailOn,
    /// The purpose of the images: the same questions as `--target-logical`, `--upload`, ….
    pub questions: judge::JudgeOptions,
    waivers: Vec<Waive>,
}

/// One `[[waive]]`.
#[derive(Debug)]
struct Waive {
    rule: String,
    target: String,
    reason: String,
    expires: Day,
}

/// The policy named, else the one of the working directory, else that of no file.
///
/// A policy can turn a failure into a success. Root does not take one that it did not name from others.
pub fn load(named: Option<&Path>) -> Result<Policy> {
    if let Some(path) = named {
        return file::read(path);
    }
    match found::open(Path::new(NAME)) {
        Ok(file) => file::take(file, Path::new(NAME)),
        Err(found::NotTaken::Absent) => Ok(Policy::default()),
        Err(found::NotTaken::Untrusted(why)) => {
            note(format_args!(
                "{NAME} is ignored: {why}, and this runs as root; `--policy {NAME}` takes it"
            ));
            Ok(Policy::default())
        }
    }
}

impl Policy {
    /// Marks the findings that are waived today and judges the targets again.
    pub fn apply(&self, targets: &mut [Target]) {
        if !self.waivers.is_empty() {
            let today = crate::check::today();
            for target in targets {
                self.apply_to(target, today);
            }
        }
    }

    fn apply_to(&self, target: &mut Target, today: Day) {
        let mut notes = Vec::new();
        for finding in &mut target.findings {
            let covers = |waive: &&Waive| {
                waive.rule == finding.rule && glob::covers(&waive.target, &target.name)
            };
            let last = self.waivers.iter().filter(covers).max_by_key(|w| w.expires);
            match last {
                Some(waive) if waive.expires >= today => finding.waived = Some(waive.waiver()),
                Some(waive) => notes.push(expired(waive, finding)),
                None => {}
            }
        }
        target.findings.extend(notes);
        let counted = target.findings.iter().filter(|finding| finding.counts());
        target.verdict = match &target.error {
            Some(_) if target.findings.is_empty() => target.verdict,
            _ => ioalign_core::severity::verdict(counted.map(|finding| finding.severity)),
        };
    }
}

impl Waive {
    fn waiver(&self) -> Waiver {
        Waiver {
            reason: self.reason.clone(),
            expires: self.expires.to_string(),
        }
    }
}

fn expired(waive: &Waive, finding: &Finding) -> Finding {
    let why = format!(
        "The waiver of {} expired on {}, so it counts again; its reason was: {}",
        waive.rule, waive.expires, waive.reason
    );
    let mut note = Finding::new(rules::WAIVER_EXPIRED, Severity::Note, why);
    note.layer = finding.layer;
    note.guilty = finding.guilty;
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(expires: &str) -> Policy {
        Policy {
            waivers: vec![Waive {
                rule: "start-misaligned".to_owned(),
                target: "old/*.img".to_owned(),
                reason: "moves".to_owned(),
                expires: expires.parse().unwrap(),
            }],
            ..Policy::default()
        }
    }

    fn target(name: &str) -> Target {
        let bad = Finding::new("start-misaligned", Severity::Misaligned, "off");
        Target {
            name: name.to_owned(),
            verdict: Severity::Misaligned,
            findings: vec![bad],
            ..Target::default()
        }
    }

    #[test]
    fn a_waiver_covers_its_rule_and_targets_until_its_day() {
        for (name, expires, verdict, findings) in [
            ("old/a.img", "9999-12-31", Severity::Ok, 1),
            ("new/a.img", "9999-12-31", Severity::Misaligned, 1),
            ("old/a.img", "2001-01-01", Severity::Misaligned, 2),
        ] {
            let mut targets = [target(name)];
            policy(expires).apply(&mut targets);
            assert_eq!(targets[0].verdict, verdict, "{name} {expires}");
            assert_eq!(targets[0].findings.len(), findings, "{name} {expires}");
        }
    }

    #[test]
    fn the_last_day_counts_as_waived() {
        let mut one = target("old/a.img");
        let day: Day = "2030-02-28".parse().unwrap();
        policy("2030-02-28").apply_to(&mut one, day);
        assert!(one.findings[0].waived.is_some());
        let mut one = target("old/a.img");
        policy("2030-02-27").apply_to(&mut one, day);
        assert!(one.findings[0].waived.is_none());
        assert!(
            one.findings[1].why.contains("2030-02-27"),
            "{}",
            one.findings[1].why
        );
    }
}
