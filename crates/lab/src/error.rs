//! Reasons for which an experiment has no result.

use std::fmt;

/// What went wrong, in one message for the person who started it.
#[derive(Debug)]
pub struct LabError {
    text: String,
    interrupted: bool,
}

/// The result of work for an experiment.
pub type Result<T, E = LabError> = std::result::Result<T, E>;

impl LabError {
    /// An error with this message.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            interrupted: false,
        }
    }

    /// Ctrl-C.
    pub fn interrupted() -> Self {
        Self {
            text: "interrupted: the guest was killed".to_owned(),
            interrupted: true,
        }
    }

    /// Whether the operator stopped it.
    pub const fn is_interrupted(&self) -> bool {
        self.interrupted
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for LabError {}

/// Puts what was tried before what went wrong.
pub trait Tried<T> {
    /// `what: error`, or `what` alone where there was nothing.
    fn tried(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> Tried<T> for std::result::Result<T, E> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| LabError::new(format!("{}: {error}", what())))
    }
}

impl<T> Tried<T> for Option<T> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T> {
        self.ok_or_else(|| LabError::new(what()))
    }
}
