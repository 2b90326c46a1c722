//! Assertions on the I/O that is watched, and the command that does it.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ioalign_core::profile::{AssertionOutcome, Profile};
use ioalign_report::junit;
use rustix::process::{Pid, Signal, kill_process};

use super::command_group::{CommandGroup, number_of};
use crate::args::WatchArgs;
use crate::exit::Exit;
use crate::interrupt::{GLANCE, Interrupt};
use crate::output_file::Destination;
use crate::say::note;

/// A command that is asked to end has this time.
const PATIENCE: Duration = Duration::from_secs(5);

/// The command, and what its I/O has to show.
pub struct WatchGate<'a> {
    arguments: &'a WatchArgs,
    child: Option<Child>,
    ended: Option<ExitStatus>,
    /// Removed after the command has ended, which is in it.
    group: Option<CommandGroup>,
}

impl<'a> WatchGate<'a> {
    /// Makes what the command will need.
    ///
    /// # Errors
    /// No control group can be made.
    pub fn prepare(arguments: &'a WatchArgs) -> Result<Self> {
        if let Some(path) = &arguments.junit {
            Destination::report(Some(path), arguments.replace, &[]).check()?;
        }
        let group = match arguments.command.is_empty() {
            true => None,
            false => Some(CommandGroup::create()?),
        };
        Ok(Self {
            arguments,
            child: None,
            ended: None,
            group,
        })
    }

    /// The control group whose I/O is counted; `None`: all.
    ///
    /// # Errors
    /// It is none.
    pub fn only_group(&self) -> Result<Option<u64>> {
        match (&self.group, &self.arguments.cgroup) {
            (Some(group), _) => group.number().map(Some),
            (None, Some(folder)) => number_of(folder).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Whether the way without BPF will not do.
    pub fn needs_bpf(&self) -> bool {
        self.is_of_a_part() || !self.arguments.assert.is_empty()
    }

    /// Whether only a part of the I/O is counted: that of a command, of a control group, of files.
    pub fn is_of_a_part(&self) -> bool {
        let arguments = self.arguments;
        self.group.is_some() || arguments.cgroup.is_some() || !arguments.file.is_empty()
    }

    /// Whose I/O alone is counted, as a profile has it.
    pub fn only(&self) -> Vec<String> {
        let arguments = self.arguments;
        let words = arguments.command.iter();
        let command: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let command = (!command.is_empty()).then(|| format!("command {}", command.join(" ")));
        let group = arguments.cgroup.iter();
        let group = group.map(|folder| format!("control group {}", folder.display()));
        let files = arguments.file.iter();
        let files = files.map(|path| format!("file {}", path.display()));
        command.into_iter().chain(group).chain(files).collect()
    }

    /// Whether there is a command or an assertion: an end before theirs is none.
    pub fn judges(&self) -> bool {
        self.group.is_some() || !self.arguments.assert.is_empty()
    }

    /// Whether a command runs: the terminal is its own.
    pub const fn has_command(&self) -> bool {
        self.group.is_some()
    }

    /// Starts the command, now that its I/O is counted.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn begin(&mut self) -> Result<()> {
        if let Some(group) = &self.group {
            self.child = Some(group.start(&self.arguments.command)?);
        }
        Ok(())
    }

    /// Whether the command has ended.
    ///
    /// # Errors
    /// The kernel does not say.
    pub fn has_ended(&mut self) -> Result<bool> {
        if let (Some(child), None) = (&mut self.child, self.ended) {
            self.ended = child.try_wait().context("cannot wait for the command")?;
        }
        Ok(self.ended.is_some())
    }

    /// Waits for a time, or until the command ends; whether it was interrupted.
    ///
    /// # Errors
    /// The kernel does not say whether the command has ended.
    pub fn wait(&mut self, time: Duration, interrupt: &Interrupt) -> Result<bool> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if interrupt.wait(left.min(GLANCE)) {
                return Ok(true);
            }
            if left <= GLANCE || self.has_ended()? {
                return Ok(false);
            }
        }
    }

    /// Ends the command, if there is one that has not ended.
    pub fn end(&mut self) {
        let pid = self.child.as_ref().map(Child::id);
        let pid = pid.and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
        let (Some(pid), Ok(false)) = (pid, self.has_ended()) else {
            return;
        };
        let until = Instant::now() + PATIENCE;
        let _ = kill_process(pid, Signal::TERM);
        while matches!(self.has_ended(), Ok(false)) && Instant::now() < until {
            std::thread::sleep(GLANCE);
        }
        if let (Some(child), None) = (&mut self.child, self.ended) {
            let _ = child.kill();
            self.ended = child.wait().ok();
        }
    }

    /// Compares the assertions with a profile, and writes the JUnit file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn judge(&self, profile: &Profile) -> Result<Vec<AssertionOutcome>> {
        let all = self.arguments.assert.iter();
        let outcomes: Vec<_> = all.map(|one| one.judge(profile)).collect();
        if let Some(path) = &self.arguments.junit {
            let text = junit::assertions(&outcomes);
            let file = Destination::report(Some(path), self.arguments.replace, &[]);
            file.write(|out| out.write_all(text.as_bytes()))?;
        }
        Ok(outcomes)
    }

    /// The exit code: that of a command that failed, 1 when an assertion fails, 3 when one is not known.
    pub fn exit(&self, outcomes: &[AssertionOutcome]) -> Exit {
        if let Some(status) = self.ended.filter(|status| !status.success()) {
            note(format_args!("the command ended with {status}"));
            let code = status.code().or_else(|| Some(128 + status.signal()?));
            return Exit::Code(code.and_then(|code| code.try_into().ok()).unwrap_or(1));
        }
        let any = |wanted| outcomes.iter().any(|outcome| outcome.holds == wanted);
        match (any(Some(false)), any(None)) {
            (true, _) => Exit::Code(1),
            (false, true) => Exit::Code(3),
            (false, false) => Exit::Done,
        }
    }
}

impl Drop for WatchGate<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
