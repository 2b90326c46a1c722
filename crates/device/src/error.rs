//! Reasons to stop a measurement.

use std::fmt;
use std::io;
use std::path::Path;

/// For callers that act on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused or failed.
    Io,
    /// The target is mounted, held or open elsewhere.
    InUse,
    /// The target holds something, or may not be written.
    Refused,
    /// The target, or this system, cannot do what was asked: a block size, an offset, a flag.
    Unsupported,
    /// The device is gone, or failed while it was in use.
    Device,
    /// Stopped by the operator.
    Interrupted,
}

/// An error with the target it is about, and what to do next.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    what: String,
    target: Option<String>,
    source: Option<io::Error>,
    advice: Option<String>,
}

/// The result of work on a target.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a sentence that says what.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            target: None,
            source: None,
            advice: None,
        }
    }

    /// The operating system failed while doing `what`.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..Self::new(ErrorKind::Io, what)
        }
    }

    /// This system does not do what was asked for.
    pub fn unsupported(what: impl Into<String>, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..Self::new(ErrorKind::Unsupported, what)
        }
    }

    /// The device failed while it was in use.
    pub fn device(what: impl Into<String>, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..Self::new(ErrorKind::Device, what)
        }
    }

    /// Names the target.
    #[must_use]
    pub fn of_target(mut self, path: &Path) -> Self {
        self.target
            .get_or_insert_with(|| path.display().to_string());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice.get_or_insert_with(|| advice.into());
        self
    }

    /// Its kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The error of the operating system, if there was one.
    pub const fn os(&self) -> Option<&io::Error> {
        self.source.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(target) = &self.target {
            write!(f, "{target}: ")?;
        }
        f.write_str(&self.what)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
