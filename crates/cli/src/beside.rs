//! Files that get their name when they are whole.

use std::path::{Path, PathBuf};

/// Where one is until then: in the same folder, so that it can be renamed, and under a name that no other run has.
pub fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
