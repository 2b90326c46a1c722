//! `udevadm info`: what udev knows of a partition, in 512-byte units.

use ioalign_core::SectorSize;
use ioalign_core::layer::Kind;

use super::super::reading::subject::Subject;
use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{names, roles, sizes};
use crate::error::Result;

/// `udevadm info`.
pub const FORMAT: TextFormat = TextFormat {
    name: "udevadm",
    command: "udevadm info",
    sniff: |text| text.any(|line| property(line).is_some_and(|(key, _)| OURS.contains(&key))),
    read,
};

/// Properties without which a device of the dump is none of ours.
const OURS: &[&str] = &["ID_PART_ENTRY_OFFSET", "ID_PART_TABLE_TYPE"];

/// `E: ID_PART_ENTRY_OFFSET=2048`, or the same without the letter.
fn property(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (key, value) = line.strip_prefix("E: ").unwrap_or(line).split_once('=')?;
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (!key.is_empty() && key.chars().all(upper)).then_some((key, value))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["udevadm", "blkid"]);
    let mut device: Vec<(&str, &str)> = Vec::new();
    let mut command = String::new();
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with("P: ") || subject.see(line) {
            tell(&device, &command, evidence);
            device.clear();
            command = subject.take();
        } else if let Some(pair) = property(line) {
            // `--query=property` of several devices has no lines between them: their keys come again.
            if device.iter().any(|(key, _)| *key == pair.0) {
                tell(&device, &command, evidence);
                device.clear();
            }
            device.push(pair);
        }
    }
    tell(&device, &command, evidence);
    Ok(())
}

/// Adds a device. What `grep` has left may not name it: then the command line does.
pub(super) fn tell(device: &[(&str, &str)], command: &str, evidence: &mut TextEvidence) {
    let get = |key: &str| {
        device
            .iter()
            .find(|(own, _)| *own == key)
            .map(|(_, value)| *value)
    };
    let number = |key: &str| get(key).and_then(sizes::whole);
    let units = |key: &str| number(key).and_then(|n| Number::sectors(n, SectorSize::S512));
    let command =
        Some(command).filter(|name| names::kind(name.trim_start_matches("/dev/")).is_some());
    let Some(name) = get("DEVNAME")
        .or(command)
        .filter(|_| OURS.iter().any(|key| get(key).is_some()))
    else {
        return;
    };
    let said = evidence.device(name);
    said.kind = names::kind(&said.name);
    if let Some(start) = units("ID_PART_ENTRY_OFFSET") {
        said.kind = Some(Kind::Partition);
        let parent = names::split(&said.name).map(|(disk, _)| disk.to_owned());
        said.parents.extend(parent);
        said.start = Some(start);
        said.size = units("ID_PART_ENTRY_SIZE");
        said.number = number("ID_PART_ENTRY_NUMBER").and_then(|n| u32::try_from(n).ok());
        said.type_id = get("ID_PART_ENTRY_TYPE").map(str::to_owned);
        said.role = said.type_id.as_deref().and_then(roles::of);
    } else {
        said.table = get("ID_PART_TABLE_TYPE").and_then(roles::table);
        said.model = get("ID_MODEL").map(str::to_owned);
    }
}
