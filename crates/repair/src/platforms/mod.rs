//! A plan as commands, complete and in order, in the words of a platform.

mod linux;

use crate::planner::Plan;

/// Whose commands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux: util-linux, mdadm, LVM, cryptsetup, mkfs.
    Linux,
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
    }
}
