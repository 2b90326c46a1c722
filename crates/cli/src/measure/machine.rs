//! The machine that a report opens with.

use std::sync::Arc;

use ioalign_core::comparison::Machine;
use ioalign_device::Target;
use ioalign_inspect::host::{Root, machine};

/// The facts about this machine, now, with the disks below the targets.
pub fn read(targets: &[Arc<Target>]) -> Machine {
    let paths: Vec<_> = targets
        .iter()
        .map(|target| target.path().to_owned())
        .collect();
    let root = Root::live();
    root.map_or_else(
        |_| Machine::default(),
        |root| machine::summary(&root, &paths),
    )
}
