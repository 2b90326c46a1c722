//! How far a move is, on standard error; and Ctrl-C.

use std::ops::ControlFlow;

use anyhow::Result;
use indicatif::{HumanDuration, ProgressBar};
use ioalign_repair::mover::{MoverProgress, Task};

use crate::args::LookArgs;
use crate::bar::bar;
use crate::interrupt::Interrupt;

/// A bar, and the mark of Ctrl-C; nothing is shown where standard error is no terminal.
pub struct FixProgress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl FixProgress {
    /// Watches for Ctrl-C from now on.
    pub fn of(look: &LookArgs) -> Result<Self> {
        let quiet = look.quiet || look.json;
        let interrupt = Interrupt::watched()?;
        let bar = bar(Some(1), !quiet, "{bar:20} {bytes}/{total_bytes} {wide_msg}");
        Ok(Self { bar, interrupt })
    }

    /// For the mover: shows how it goes and says whether to go on.
    pub fn say(&self, progress: &MoverProgress) -> ControlFlow<()> {
        self.bar.set_length(progress.total_bytes);
        self.bar.set_position(progress.done_bytes);
        self.bar.set_message(message(progress));
        self.interrupt.flow()
    }

    /// The rest is for people.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &MoverProgress) -> String {
    let what = match progress.task {
        Task::Moving => "moving",
        Task::MovingBack => "moving back",
    };
    match progress.left {
        Some(left) => format!("{what}, {} left", HumanDuration(left)),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_left_is_told() {
        let progress = MoverProgress {
            task: Task::MovingBack,
            done_bytes: 1,
            total_bytes: 2,
            written_bytes: 1,
            elapsed: Duration::from_secs(1),
            left: Some(Duration::from_secs(90)),
        };
        assert_eq!(message(&progress), "moving back, 2 minutes left");
        let first = MoverProgress {
            left: None,
            ..progress
        };
        assert_eq!(message(&first), "moving back");
    }
}
