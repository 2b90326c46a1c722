//! What may not be done, and the exit codes that follow.

use std::path::Path;

use anyhow::{Result, anyhow};
use ioalign_repair::Error;
use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{self, Plan};

use crate::args::FixArgs;
use crate::exit::UsageError;

/// An error of the library about this target.
pub fn error(error: Error, path: &Path) -> anyhow::Error {
    anyhow!(error.of_target(path))
}

/// The plan is the one that somebody has looked at.
pub fn expected(plan: &Plan, arguments: &FixArgs) -> Result<()> {
    match &arguments.expect {
        Some(name) if *name != plan.name() => Err(anyhow!(
            "{}: the plan is {} now, not {name}: the table or the data have changed since; nothing was written",
            arguments.target.display(),
            plan.name()
        )),
        _ => Ok(()),
    }
}

/// Consequences that are refused by default need a consent: other arguments would lift it, so it is 64.
pub fn without_consent(plan: &Plan, arguments: &FixArgs) -> Result<()> {
    fix::consent(plan, |one| accepted(one, arguments)).map_err(|error| {
        let path = &arguments.target;
        UsageError(format!("{}; nothing was written", error.of_target(path))).into()
    })
}

/// Whether the operator takes it upon himself.
pub fn accepted(one: &Consequence, arguments: &FixArgs) -> bool {
    match one.weight {
        Weight::Refused if fix::is_about_a_log(one) => arguments.accept_dirty,
        Weight::Refused => arguments.accept_boot,
        _ => true,
    }
}
