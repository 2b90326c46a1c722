//! How bad something is, and the verdict over many findings.

use serde::{Deserialize, Serialize};

/// How bad a finding is. Ordered: a later variant is worse.
#[derive(
    Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nothing was recognised, so nothing is claimed. Not a degree of badness: see [`verdict`].
    Unknown,
    /// On every grid.
    #[default]
    Ok,
    /// Worth knowing, costs data nothing.
    Note,
    /// Off a grid that makes I/O dearer.
    Suboptimal,
    /// Off a grid that makes writes read-modify-write.
    Misaligned,
    /// A crash or a torn write can lose data.
    DataRisk,
    /// Does not boot, mount, join or read.
    Broken,
}

impl Severity {
    /// The kebab-case word of the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Suboptimal => "suboptimal",
            Self::Misaligned => "misaligned",
            Self::DataRisk => "data-risk",
            Self::Broken => "broken",
        }
    }

    /// One step milder, never below a note: for roles whose loss is small.
    #[must_use]
    pub const fn lowered(self) -> Self {
        match self {
            Self::Broken => Self::DataRisk,
            Self::DataRisk => Self::Misaligned,
            Self::Misaligned => Self::Suboptimal,
            Self::Suboptimal | Self::Note => Self::Note,
            other => other,
        }
    }
}

/// The verdict of a set of findings: the worst, where a note does not spoil an `ok`, and
/// where `unknown` outranks `ok` but no real defect.
pub fn verdict(findings: impl IntoIterator<Item = Severity>) -> Severity {
    let mut worst = Severity::Ok;
    let mut unknown = false;
    for severity in findings {
        match severity {
            Severity::Unknown => unknown = true,
            Severity::Note => {}
            other => worst = worst.max(other),
        }
    }
    if unknown && worst == Severity::Ok {
        Severity::Unknown
    } else {
        worst
    }
}
