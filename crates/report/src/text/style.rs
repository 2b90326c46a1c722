//! How a piece of text looks.

use ioalign_core::Severity;

/// How a piece of text looks; colour is never the only sign.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Strong,
    Dim,
    Good,
    Info,
    Warn,
    Bad,
    Worst,
    Odd,
}

impl Style {
    /// The colour of a severity.
    pub const fn of(severity: Severity) -> Self {
        match severity {
            Severity::Unknown => Self::Odd,
            Severity::Ok => Self::Good,
            Severity::Note => Self::Info,
            Severity::Suboptimal => Self::Warn,
            Severity::Misaligned => Self::Bad,
            Severity::DataRisk | Severity::Broken => Self::Worst,
        }
    }

    /// The parameters of the ANSI `SGR` sequence; the 16 colours that every theme defines.
    pub(super) const fn sgr(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Dim => Some("2"),
            Self::Good => Some("32"),
            Self::Info => Some("36"),
            Self::Warn => Some("33"),
            Self::Bad => Some("31"),
            Self::Worst => Some("1;31"),
            Self::Odd => Some("35"),
        }
    }
}
