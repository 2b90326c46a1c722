//! Refusals, and their exit codes.

use std::path::Path;

use anyhow::{Result, anyhow};
use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{self, RepairPlan};
use ioalign_repair::{Error, Job};

use crate::args::FixArgs;
use crate::exit::UsageError;

/// An error of the library about this target.
pub fn error(error: Error, path: &Path) -> anyhow::Error {
    anyhow!(error.of_target(path))
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
        Some(expected) if *expected != name(job) => Err(anyhow!(
            "{}: the plan is {} now, not {expected}: the table or the data have changed since; nothing was written",
            arguments.target.display(),
            name(job)
        )),
        _ => Ok(()),
    }
}

/// Consequences that are refused by default need a consent: other arguments would lift it, so it is 64.
pub fn without_consent(plan: &RepairPlan, arguments: &FixArgs) -> Result<()> {
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
