//! The machine that a live report opens with.

use std::path::PathBuf;

use ioalign_core::machine::Machine;
use ioalign_inspect::host::{Root, machine};

/// The facts about this machine, now, with the disks below these devices, files and folders; all disks without any.
/// `None`: nothing of it can be read.
pub fn read(targets: &[PathBuf]) -> Option<Machine> {
    let root = Root::live().ok()?;
    Some(machine::summary(&root, targets))
}
