//! `parted -m`: `BYT;`, `CHS;` or `CYL;`, a line for the disk, a line a partition, fields by `:`.

use super::super::{Text, TextEvidence, TextFormat};
use super::parted::value::{PartedScale, geometry};
use super::parted::{WHOLE_DISK, fill_disk, filling, kind, role, start_of};
use super::{claims, disk, names, partition, roles, sector, sizes};
use crate::error::Result;

/// `parted -m`.
pub const FORMAT: TextFormat = TextFormat {
    name: "parted-machine",
    command: "parted -m",
    sniff: |text| text.any(is_start),
    read,
};

fn is_start(line: &str) -> bool {
    matches!(line.trim(), "BYT;" | "CHS;" | "CYL;")
}

/// The disk whose lines follow.
#[derive(Default)]
struct PartedDisk {
    name: String,
    table: String,
    scale: PartedScale,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    // `None`: not in an output; an empty name: the line of the disk comes next.
    let mut disk: Option<PartedDisk> = None;
    for line in text.lines().map(str::trim) {
        if is_start(line) {
            disk = Some(PartedDisk::default());
        } else if let Some(body) = line.strip_suffix(';') {
            let fields = fields(body);
            disk = disk.and_then(|disk| disk.take(&fields, evidence));
        } else if !line.is_empty() {
            disk = None;
        }
    }
    Ok(())
}

/// Fields between colons; a colon inside a field has a backslash (parted 3.5).
fn fields(body: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        let field = match c {
            ':' => {
                found.push(String::new());
                continue;
            }
            '\\' => chars.next(),
            c => Some(c),
        };
        if let Some(last) = found.last_mut() {
            last.extend(field);
        }
    }
    found
}

impl PartedDisk {
    fn take(mut self, fields: &[String], evidence: &mut TextEvidence) -> Option<Self> {
        if self.name.is_empty() {
            return Self::start(fields, evidence);
        }
        let first = fields.first()?;
        let number = sizes::whole(first)?;
        if fields.len() == 4 && sizes::whole(fields.get(1)?).is_some() {
            let places = fields.get(..3)?.join(",");
            self.scale.geometry = geometry(&format!(": {places}"));
            return Some(self);
        }
        let free = fields.get(4).is_some_and(|kind| kind == "free");
        if self.table == WHOLE_DISK {
            fill_disk(evidence, fields.get(4).and_then(|name| filling(name)));
        } else if !free {
            self.partition(number, fields, evidence);
        }
        Some(self)
    }

    /// `/dev/sda:1953525168s:scsi:512:4096:gpt:ATA WDC:;`
    fn start(fields: &[String], evidence: &mut TextEvidence) -> Option<Self> {
        let [name, size, driver, logical, physical, table, ..] = fields else {
            return None;
        };
        let (logical, physical) = (sizes::whole(logical)?, sizes::whole(physical)?);
        let new = Self {
            name: name.clone(),
            table: table.clone(),
            scale: PartedScale {
                sector: sector(logical),
                geometry: None,
            },
        };
        let said = disk(evidence, name);
        said.kind = kind(driver).or(said.kind);
        said.size = start_of(&new.scale, size);
        said.table = roles::table(table);
        said.sector = new.scale.sector;
        if driver != "file" {
            said.claims = Some(crate::host::hints::Claims {
                logical: Some(logical),
                physical: Some(physical),
                model: fields.get(6).cloned().unwrap_or_default(),
                ..claims(name)
            });
        }
        Some(new)
    }

    /// `1:2048s:1050623s:1048576s:fat32:EFI:boot, esp;`
    fn partition(&self, number: u64, fields: &[String], evidence: &mut TextEvidence) {
        let said = partition(evidence, &self.name, &names::join(&self.name, number));
        said.number = u32::try_from(number).ok();
        said.sector = self.scale.sector;
        let field = |index: usize| fields.get(index).map(String::as_str).unwrap_or_default();
        said.start = start_of(&self.scale, field(1));
        said.size = self.scale.value(field(3));
        let words = field(4)
            .split_whitespace()
            .chain(field(6).split_whitespace());
        said.role = role(&self.table, words);
    }
}
