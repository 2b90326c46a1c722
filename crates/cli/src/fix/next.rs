//! The next commands: those that do what a plan shows, and the one that judges the result.

use std::path::Path;

use ioalign_core::shell;
use ioalign_repair::fix::Plan;

use super::Page;
use super::command::{self, Step};
use super::document::Ended;
use super::output;
use crate::args::FixArgs;

/// The commands that do it, the best first.
pub fn commands(page: &Page<'_>, plan: &Plan) -> Vec<String> {
    let arguments = page.arguments;
    if let Some(new) = &arguments.output {
        return vec![command::line(
            arguments,
            Step::Output(new, arguments.format),
        )];
    }
    let mut all = Vec::new();
    if plan.survey.container.is_some() {
        let new = output::on_the_grid(&arguments.target);
        all.push(command::line(arguments, Step::Output(&new, None)));
    }
    if !plan.is_empty() {
        all.push(command::line(arguments, Step::Apply(&plan.name())));
    }
    all
}

/// How to have what was done judged.
pub fn afterwards(page: &Page<'_>) -> Option<String> {
    check(page.arguments, page.ended)
}

/// The check of what a run has written; nothing where it has written nothing.
pub fn check(arguments: &FixArgs, ended: Ended) -> Option<String> {
    let path: &Path = match ended {
        Ended::Planned => return None,
        Ended::Copied => arguments.output.as_deref()?,
        _ => &arguments.target,
    };
    Some(format!("ioalign check {}", shell::path(path)))
}
