//! `ioalign measure`: what misalignment costs on a device.

mod amplification;
mod arms;
mod atomic;
mod before;
pub mod cells;
mod compare;
mod gate;
mod layout;
mod live;
mod matrix;
mod offsets;
pub mod open;
mod output;
mod quick;
mod reach;
mod run;
mod session;
pub mod start;

use std::sync::Arc;

use anyhow::Result;
use ioalign_core::machine::Machine;
use ioalign_device::Target;

use crate::args::{MeasureArgs, MeasureVerb};
use crate::exit::Exit;

pub use before::document;
pub use compare::measured;
pub use offsets::{OffsetMeasurement, measured_at};
pub use open::allowed;

/// Runs the verb.
pub fn run(arguments: &MeasureArgs) -> Result<Exit> {
    match &arguments.verb {
        MeasureVerb::Compare(arguments) => compare::run(arguments),
        MeasureVerb::Matrix(arguments) => matrix::run(arguments),
        MeasureVerb::Run(arguments) => run::run(arguments),
        MeasureVerb::Atomic(arguments) => atomic::run(arguments),
        MeasureVerb::Gate(arguments) => gate::run(arguments),
    }
}

/// The machine of a measurement, with the disks below the targets.
fn machine_of(targets: &[Arc<Target>]) -> Machine {
    let paths: Vec<_> = targets
        .iter()
        .map(|target| target.path().to_owned())
        .collect();
    ioalign_check::machine::read(&paths).unwrap_or_default()
}
