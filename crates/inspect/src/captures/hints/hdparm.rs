//! `hdparm -I`: the ATA identify data in words.

use ioalign_core::SectorSize;

use crate::captures::reading::{leading, pair};
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// `hdparm -I`.
pub const FORMAT: TextFormat = TextFormat {
    name: "hdparm",
    command: "hdparm -I",
    sniff: |text| {
        text.any(|line| {
            line.trim_start().starts_with("LBA") && line.contains("user addressable sectors:")
        })
    },
    read,
};

/// The contents of one output.
#[derive(Default)]
struct IdentifyText {
    device: String,
    model: String,
    logical: Option<u64>,
    physical: Option<u64>,
    /// Where the first logical sector lies in its physical one (word 209).
    offset: u64,
    rotational: Option<bool>,
    /// Logical sectors, by the largest of its counts.
    sectors: u64,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open = IdentifyText::default();
    for line in text.lines() {
        let name = line
            .trim()
            .strip_suffix(':')
            .filter(|name| name.starts_with("/dev/"));
        if let Some(name) = name {
            std::mem::take(&mut open).tell(evidence);
            name.clone_into(&mut open.device);
        } else if let Some((key, value)) = pair(line) {
            open.take(key, value);
        }
    }
    open.tell(evidence);
    Ok(())
}

impl IdentifyText {
    fn take(&mut self, key: &str, value: &str) {
        let words: Vec<&str> = key.split_whitespace().collect();
        match words.as_slice() {
            ["Model", "Number"] => value.clone_into(&mut self.model),
            ["Logical", "Sector", "size"] => self.logical = leading(value),
            ["Physical", "Sector", "size"] => self.physical = leading(value),
            ["Logical/Physical", "Sector", "size"] => {
                self.logical = leading(value);
                self.physical = self.logical;
            }
            ["Logical", "Sector-0", "offset"] => self.offset = leading(value).unwrap_or(0),
            ["Nominal", "Media", "Rotation", "Rate"] => {
                self.rotational = Some(leading(value).is_some());
            }
            [lba, "user", "addressable", "sectors"] if lba.starts_with("LBA") => {
                self.sectors = self.sectors.max(leading(value).unwrap_or(0));
            }
            _ => {}
        }
    }

    fn tell(self, evidence: &mut TextEvidence) {
        let Some(logical) = self.logical else { return };
        let sector = u32::try_from(logical).ok().and_then(SectorSize::new);
        let physical = self.physical.unwrap_or(logical).max(1);
        let said = evidence.device(&self.device);
        said.kind = Some(ioalign_core::Kind::Disk);
        said.sector = sector;
        said.size = sector
            .and_then(|sector| Number::sectors(self.sectors, sector))
            .filter(|size| size.low != 0);
        let alignment_offset = physical.saturating_sub(self.offset % physical) % physical;
        said.claims = Some(Claims {
            logical: Some(logical),
            physical: self.physical,
            alignment_offset: i64::try_from(alignment_offset).unwrap_or(0),
            rotational: self.rotational,
            model: self.model,
            transport: Transport::Scsi,
            ..Claims::default()
        });
    }
}
