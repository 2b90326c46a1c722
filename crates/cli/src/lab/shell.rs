//! `ioalign lab shell`.

use std::path::Path;

use anyhow::Result;
use ioalign_lab::run::this_program;
use ioalign_lab::{host, shell};

use super::{experiment, failed};
use crate::args::LabShellArgs;
use crate::exit::{Exit, UsageError};

/// The stack without a name.
const FIRST: &str = "raid10-six-scenarios";

/// Gives the terminal to a guest.
pub fn run(arguments: &LabShellArgs) -> Result<Exit> {
    let name = arguments.experiment.as_deref();
    let experiment = experiment(name.unwrap_or(Path::new(FIRST)))?;
    let mut arms = experiment.arms.iter();
    let wanted = arguments.arm.as_deref();
    let arm = arms.find(|arm| wanted.is_none_or(|wanted| arm.name.contains(wanted)));
    let Some(arm) = arm else {
        let names: Vec<_> = experiment
            .arms
            .iter()
            .map(|arm| arm.name.as_str())
            .collect();
        return Err(UsageError(format!("--arm: there are {}", names.join("; "))).into());
    };
    let program = this_program().map_err(failed)?;
    let cache = host::cache().map_err(failed)?;
    shell::shell(&experiment, arm, &program, &cache).map_err(failed)?;
    Ok(Exit::Done)
}
