//! Refusals, and their exit codes.

use std::path::Path;

use std::fmt::{self, Display, Formatter};

use anyhow::{Result, anyhow};
use ioalign_core::{rules, shell};
use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{self, RepairPlan};
use ioalign_repair::{Error, ErrorKind, Job};

use super::command::{self, FixStep};
use crate::args::FixArgs;
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
    pub rule: &'static str,
    /// What to do next, the best first.
    pub next: Vec<NextStep>,
    /// Whether another argument lifts it: then it ends as wrong usage does.
    pub is_usage: bool,
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
        write!(f, "{} ({})", self.what, self.rule)?;
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
pub fn refusal(rule: &'static str, what: impl Display, next: &str) -> anyhow::Error {
    choice(rule, what, [(next.to_owned(), "")])
}

/// A refusal, with several commands, and when each is the right one.
pub fn choice(
    rule: &'static str,
    what: impl Display,
    next: impl IntoIterator<Item = (String, &'static str)>,
) -> anyhow::Error {
    let steps = next.into_iter();
    let refusal = Refusal {
        what: what.to_string(),
        rule,
        next: steps
            .map(|(command, when)| NextStep { command, when })
            .collect(),
        is_usage: false,
    };
    refusal.into()
}

/// A refusal that a consent lifts: the command with the consent.
pub fn consent_needed(what: impl Display, next: String) -> anyhow::Error {
    let refusal = Refusal {
        what: what.to_string(),
        rule: rules::FIX_NEEDS_CONSENT,
        next: vec![NextStep {
            command: next,
            when: "to accept that",
        }],
        is_usage: true,
    };
    refusal.into()
}

/// The steps of an error that is to be told in other words.
pub fn steps_of(error: &anyhow::Error) -> Vec<(String, &'static str)> {
    let refusal = error.downcast_ref::<Refusal>();
    let steps = refusal.map_or(&[][..], |refusal| &refusal.next);
    steps
        .iter()
        .map(|step| (step.command.clone(), step.when))
        .collect()
}

/// The calls that end a move: on, and back; `force` where the disk has changed.
pub fn ways(
    arguments: &FixArgs,
    journal: Option<&Path>,
    force: bool,
) -> [(String, &'static str); 2] {
    let forced = if force { " --trust-disk" } else { "" };
    let step = |step| format!("{}{forced}", command::line(arguments, step));
    [
        (step(FixStep::Resume(journal)), "to go on"),
        (step(FixStep::Rollback(journal)), "to undo the move"),
    ]
}

/// Refuses the name of a new image that a file has already; names a free one.
pub fn free_name(arguments: &FixArgs, new: &Path) -> Result<()> {
    if !new.exists() {
        return Ok(());
    }
    let ending = new.extension().and_then(|ending| ending.to_str());
    let free = image_name::beside(new, ending.unwrap_or("img"));
    let what = format!(
        "{}: it is there already, and is not replaced",
        shell::path(new)
    );
    let next = command::line(arguments, FixStep::Output(&free, arguments.format));
    Err(refusal(rules::FIX_OUTPUT_EXISTS, what, &next))
}

/// A refusal of the library to plan on this target; `check` shows what is on it.
pub fn unplanned(error: Error, path: &Path) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused | ErrorKind::Unsupported => {
            let next = format!("ioalign check {}", shell::path(path));
            refusal(rules::FIX_NO_PLAN, error.of_target(path), &next)
        }
        _ => self::error(error, path),
    }
}

/// A refusal to open an image for writing: a new one can be written instead.
pub fn not_in_place(error: Error, arguments: &FixArgs) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Refused => {
            let next = new_image(arguments);
            refusal(
                rules::FIX_NOT_IN_PLACE,
                error.of_target(&arguments.target),
                &next,
            )
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
            Err(refusal(rules::FIX_PLAN_CHANGED, what, &again(arguments)))
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
        consent_needed(format!("{error}; nothing was written"), accepting)
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
