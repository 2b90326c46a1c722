//! Reasons to stop reading a trace. A row that does not parse is only counted.

use std::fmt;
use std::io;
use std::path::Path;

/// For callers that act on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObserveErrorKind {
    /// The operating system refused or failed.
    Io,
    /// No known format, or bytes that contradict the one named.
    Malformed,
    /// A known format, not readable here.
    Unsupported,
    /// The format is ambiguous and the operator has to say more.
    Ask,
    /// Stopped by the operator.
    Interrupted,
}

/// An error with the file it is about.
#[derive(Debug)]
pub struct ObserveError {
    kind: ObserveErrorKind,
    what: String,
    file: Option<String>,
    source: Option<io::Error>,
}

/// The result of reading.
pub type Result<T, E = ObserveError> = std::result::Result<T, E>;

impl ObserveError {
    /// An error with a sentence that says what.
    pub fn new(kind: ObserveErrorKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            file: None,
            source: None,
        }
    }

    /// The operating system failed while doing `what`.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..Self::new(ObserveErrorKind::Io, what)
        }
    }

    /// Names the file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.file.get_or_insert_with(|| path.display().to_string());
        self
    }

    /// The error of the operating system.
    pub fn os(&self) -> Option<io::ErrorKind> {
        self.source.as_ref().map(io::Error::kind)
    }

    /// Its kind.
    pub const fn kind(&self) -> ObserveErrorKind {
        self.kind
    }
}

impl fmt::Display for ObserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        f.write_str(&self.what)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ObserveError {}
