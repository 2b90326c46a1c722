//! `sfdisk -d`: a header of `key: value` lines and a line a partition.
//!
//! Numbers are logical sectors of the disk (`unit: sectors`); util-linux 2.35 prints their size
//! (`sector-size:`). Before that, the first usable sector of a GPT shows it: the 128 entries end at
//! sector 34 of 512 bytes or 6 of 4096.

use ioalign_core::{SectorSize, TableKind};

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, disk, names, partition, roles, sector, sectors, sizes};
use crate::error::Result;

/// `sfdisk -d`.
pub const FORMAT: TextFormat = TextFormat {
    name: "sfdisk-dump",
    command: "sfdisk -d",
    sniff: |text| text.any(|line| SfdiskEntry::parse(line).is_some()),
    read,
};

/// What the lines before the partitions say.
#[derive(Default)]
struct SfdiskHead {
    disk: String,
    table: Option<TableKind>,
    sector: Option<SectorSize>,
    stated: bool,
    entries: u64,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut head = SfdiskHead::default();
    for line in text.lines().map(str::trim) {
        if let Some(entry) = SfdiskEntry::parse(line) {
            head.tell(&entry, evidence);
            entry.tell(&head, evidence);
            head.entries += 1;
        } else {
            head.take(line);
        }
    }
    Ok(())
}

impl SfdiskHead {
    fn take(&mut self, line: &str) {
        if let Some(disk) = line.strip_prefix("# partition table of ") {
            *self = Self {
                disk: disk.trim().to_owned(),
                ..Self::default()
            };
            return;
        }
        let Some((key, value)) = line.split_once(':') else {
            return;
        };
        let value = value.trim();
        match key {
            "label" => {
                *self = Self {
                    table: roles::table(value),
                    ..Self::default()
                }
            }
            "device" => value.clone_into(&mut self.disk),
            "sector-size" => self.sector = sizes::whole(value).and_then(sector),
            "first-lba" if self.table == Some(TableKind::Gpt) && self.sector.is_none() => {
                self.sector = match value {
                    "34" => Some(SectorSize::S512),
                    "6" => Some(SectorSize::S4096),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    /// Adds the disk, once.
    fn tell(&mut self, entry: &SfdiskEntry<'_>, evidence: &mut TextEvidence) {
        if self.disk.is_empty() {
            entry.disk().clone_into(&mut self.disk);
        }
        if self.stated {
            return;
        }
        self.stated = true;
        let said = disk(evidence, &self.disk);
        said.table = self.table.or(entry.id.is_some().then_some(TableKind::Dos));
        said.sector = self.sector;
        if self.sector.is_none() {
            said.remarks.push(assumed("sfdisk -d"));
        }
    }
}

/// `/dev/sda1 : start= 2048, size= 1048576, type=83, bootable`, in sectors.
struct SfdiskEntry<'a> {
    name: &'a str,
    start: u64,
    size: Option<u64>,
    id: Option<&'a str>,
    type_id: Option<&'a str>,
}

impl<'a> SfdiskEntry<'a> {
    /// A script for sfdisk may leave the name out. Empty entries of old dumps are none.
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let (name, fields) = match line.split_once(" :").or_else(|| line.split_once(": ")) {
            Some((name, fields)) if !name.contains('=') => (name.trim(), fields),
            _ => ("", line),
        };
        let field = |key: &str| {
            let mut parts = fields.split(',').map(str::trim);
            parts
                .find_map(|part| part.strip_prefix(key)?.trim_start().strip_prefix('='))
                .map(str::trim)
        };
        let start = sizes::whole(field("start")?)?;
        let size = field("size").and_then(sizes::whole);
        let known = size.is_some() || field("type").is_some() || field("Id").is_some();
        let plain = !name.contains(char::is_whitespace);
        (plain && known && size != Some(0)).then(|| Self {
            name,
            start,
            size,
            id: field("Id"),
            type_id: field("type").or_else(|| field("Id")),
        })
    }

    /// The disk by the name of its partition, for dumps of before 2.26.
    fn disk(&self) -> &'a str {
        let name = self.name.trim_start_matches("/dev/");
        let cut = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match names::split(name) {
            Some((disk, _)) => disk,
            None if cut.is_empty() => "disk",
            None => cut,
        }
    }

    fn tell(&self, head: &SfdiskHead, evidence: &mut TextEvidence) {
        let made = names::join(&head.disk, head.entries + 1);
        let name = if self.name.is_empty() {
            &made
        } else {
            self.name
        };
        let said = partition(evidence, &head.disk, name);
        said.number = names::number(&head.disk, name);
        said.start = sectors(self.start, head.sector);
        said.size = self.size.and_then(|size| sectors(size, head.sector));
        said.sector = head.sector;
        said.type_id = self.type_id.map(str::to_owned);
        said.role = self.type_id.and_then(roles::of);
    }
}
