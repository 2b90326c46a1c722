//! Why a device has no bytes to read.

use std::fmt;

use rustix::io::Errno;

use crate::error::Error;

/// The system's words for [`Errno::NOMEDIUM`], as captured trees hold them.
const NO_MEDIUM: &str = "No medium found";
/// Those for a tree of which another one was captured.
const NOT_COPIED: &str = "the captured tree has no copy of its first bytes";

/// Why a device has no bytes to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBytes {
    /// The captured tree has none of it.
    NotCopied,
    /// It is an empty optical drive or card reader.
    NoMedium(String),
    /// It may hold anything: no permission, no node, a defect.
    Failed(String),
}

impl NoBytes {
    /// As a captured tree says it.
    pub(super) fn recorded(why: String) -> Self {
        match why.as_str() {
            NOT_COPIED => Self::NotCopied,
            words if words.contains(NO_MEDIUM) => Self::NoMedium(why),
            _ => Self::Failed(why),
        }
    }

    /// Whether there is nothing to read, so that nothing was missed.
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::NotCopied | Self::NoMedium(_))
    }
}

impl From<Errno> for NoBytes {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOMEDIUM => Self::NoMedium(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<&Error> for NoBytes {
    fn from(error: &Error) -> Self {
        let source = std::error::Error::source(error);
        let cause = source.and_then(|source| source.downcast_ref::<std::io::Error>());
        let code = cause.and_then(std::io::Error::raw_os_error);
        match code == Some(Errno::NOMEDIUM.raw_os_error()) {
            true => Self::NoMedium(error.full()),
            false => Self::Failed(error.full()),
        }
    }
}

impl fmt::Display for NoBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCopied => f.write_str(NOT_COPIED),
            Self::NoMedium(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}
