//! What can go wrong, by what the caller does about it.

use std::fmt;

/// The result of everything here.
pub type FleetResult<T> = Result<T, FleetError>;

/// An error, by its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetError {
    /// The store cannot be reached or is full: the same may work later.
    Unavailable(String),
    /// The sender's fault: it would fail again.
    Refused(String),
    /// The store is not one of ours, or of a newer version.
    Foreign(String),
    /// A file cannot be read or written.
    File(String),
}

impl FleetError {
    /// A file that cannot be read or written.
    pub(crate) fn file(path: &std::path::Path, what: &str, error: &std::io::Error) -> Self {
        Self::File(format!("{}: {what}: {error}", path.display()))
    }

    /// Whether it is worth trying again.
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(what) => write!(f, "the store is not available: {what}"),
            Self::Refused(what) | Self::Foreign(what) | Self::File(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for FleetError {}
