//! Refusals, and their exit codes.

use std::path::Path;

use std::fmt::{self, Display, Formatter};

use anyhow::{Result, anyhow};
use ioalign_core::shell;
use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{self, RepairPlan};
use ioalign_repair::{Error, ErrorKind, Job};

use super::command::{self, FixStep};
use crate::args::FixArgs;
use crate::exit::UsageError;
use crate::image_name;

/// An error of the library about this target.
pub fn error(error: Error, path: &Path) -> anyhow::Error {
    anyhow!(error.of_target(path))
}

/// A refusal: what and where, by which rule, and what to do about it.
#[derive(Debug)]
pub struct Refusal {
    /// What is refused, and why.
    pub what: String,
    /// The rule whose page says more.
    pub rule: Option<&'static str>,
    /// What to do next, the best first.
    pub next: Vec<NextStep>,
}

/// A command, and when it is the right one.
#[derive(Debug)]
pub struct NextStep {
    /// For a POSIX shell.
    pub command: String,
    /// In a few words; empty where there is no choice.
    pub when: &'static str,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(rule) = self.rule {
            write!(f, " ({rule})")?;
        }
        for (index, step) in self.next.iter().enumerate() {
            let before = if index == 0 { "; next:" } else { ", or" };
            write!(f, "{before} `{}`", step.command)?;
            if !step.when.is_empty() {
                write!(f, " {}", step.when)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// A refusal, with the command to type next.
pub fn then(what: impl Display, next: &str) -> anyhow::Error {
    let step = NextStep {
        command: next.to_owned(),
        when: "",
    };
    let refusal = Refusal {
        what: what.to_string(),
        rule: None,
        next: vec![step],
    };
    refusal.into()
}

/// A refusal of the library to plan on this target; `check` shows what is on it.
pub fn unplanned(error: Error, path: &Path) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused | ErrorKind::Unsupported => {
            let next = format!("ioalign check {}", shell::path(path));
            then(error.of_target(path), &next)
        }
        _ => self::error(error, path),
    }
}

/// A refusal to open an image for writing: a new one can be written instead.
pub fn not_in_place(error: Error, arguments: &FixArgs) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused => {
            let next = new_image(arguments);
            then(error.of_target(&arguments.target), &next)
        }
        _ => unplanned(error, &arguments.target),
    }
}

/// The command that writes a new image beside the old one.
pub fn new_image(arguments: &FixArgs) -> String {
    let path = &arguments.target;
    let ending = path.extension().and_then(|ending| ending.to_str());
    let new = image_name::beside(path, ending.unwrap_or("img"));
    command::line(arguments, FixStep::Output(&new, None))
}

/// The command that shows the plan.
pub fn again(arguments: &FixArgs) -> String {
    command::line(arguments, FixStep::Show)
}

/// One that is said as it stands.
pub fn plainly(what: String) -> anyhow::Error {
    anyhow::Error::msg(what)
}

/// Checks that the plan is the expected one.
pub fn expected(plan: &RepairPlan, arguments: &FixArgs) -> Result<()> {
    expected_job(&plan.job, arguments)
}

/// Names a job: the same work on the same data has the same name.
pub fn name(job: &Job) -> String {
    fix::name(job)
}

/// The same for a job without a layout.
pub fn expected_job(job: &Job, arguments: &FixArgs) -> Result<()> {
    match &arguments.expect {
        Some(expected) if *expected != name(job) => {
            let what = format!(
                "{}: the plan is {} now, not {expected}: the table or the data have changed since; nothing was written",
                arguments.target.display(),
                name(job)
            );
            Err(then(what, &again(arguments)))
        }
        _ => Ok(()),
    }
}

/// Consequences that are refused by default need a consent: other arguments would lift it, so it is 64.
pub fn without_consent(plan: &RepairPlan, arguments: &FixArgs) -> Result<()> {
    fix::consent(plan, |one| accepted(one, arguments)).map_err(|error| {
        let refused = plan.consequences.iter();
        let refused = refused.filter(|one| !accepted(one, arguments));
        let step = match &arguments.output {
            Some(new) => FixStep::Output(new, arguments.format),
            None => FixStep::Show,
        };
        let line = command::line(arguments, step);
        let accepting = accepting(&line, refused);
        let error = error.of_target(&arguments.target);
        let what = format!("{error}; nothing was written; to accept that: `{accepting}`");
        UsageError(what).into()
    })
}

/// A command with the consents that these consequences need.
pub fn accepting<'a>(line: &str, refused: impl Iterator<Item = &'a Consequence>) -> String {
    let mut line = line.to_owned();
    let (logs, boot): (Vec<_>, Vec<_>) = refused.partition(|one| fix::is_about_a_log(one));
    for (needed, flag) in [
        (!logs.is_empty(), "--accept-dirty"),
        (!boot.is_empty(), "--accept-boot"),
    ] {
        if needed {
            line = format!("{line} {flag}");
        }
    }
    line
}

/// Whether the operator takes it upon himself.
pub fn accepted(one: &Consequence, arguments: &FixArgs) -> bool {
    match one.weight {
        Weight::Refused if fix::is_about_a_log(one) => arguments.accept_dirty,
        Weight::Refused => arguments.accept_boot,
        _ => true,
    }
}
