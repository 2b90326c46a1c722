//! `ioalign measure`: what misalignment costs on a device.

mod arms;
mod before;
pub mod cells;
mod compare;
mod layout;
mod live;
mod machine;
mod matrix;
mod open;
mod output;
mod quick;
mod reach;
mod run;
mod session;
mod start;

use anyhow::Result;

use crate::args::{MeasureArgs, MeasureVerb};
use crate::exit::Exit;

pub use before::document;
pub use compare::measured;

/// Runs the verb.
pub fn run(arguments: &MeasureArgs) -> Result<Exit> {
    match &arguments.verb {
        MeasureVerb::Compare(arguments) => compare::run(arguments),
        MeasureVerb::Matrix(arguments) => matrix::run(arguments),
        MeasureVerb::Run(arguments) => run::run(arguments),
    }
}
