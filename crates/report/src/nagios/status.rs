//! The four states of a service check.

use ioalign_core::Severity;

use crate::model::Report;

/// The state of a service, by the guidelines' exit codes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing to complain about.
    Ok,
    /// Misaligned or suboptimal.
    Warning,
    /// Broken, or data at risk.
    Critical,
    /// Not known, or not readable.
    Unknown,
}

impl Status {
    /// The state of a whole report.
    pub fn of(report: &Report) -> Self {
        Self::from_verdict(report.counted(), report.errors() > 0)
    }

    /// A real defect outranks what could not be read: else one bad cable would hide it.
    pub const fn from_verdict(verdict: Severity, unreadable: bool) -> Self {
        match verdict {
            Severity::Broken | Severity::DataRisk => Self::Critical,
            Severity::Misaligned | Severity::Suboptimal => Self::Warning,
            Severity::Unknown => Self::Unknown,
            Severity::Ok | Severity::Note if unreadable => Self::Unknown,
            Severity::Ok | Severity::Note => Self::Ok,
        }
    }

    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Warning => 1,
            Self::Critical => 2,
            Self::Unknown => 3,
        }
    }

    /// The word of the status line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }
}
