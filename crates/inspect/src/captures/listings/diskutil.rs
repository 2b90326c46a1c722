//! macOS `diskutil info`: bytes, with the same in sectors in brackets.

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{sector, sizes};
use crate::error::Result;

/// `diskutil info`.
pub const FORMAT: TextFormat = TextFormat {
    name: "diskutil",
    command: "diskutil info",
    sniff: |text| text.any(|line| value(line, "Device Identifier").is_some()),
    read,
};

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (own, value) = line.split_once(':')?;
    (own.trim() == key).then(|| value.trim())
}

/// `500.1 GB (500068036608 Bytes) (exactly …)`, or `209735680 Bytes (…)`.
fn bytes(value: &str) -> Option<u64> {
    let (before, _) = value.split_once(" Bytes")?;
    sizes::whole(before.rsplit(['(', ' ']).next()?)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open = false;
    for line in text.lines() {
        if let Some(name) = value(line, "Device Identifier") {
            evidence.device(name).kind = Some(Kind::Disk);
            open = true;
        } else if let Some(said) = evidence.devices.last_mut().filter(|_| open) {
            take(said, line);
        }
    }
    Ok(())
}

fn take(said: &mut super::Said, line: &str) {
    if let Some(disk) = value(line, "Part of Whole").filter(|disk| *disk != said.name) {
        said.kind = Some(Kind::Partition);
        said.parents = vec![disk.to_owned()];
        said.number = super::names::split(&said.name).map(|(_, number)| number);
    } else if let Some(start) = value(line, "Partition Offset").and_then(bytes) {
        said.start = Some(Number::exact(start));
    } else if let Some(size) = value(line, "Disk Size").or_else(|| value(line, "Total Size")) {
        said.size = bytes(size).map(Number::exact);
    } else if let Some(size) = value(line, "Device Block Size") {
        said.sector = bytes(size).and_then(sector);
    } else if let Some(kind) = value(line, "Partition Type") {
        said.role = super::roles::words(kind);
        said.type_id = Some(kind.to_owned());
    }
}
