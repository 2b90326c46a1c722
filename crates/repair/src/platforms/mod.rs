//! A plan as commands, complete and in order, in the words of a platform.

mod document;
mod esxi;
mod freebsd;
mod linux;
mod names;
mod solaris;
mod support;
mod windows;

use ioalign_core::Kind;
use ioalign_core::plan_document::{PlanStep, StepLines};

use crate::planner::{DiskPlan, Seat};

pub use document::document;
pub use names::DiskNames;
pub use support::unsupported;
pub use windows::reserved;

/// Whose commands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux: util-linux, mdadm, LVM, cryptsetup, mkfs.
    Linux,
    /// ESXi: partedUtil, vmkfstools, fdisk of the console.
    Esxi,
    /// Windows: diskpart, PowerShell, diskpar.
    Windows,
    /// Solaris and illumos: `format -e`.
    Solaris,
    /// FreeBSD: gpart.
    FreeBsd,
}

impl Platform {
    /// All, with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("linux", Self::Linux),
        ("esxi", Self::Esxi),
        ("windows", Self::Windows),
        ("solaris", Self::Solaris),
        ("freebsd", Self::FreeBsd),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, platform)| *platform == self);
        known.map_or("", |(name, _)| name)
    }
}

/// The steps on a platform.
pub fn steps(plan: &DiskPlan, platform: Platform, names: &DiskNames) -> Vec<PlanStep> {
    match platform {
        Platform::Linux => linux::steps(plan, names),
        Platform::Esxi => esxi::steps(plan, names),
        Platform::Windows => windows::steps(plan, names),
        Platform::Solaris => solaris::steps(plan, names),
        Platform::FreeBsd => freebsd::steps(plan, names),
    }
}

/// The seats of the partitions, in order.
fn partitions(plan: &DiskPlan) -> Vec<&Seat> {
    let is_partition = |seat: &&Seat| seat.kind == Kind::Partition;
    plan.seats.iter().take_while(is_partition).collect()
}

/// The partition that everything else lies on.
fn last_partition(plan: &DiskPlan) -> Option<&Seat> {
    partitions(plan).pop()
}
