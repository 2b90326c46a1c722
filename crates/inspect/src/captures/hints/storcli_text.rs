//! `storcli /cX/vall show all` and perccli as text: drives in tables, strips as `key = value`.

use std::collections::BTreeMap;

use super::raid::{LogicalDrive, strip};
use crate::captures::reading::leading;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;

/// `storcli /cx/vall show all`.
pub const FORMAT: TextFormat = TextFormat {
    name: "storcli",
    command: "storcli /cx/vall show all",
    sniff: |text| {
        text.any(|line| properties(line).is_some())
            && text.any(|line| line.trim_start().starts_with("Strip Size ="))
    },
    read,
};

/// Rows of drives that are kept.
const MOST_ROWS: usize = 4096;

/// `VD1 Properties :`.
fn properties(line: &str) -> Option<u32> {
    let rest = line.trim().strip_prefix("VD")?;
    let (number, rest) = rest.split_once(' ')?;
    rest.trim_start()
        .starts_with("Properties")
        .then(|| number.parse().ok())?
}

/// Number and level of `0/1   RAID5 Optl  RW …`.
fn row(line: &str) -> Option<(u32, &str)> {
    let mut words = line.split_whitespace();
    let (_, number) = words.next()?.split_once('/')?;
    let level = words.next().filter(|word| word.starts_with("RAID"))?;
    Some((number.parse().ok()?, level))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut levels: BTreeMap<u32, &str> = BTreeMap::new();
    let mut open: Option<LogicalDrive> = None;
    for line in text.lines() {
        if let Some((number, level)) = row(line).filter(|_| levels.len() < MOST_ROWS) {
            levels.insert(number, level);
        } else if let Some(number) = properties(line) {
            close(open.take(), evidence);
            open = Some(LogicalDrive {
                name: format!("vd{number}"),
                level: levels.remove(&number).unwrap_or_default().to_owned(),
                ..LogicalDrive::default()
            });
        } else if let (Some(drive), Some((key, value))) = (&mut open, line.split_once(" = ")) {
            take(drive, key.trim(), value.trim());
        }
    }
    close(open, evidence);
    Ok(())
}

fn take(drive: &mut LogicalDrive, key: &str, value: &str) {
    let count = || leading(value).and_then(|number| u32::try_from(number).ok());
    match key {
        "Strip Size" => drive.strip = strip(value),
        "Span Depth" => drive.spans = count(),
        "Number of Drives Per Span" => drive.drives = count(),
        "VD has Emulated PD" => drive.emulated = Some(value == "Yes"),
        "OS Drive Name" if value.starts_with("/dev/") => value.clone_into(&mut drive.name),
        _ => {}
    }
}

fn close(drive: Option<LogicalDrive>, evidence: &mut TextEvidence) {
    if let Some(drive) = drive {
        drive.add("storcli", evidence);
    }
}
