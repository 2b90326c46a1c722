//! A plan as commands, complete and in order, in the words of a platform.

mod esxi;
mod freebsd;
mod linux;
mod names;
mod solaris;
mod support;
mod windows;

use ioalign_core::Kind;

use crate::planner::{Plan, Seat};

pub use names::Names;
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

/// What the lines of a step are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Commands of the platform's shell: they can stand in a script.
    Commands,
    /// What a person types into a program, key by key.
    Dialogue,
    /// Text for a file of settings, or something to look at: in a script a comment.
    Settings,
    /// Another way to do what the step before does: not part of a script.
    Alternative,
}

/// Something to type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, in a few words.
    pub title: String,
    /// The command lines, or the dialogue.
    pub lines: Vec<String>,
    /// What the lines are.
    pub kind: Lines,
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
            kind: Lines::Commands,
            destroys_data: false,
            fixed: Vec::new(),
            notes: Vec::new(),
        }
    }

    const fn of_kind(mut self, kind: Lines) -> Self {
        self.kind = kind;
        self
    }

    const fn destroys(mut self) -> Self {
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

/// The seats of the partitions, in order.
fn partitions(plan: &Plan) -> Vec<&Seat> {
    let is_partition = |seat: &&Seat| seat.kind == Kind::Partition;
    plan.seats.iter().take_while(is_partition).collect()
}

/// The partition that everything else lies on.
fn last_partition(plan: &Plan) -> Option<&Seat> {
    partitions(plan).pop()
}
