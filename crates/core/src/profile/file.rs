//! I/O by file.

use serde::{Deserialize, Serialize};

use super::IoShare;

/// What a row is of.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// One file.
    File,
    /// Requests that have parts of several files.
    Several,
    /// No file, or one that is not known: metadata, journals, file systems that are not told apart.
    #[default]
    Unattributed,
    /// All files past the limit.
    Others,
}

/// The I/O of one file on one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProfile {
    /// What the row is of.
    pub what: FileKind,
    /// Its name at its first I/O, with the folders above it; `None` where it had none any more.
    pub path: Option<String>,
    /// Whether the path is whole: nothing is missing before it.
    pub is_whole: bool,
    /// The number of the file.
    pub inode: Option<u64>,
    /// The number of its file system's device, `major:minor`.
    pub file_system: Option<String>,
    /// Its I/O.
    #[serde(flatten)]
    pub io: IoShare,
}
