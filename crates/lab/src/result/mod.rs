//! What comes back from a guest: lines of its console, one cell after the other.

mod cell;
mod checked;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Result, Tried};
pub use cell::CellRecord;
pub use checked::CheckRecord;

/// The parts of a cell or a check, until it is done.
#[derive(Clone, Debug, Default)]
pub struct GuestParts {
    documents: BTreeMap<String, Value>,
    before: Vec<DiskCount>,
    after: Vec<DiskCount>,
}

/// Counters of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskCount {
    /// Its name.
    pub name: String,
    /// Reads that were completed.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

impl GuestParts {
    /// A document by its name.
    fn document(&self, name: &str) -> Option<&Value> {
        self.documents.get(name)
    }
}

/// Sorts the lines of a console by their keys.
#[derive(Debug, Default)]
pub struct GuestReader {
    open: BTreeMap<String, GuestParts>,
    /// Why the script says that it failed.
    pub failed: Option<String>,
}

impl GuestReader {
    /// Takes a line; gives the parts of what is done with it.
    ///
    /// # Errors
    ///
    /// A result that is damaged.
    pub fn line(&mut self, line: &str) -> Result<Option<(String, GuestParts)>> {
        let Some(line) = line.strip_prefix("@@") else {
            return Ok(None);
        };
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (key, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match kind {
            "failed" => self.failed = Some(format!("{key} {rest}").trim().to_owned()),
            "done" => return Ok(self.open.remove(key).map(|parts| (key.to_owned(), parts))),
            "json" => {
                let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let document = serde_json::from_str(text)
                    .tried(|| format!("the guest sent a damaged document `{name}`"))?;
                let parts = self.open.entry(key.to_owned()).or_default();
                parts.documents.insert(name.to_owned(), document);
            }
            "disk" => {
                let parts = self.open.entry(key.to_owned()).or_default();
                let (when, count) = rest.split_once(' ').unwrap_or((rest, ""));
                let count =
                    disk(count).tried(|| format!("the guest sent damaged counters: {rest}"))?;
                match when {
                    "before" => parts.before.push(count),
                    _ => parts.after.push(count),
                }
            }
            _ => {}
        }
        Ok(None)
    }
}

/// `nullb0 READS SECTORS WRITES SECTORS`
fn disk(text: &str) -> Option<DiskCount> {
    let mut words = text.split_whitespace();
    let name = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    let (reads, _, writes): (u64, u64, u64) = (number()?, number()?, number()?);
    Some(DiskCount {
        name,
        reads,
        writes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_cells() {
        let mut reader = GuestReader::default();
        let lines = [
            "noise",
            "@@json c1 load {\"iops\": 600.5}",
            "@@disk c1 before nullb0 1 8 2 16",
            "@@disk c1 after nullb0 11 88 22 96",
        ];
        for line in lines {
            assert!(reader.line(line).unwrap().is_none());
        }
        let (key, parts) = reader.line("@@done c1").unwrap().unwrap();
        assert_eq!(key, "c1");
        assert_eq!(parts.document("load").unwrap()["iops"], 600.5);
        assert_eq!((parts.before[0].reads, parts.after[0].writes), (1, 22));
        assert!(reader.line("@@json c2 load {\"iops\":").is_err());
        assert!(reader.line("@@disk c2 before nullb0 x").is_err());
        reader.line("@@failed there is no /dev/md0").unwrap();
        assert_eq!(reader.failed.as_deref(), Some("there is no /dev/md0"));
    }
}
