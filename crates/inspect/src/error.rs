//! One error for all readers: a kind to match on, and where it happened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ioalign_core::Place;

/// What went wrong, for callers that act on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused or failed.
    Io,
    /// The bytes contradict the format.
    Malformed,
    /// The format is right, this variant of it is not handled.
    Unsupported,
    /// A count or size past the limit that keeps memory and time bounded.
    TooLarge,
    /// A link that leads back to itself: EBR chain, backing files.
    Loop,
    /// A path that leaves the folder of its image, without leave to follow it.
    Refused,
    /// A file that does not exist.
    NotFound,
    /// No permission.
    Permission,
}

/// An error with its place.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    offset: Option<u64>,
    field: Option<&'static str>,
    what: String,
    source: Option<io::Error>,
}

/// The result of a reader.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` with a sentence that says what.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            path: None,
            offset: None,
            field: None,
            what: what.into(),
            source: None,
        }
    }

    /// The bytes contradict the format.
    pub fn malformed(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, what)
    }

    /// A variant that is not handled.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, what)
    }

    /// Past a limit.
    pub fn too_large(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, what)
    }

    /// An operating-system error while doing `what`.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => ErrorKind::Permission,
            _ => ErrorKind::Io,
        };
        Self {
            source: Some(source),
            ..Self::new(kind, what)
        }
    }

    /// Names the file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Names the byte offset in the file.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// Names the field of the on-disk structure.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Self {
        self.field.get_or_insert(field);
        self
    }

    /// The sentence with its cause, on one line.
    pub fn full(&self) -> String {
        match &self.source {
            Some(cause) => format!("{self}: {cause}"),
            None => self.to_string(),
        }
    }

    /// The kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file, where known.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The byte offset, where known.
    pub const fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// File, offset and field, for a remark in its stead.
    pub fn place(&self) -> Place {
        Place {
            file: self.path.clone(),
            offset: self.offset,
            field: self.field,
        }
    }

    /// The defect, without the place.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The field, where known.
    pub const fn field_name(&self) -> Option<&'static str> {
        self.field
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.what)?;
        match (self.offset, self.field) {
            (Some(offset), Some(field)) => write!(f, " (field {field} at byte {offset})"),
            (Some(offset), None) => write!(f, " (at byte {offset})"),
            (None, Some(field)) => write!(f, " (field {field})"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
