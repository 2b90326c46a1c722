//! Finished cells, kept in a file so that an interrupted run goes on where it ended.
//!
//! A cell is kept under the hash of all that it depends on: the calls in the guest, the kernel, the program. Another
//! experiment, or another build, finds nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ioalign_core::lab_document::LabCell;
use serde::{Deserialize, Serialize};

use crate::error::{Result, Tried};
use crate::result::CheckRecord;

/// What is done.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LabState {
    #[serde(skip)]
    path: PathBuf,
    cells: BTreeMap<String, LabCell>,
    checks: BTreeMap<String, CheckRecord>,
}

impl LabState {
    /// That of an experiment; empty where the file is missing or of another version. `fresh`: empty.
    pub fn open(cache: &Path, name: &str, fresh: bool) -> Self {
        let path = cache.join("state").join(format!("{name}.json"));
        let text = fs::read_to_string(&path).ok().filter(|_| !fresh);
        let found = text.and_then(|text| serde_json::from_str(&text).ok());
        let mut state: Self = found.unwrap_or_default();
        state.path = path;
        state
    }

    /// The numbers of a cell.
    pub fn cell(&self, key: &str) -> Option<&LabCell> {
        self.cells.get(key)
    }

    /// What was said of an arm.
    pub fn check(&self, key: &str) -> Option<&CheckRecord> {
        self.checks.get(key)
    }

    /// Keeps a cell.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn keep_cell(&mut self, key: &str, cell: LabCell) -> Result<()> {
        self.cells.insert(key.to_owned(), cell);
        self.write()
    }

    /// Keeps a check.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn keep_check(&mut self, key: &str, record: CheckRecord) -> Result<()> {
        self.checks.insert(key.to_owned(), record);
        self.write()
    }

    /// A reader of the file sees the old state or the new one.
    fn write(&self) -> Result<()> {
        let what = || format!("cannot write {}", self.path.display());
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).tried(what)?;
        }
        let text = serde_json::to_vec(self).tried(what)?;
        let part = self
            .path
            .with_extension(format!("{}.part", std::process::id()));
        fs::write(&part, text).tried(what)?;
        fs::rename(&part, &self.path).tried(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_cells_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = LabState::open(folder.path(), "one", false);
        let record = LabCell {
            iops: 597.7,
            ..LabCell::default()
        };
        state.keep_cell("key", record.clone()).unwrap();
        state.keep_check("arm", CheckRecord::default()).unwrap();
        let again = LabState::open(folder.path(), "one", false);
        assert_eq!(again.cell("key"), Some(&record));
        assert!(again.check("arm").is_some());
        assert_eq!(again.cell("other"), None);
        assert_eq!(LabState::open(folder.path(), "one", true).cell("key"), None);
        fs::write(folder.path().join("state/one.json"), "{\"cells\":").unwrap();
        assert_eq!(
            LabState::open(folder.path(), "one", false).cell("key"),
            None
        );
    }
}
