//! `blockdev --report`: StartSec in 512-byte units on every disk, SSZ and Size in bytes.
//!
//! BSZ is the block size of the kernel's cache, no property of the disk. Before util-linux 2.15 the
//! size was in 512-byte units: recognised where a size is no multiple of 512.

use ioalign_core::SectorSize;
use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{claims, names, sector, sizes};
use crate::error::Result;

/// `blockdev --report`.
pub const FORMAT: TextFormat = TextFormat {
    name: "blockdev",
    command: "blockdev --report",
    sniff: |text| text.any(is_header),
    read,
};

fn is_header(line: &str) -> bool {
    line.split_whitespace()
        .eq(["RO", "RA", "SSZ", "BSZ", "StartSec", "Size", "Device"])
}

/// A row as printed.
struct BlockdevRow<'a> {
    name: &'a str,
    sector: u64,
    /// `None`: `N/A`.
    start: Option<u64>,
    size: u64,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut lines = text.lines();
    while lines.by_ref().any(is_header) {
        let rows: Vec<_> = lines.by_ref().map_while(BlockdevRow::parse).collect();
        let bytes = rows.iter().all(|row| row.size.is_multiple_of(512));
        let unit = if bytes { 1 } else { 512 };
        for row in &rows {
            row.tell(unit, evidence);
        }
    }
    Ok(())
}

impl<'a> BlockdevRow<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [mode, _, sector, _, start, size, name] = words.as_slice() else {
            return None;
        };
        matches!(*mode, "rw" | "ro").then_some(())?;
        Some(Self {
            name,
            sector: sizes::whole(sector)?,
            start: sizes::whole(start),
            size: sizes::whole(size)?,
        })
    }

    fn tell(&self, unit: u64, evidence: &mut TextEvidence) {
        let said = evidence.device(self.name);
        said.size = self.size.checked_mul(unit).map(Number::exact);
        said.sector = sector(self.sector);
        let parent = names::split(&said.name).map(|(disk, number)| (disk.to_owned(), number));
        let start = self.start.filter(|start| *start != 0);
        if let (Some(start), Some((disk, number))) = (start, parent) {
            said.kind = Some(Kind::Partition);
            said.number = Some(number);
            said.parents.push(disk);
            said.start = Number::sectors(start, SectorSize::S512);
        } else {
            said.kind = names::kind(&said.name);
            said.claims = Some(crate::host::hints::Claims {
                logical: Some(self.sector),
                ..claims(self.name)
            });
        }
    }
}
