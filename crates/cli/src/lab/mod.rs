//! `ioalign lab`: experiments on a real kernel, in a virtual machine.

mod all;
mod list;
mod run;
mod shell;
mod tear;

use std::path::Path;

use anyhow::Result;
use ioalign_lab::LabError;
use ioalign_lab::experiment::{LabExperiment, named};

use crate::args::{LabArgs, LabVerb};
use crate::exit::{Exit, Stopped, UsageError};

/// Runs the verb.
pub fn run(arguments: &LabArgs) -> Result<Exit> {
    match &arguments.verb {
        LabVerb::List(list) => list::run(&list.look),
        LabVerb::Run(one) => run::run(one),
        LabVerb::All(all) => all::run(all),
        LabVerb::Tear(one) => tear::run(one),
        LabVerb::Shell(one) => shell::run(one),
    }
}

/// The experiment of a name, or in a file.
fn experiment(name: &Path) -> Result<LabExperiment> {
    if name.extension().is_some_and(|ending| ending == "toml") {
        return LabExperiment::read(name).map_err(failed);
    }
    named(&name.to_string_lossy()).map_err(|error| UsageError(error.to_string()).into())
}

/// Ctrl-C has an exit code of its own.
fn failed(error: LabError) -> anyhow::Error {
    match error.is_interrupted() {
        true => Stopped(format!("{error}; finished cells are kept")).into(),
        false => error.into(),
    }
}
