//! PowerShell `Get-Partition`, as table or list, and what `Get-Disk | fl` adds: bytes.

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, roles, sizes};
use crate::error::Result;

/// `Get-Partition`.
pub const FORMAT: TextFormat = TextFormat {
    name: "get-partition",
    command: "Get-Partition",
    sniff: |text| text.any(|line| is_header(line) || is_ours(line)),
    read,
};

fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("PartitionNumber") && words.any(|word| word == "Offset")
}

fn is_ours(line: &str) -> bool {
    let key = line.split_once(" :").map_or("", |(key, _)| key.trim());
    matches!(
        key,
        "PartitionNumber" | "PhysicalSectorSize" | "LogicalSectorSize"
    )
}

/// An object as `Format-List` prints it.
#[derive(Default)]
struct Object {
    pairs: Vec<(String, String)>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut object = Object::default();
    let mut disk = "PhysicalDrive".to_owned();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if is_header(line) {
            open = true;
        } else if let Some((_, path)) = line.split_once("DiskPath:") {
            path.trim().clone_into(&mut disk);
            open = false;
        } else if open && row(line, &disk, evidence).is_some() {
        } else if let Some((key, value)) = line.split_once(" :") {
            object.take(key.trim(), value.trim(), evidence);
        } else if line.is_empty() {
            object.tell(evidence);
        }
    }
    object.tell(evidence);
    Ok(())
}

/// `1  C  1048576  499 MB Recovery`; the letter may be missing.
fn row(line: &str, disk: &str, evidence: &mut TextEvidence) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = sizes::whole(words.first()?)?;
    let lettered = words.get(1)?.chars().all(|c| c.is_ascii_alphabetic());
    let rest = words.get(if lettered { 2 } else { 1 }..)?;
    let start = sizes::whole(rest.first()?)?;
    let size = rest
        .get(1..3)
        .and_then(|size| sizes::windows(size.first()?, size.get(1)?));
    let said = partition(evidence, disk, &format!("{disk} partition {number}"));
    said.number = u32::try_from(number).ok();
    said.start = Some(Number::exact(start));
    said.size = size;
    let kind = rest.get(3).copied().unwrap_or_default();
    said.role = roles::words(kind).or_else(|| super::wmic::windows(kind));
    said.type_id = (!kind.is_empty()).then(|| kind.to_owned());
    Some(())
}

impl Object {
    fn take(&mut self, key: &str, value: &str, evidence: &mut TextEvidence) {
        if self.get(key).is_some() {
            self.tell(evidence);
        }
        if self.pairs.len() < 256 {
            self.pairs.push((key.to_owned(), value.to_owned()));
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        let mut pairs = self.pairs.iter();
        pairs
            .find(|(own, _)| own == key)
            .map(|(_, value)| value.as_str())
    }

    fn number(&self, key: &str) -> Option<u64> {
        sizes::whole(self.get(key)?)
    }

    fn tell(&mut self, evidence: &mut TextEvidence) {
        if let (Some(start), Some(number)) = (self.number("Offset"), self.number("PartitionNumber"))
        {
            self.partition(start, number, evidence);
        } else if self.get("LogicalSectorSize").is_some()
            || self.get("PhysicalSectorSize").is_some()
        {
            self.disk(evidence);
        }
        self.pairs.clear();
    }

    fn partition(&self, start: u64, number: u64, evidence: &mut TextEvidence) {
        let disk = self.number("DiskNumber");
        let text = disk.map(|disk| disk.to_string()).unwrap_or_default();
        let name = format!("Harddisk{text}Partition{number}");
        let said = partition(evidence, &format!("PhysicalDrive{text}"), &name);
        said.number = u32::try_from(number).ok();
        said.start = Some(Number::exact(start));
        said.size = self.number("Size").map(Number::exact);
        let guid = self.get("GptType").filter(|guid| !guid.is_empty());
        let byte = self.number("MbrType").map(|byte| format!("{byte:02x}"));
        said.type_id = guid.map(str::to_owned).or(byte);
        said.role = said.type_id.as_deref().and_then(roles::of);
        let letter = self.get("DriveLetter").filter(|letter| letter.len() == 1);
        said.mounted = letter.map(|letter| format!("{letter}:"));
    }

    fn disk(&self, evidence: &mut TextEvidence) {
        let number = ["DiskNumber", "Number", "DeviceId", "DeviceID"]
            .iter()
            .find_map(|key| self.number(key));
        let text = number.map(|number| number.to_string()).unwrap_or_default();
        let said = evidence.device(&format!("PhysicalDrive{text}"));
        said.kind = Some(Kind::Disk);
        said.size = self.number("Size").map(Number::exact);
        said.claims = Some(crate::host::hints::Claims {
            logical: self.number("LogicalSectorSize"),
            physical: self.number("PhysicalSectorSize"),
            model: ["Model", "FriendlyName"]
                .iter()
                .find_map(|key| self.get(key))
                .unwrap_or_default()
                .to_owned(),
            ..Default::default()
        });
        said.sector = self.number("LogicalSectorSize").and_then(super::sector);
    }
}
