//! `gdisk -l`, `sgdisk -p`, and what busybox `fdisk -l` prints of a GPT: logical sectors.

use ioalign_core::{SectorSize, TableKind};

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, claims, disk, names, partition, roles, sector, sectors, sizes, span};
use crate::error::Result;

/// `gdisk -l`.
pub const FORMAT: TextFormat = TextFormat {
    name: "gdisk",
    command: "gdisk -l",
    sniff: |text| text.any(is_header),
    read,
};

fn is_header(line: &str) -> bool {
    let words = line.split_whitespace();
    words
        .take(5)
        .eq(["Number", "Start", "(sector)", "End", "(sector)"])
}

/// The part of the text that speaks of one disk.
#[derive(Default)]
struct GdiskSection {
    disk: String,
    count: u64,
    sector: Option<SectorSize>,
    physical: Option<u64>,
    model: String,
    open: bool,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut section = GdiskSection::default();
    for line in text.lines().map(str::trim) {
        if let Some((name, count)) = start(line) {
            section = GdiskSection {
                disk: name.to_owned(),
                count,
                ..GdiskSection::default()
            };
        } else if is_header(line) {
            section.tell(evidence);
        } else if section.open {
            section.row(line, evidence);
        } else {
            section.take(line);
        }
    }
    Ok(())
}

/// `Disk /dev/sda: 976773168 sectors, 465.8 GiB`.
fn start(line: &str) -> Option<(&str, u64)> {
    let (name, rest) = line.strip_prefix("Disk ")?.rsplit_once(": ")?;
    let (count, rest) = rest.split_once(' ')?;
    rest.starts_with("sectors")
        .then_some((name, sizes::whole(count)?))
}

impl GdiskSection {
    /// `Sector size (logical/physical): 512/4096 bytes`, `Sector size (logical): 512 bytes`,
    /// `Logical sector size: 512 bytes`.
    fn take(&mut self, line: &str) {
        let lower = line.to_ascii_lowercase();
        if lower.starts_with("sector size (logical") || lower.starts_with("logical sector size") {
            let numbers = sizes::numbers(line);
            self.sector = numbers.first().copied().and_then(sector);
            self.physical = numbers.get(1).copied();
        } else if let Some(model) = line.strip_prefix("Model: ") {
            model.trim().clone_into(&mut self.model);
        }
    }

    /// Adds the disk.
    fn tell(&mut self, evidence: &mut TextEvidence) {
        self.open = true;
        if self.disk.is_empty() {
            "disk".clone_into(&mut self.disk);
        }
        let said = disk(evidence, &self.disk);
        said.table = Some(TableKind::Gpt);
        said.sector = self.sector;
        said.size = sectors(self.count, self.sector).filter(|size| size.low != 0);
        if self.sector.is_none() {
            said.remarks.push(assumed("gdisk -l"));
        }
        if self.physical.is_some() {
            said.claims = Some(crate::host::hints::Claims {
                logical: self.sector.map(|sector| u64::from(sector.get())),
                physical: self.physical,
                model: self.model.clone(),
                ..claims(&self.disk)
            });
        }
    }

    /// `   1   2048   1050623   512.0 MiB   EF00  EFI`; busybox: `1  2048  1050623  512M  EFI`.
    fn row(&mut self, line: &str, evidence: &mut TextEvidence) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<u64> = words
            .iter()
            .map_while(|word| sizes::whole(word))
            .take(3)
            .collect();
        let [number, start, end] = numbers.as_slice() else {
            self.open &= line.is_empty();
            return;
        };
        let said = partition(evidence, &self.disk, &names::join(&self.disk, *number));
        said.number = u32::try_from(*number).ok();
        said.sector = self.sector;
        said.start = sectors(*start, self.sector);
        said.size = span(*start, *end, self.sector);
        let code = words
            .get(5)
            .filter(|code| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        said.type_id = code.map(|code| (*code).to_owned());
        said.role = code.map(|code| roles::gdisk(code));
    }
}
