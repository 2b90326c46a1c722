//! Exit codes: what scripts rely on.

use std::fmt;

use clap::ValueEnum;
use ioalign_core::Severity;
use ioalign_report::nagios::Status;

/// How a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, and nothing to complain about.
    Done,
    /// `check`: a code that the exit mode gives for a verdict.
    Code(u8),
    /// The arguments make no sense.
    Usage,
    /// A target cannot be read, or contradicts its format.
    Unreadable,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Code(code) => code,
            Self::Usage => 64,
            Self::Unreadable => 65,
            Self::Interrupted => 130,
        }
    }
}

/// Which convention `check` follows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExitMode {
    /// 0 ok or notes, 1 misaligned or suboptimal, 2 broken or data-risk, 3 unknown
    #[default]
    Lint,
    /// 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN
    Nagios,
    /// node-problem-detector: 0 ok, 1 problem, 2 unknown
    Npd,
    /// The documented contract of that tool: 0 ok, 1 error, 2 below 64 KiB, 3 below 4 KiB
    VirtAlignmentScan,
}

/// The code for a verdict; `unreadable` when a target could not be read at all.
///
/// Monitoring hears of a real defect first: one unreadable device must not hide it.
pub fn code(mode: ExitMode, verdict: Severity, unreadable: bool) -> Exit {
    use Severity::{Broken, DataRisk, Misaligned, Suboptimal, Unknown};
    match mode {
        ExitMode::Lint if unreadable => return Exit::Unreadable,
        ExitMode::VirtAlignmentScan if unreadable => return Exit::Code(1),
        // The code must agree with the word of the status line.
        ExitMode::Nagios => return Exit::Code(Status::from_verdict(verdict, unreadable).code()),
        _ => {}
    }
    Exit::Code(match (mode, verdict) {
        (ExitMode::Npd, Broken | DataRisk | Misaligned | Suboptimal) => 1,
        (ExitMode::Npd, Unknown) => 2,
        (ExitMode::Npd, _) if unreadable => 2,
        (_, Broken | DataRisk) => 2,
        (_, Misaligned | Suboptimal) => 1,
        (_, Unknown) => 3,
        _ => 0,
    })
}

/// Arguments that parse and still make no sense together.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Ctrl-C, before there was anything to show.
#[derive(Debug)]
pub struct Stopped(pub String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Stopped {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_interface() {
        for (verdict, lint, npd) in [
            (Severity::Ok, 0, 0),
            (Severity::Note, 0, 0),
            (Severity::Suboptimal, 1, 1),
            (Severity::Misaligned, 1, 1),
            (Severity::DataRisk, 2, 1),
            (Severity::Broken, 2, 1),
            (Severity::Unknown, 3, 2),
        ] {
            assert_eq!(code(ExitMode::Lint, verdict, false), Exit::Code(lint));
            assert_eq!(code(ExitMode::Nagios, verdict, false), Exit::Code(lint));
            assert_eq!(code(ExitMode::Npd, verdict, false), Exit::Code(npd));
        }
        assert_eq!(code(ExitMode::Lint, Severity::Ok, true), Exit::Unreadable);
        for (mode, ok, bad) in [(ExitMode::Nagios, 3, 2), (ExitMode::Npd, 2, 1)] {
            assert_eq!(code(mode, Severity::Ok, true), Exit::Code(ok));
            assert_eq!(code(mode, Severity::Broken, true), Exit::Code(bad));
        }
    }
}
