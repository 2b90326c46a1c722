//! The next commands: those that do what a plan shows, and the one that judges the result.

use std::path::Path;

use ioalign_core::fix_document::FixResult;
use ioalign_core::shell;
use ioalign_repair::fix::RepairPlan;

use super::command::{self, FixStep};
use crate::args::FixArgs;
use crate::image_name;

/// The commands that do it, the best first.
pub fn commands(arguments: &FixArgs, plan: &RepairPlan) -> Vec<String> {
    if let Some(new) = &arguments.output {
        return vec![command::line(
            arguments,
            FixStep::Output(new, arguments.format),
        )];
    }
    let mut all = Vec::new();
    if plan.survey.container.is_some() {
        let new = image_name::on_the_grid(&arguments.target);
        all.push(command::line(arguments, FixStep::Output(&new, None)));
    }
    if !plan.is_empty() {
        all.push(command::line(arguments, FixStep::Apply(&plan.name())));
    }
    all
}

/// The check of what a run has written; nothing where it has written nothing.
pub fn check(arguments: &FixArgs, ended: FixResult) -> Option<String> {
    let path: &Path = match ended {
        FixResult::Planned => return None,
        FixResult::Copied => arguments.output.as_deref()?,
        _ => &arguments.target,
    };
    Some(format!("ioalign check {}", shell::path(path)))
}
