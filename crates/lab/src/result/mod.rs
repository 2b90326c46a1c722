//! What comes back from a guest: lines of its console, one cell after the other.

mod cell;
mod checked;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Result, Tried};
pub use cell::measured;
pub use checked::CheckRecord;

/// The parts of a cell or a check, until it is done.
#[derive(Clone, Debug, Default)]
pub struct GuestParts {
    documents: BTreeMap<String, Value>,
    before: Vec<DiskCount>,
    after: Vec<DiskCount>,
    waits: Option<DeviceWaits>,
}

/// What a device did meanwhile, and how long it took, as iostat has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceWaits {
    /// Its name.
    pub device: String,
    /// Reads and writes.
    pub ios: [u64; 2],
    /// Milliseconds of both.
    pub ms: [u64; 2],
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
            "iostat" => {
                let damaged = || format!("the guest sent damaged counters: {rest}");
                let found = waits(rest).tried(damaged)?;
                self.open.entry(key.to_owned()).or_default().waits = Some(found);
            }
            _ => {}
        }
        Ok(None)
    }
}

/// `md0 READS WRITES READ_MS WRITE_MS` before, and the four numbers after.
fn waits(text: &str) -> Option<DeviceWaits> {
    let mut words = text.split_whitespace();
    let device = words.next()?.to_owned();
    let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    let numbers: [u64; 8] = numbers?.try_into().ok()?;
    let [r0, w0, rms0, wms0, r1, w1, rms1, wms1] = numbers;
    Some(DeviceWaits {
        device,
        ios: [r1.checked_sub(r0)?, w1.checked_sub(w0)?],
        ms: [rms1.checked_sub(rms0)?, wms1.checked_sub(wms0)?],
    })
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
            "@@iostat c1 md0 1 2 3 4 11 22 33 44",
        ];
        for line in lines {
            assert!(reader.line(line).unwrap().is_none());
        }
        let (key, parts) = reader.line("@@done c1").unwrap().unwrap();
        assert_eq!(key, "c1");
        assert_eq!(parts.document("load").unwrap()["iops"], 600.5);
        assert_eq!((parts.before[0].reads, parts.after[0].writes), (1, 22));
        let waits = parts.waits.unwrap();
        assert_eq!((waits.ios, waits.ms), ([10, 20], [30, 40]));
        assert!(reader.line("@@iostat c2 md0 1 2 3 4 0 0 0 0").is_err());
        assert!(reader.line("@@json c2 load {\"iops\":").is_err());
        assert!(reader.line("@@disk c2 before nullb0 x").is_err());
        reader.line("@@failed there is no /dev/md0").unwrap();
        assert_eq!(reader.failed.as_deref(), Some("there is no /dev/md0"));
    }
}
