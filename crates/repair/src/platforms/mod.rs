//! A plan as commands, complete and in order, in the words of a platform.

mod esxi;
mod freebsd;
mod linux;
mod solaris;
mod windows;

use ioalign_core::Kind;

use crate::planner::{Plan, Seat};

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

/// Something to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, in a few words.
    pub title: String,
    /// The command lines, or the dialogue.
    pub lines: Vec<String>,
    /// What is on the target is lost.
    pub destroys_data: bool,
    /// Numbers in it that cannot be changed later.
    pub fixed: Vec<String>,
    /// What to know about it.
    pub notes: Vec<String>,
}

impl Step {
    fn new(title: &str, lines: Vec<String>) -> Self {
        Self {
            title: title.to_owned(),
            lines,
            destroys_data: false,
            fixed: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn destroys(mut self) -> Self {
        self.destroys_data = true;
        self
    }

    fn fixed(mut self, what: &str) -> Self {
        self.fixed.push(what.to_owned());
        self
    }

    fn note(mut self, what: impl Into<String>) -> Self {
        self.notes.push(what.into());
        self
    }
}

/// What the devices are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The disks, in order.
    pub disks: Vec<String>,
}

/// The steps on a platform.
pub fn steps(plan: &Plan, platform: Platform, names: &Names) -> Vec<Step> {
    match platform {
        Platform::Linux => linux::steps(plan, names),
        Platform::Esxi => esxi::steps(plan, names),
        Platform::Windows => windows::steps(plan, names),
        Platform::Solaris => solaris::steps(plan, names),
        Platform::FreeBsd => freebsd::steps(plan, names),
    }
}

/// The partition that everything else lies on.
fn last_partition(plan: &Plan) -> Option<&Seat> {
    let partitions = plan
        .seats
        .iter()
        .take_while(|seat| seat.kind == Kind::Partition);
    partitions.last()
}
