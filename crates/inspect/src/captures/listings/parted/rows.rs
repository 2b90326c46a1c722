//! A table of parted without the lines about its disk (`parted /dev/sda print | tail`).
//!
//! The size of a sector is not stated. Starts are multiples of 512 bytes on every disk, which settles the
//! small ones; counts of sectors are taken for 512 bytes each, which a remark says.

use ioalign_core::SectorSize;
use ioalign_core::layer::Kind;

use super::super::super::reading::subject::Subject;
use super::super::super::{Text, TextEvidence, TextFormat};
use super::super::{assumed, disk};
use super::value::PartedScale;
use super::{PartedSection, limits};
use crate::error::Result;

/// `parted print | tail`.
pub const FORMAT: TextFormat = TextFormat {
    name: "parted-rows",
    command: "rows of parted",
    sniff: |text| text.any(is_head) && !text.any(|line| limits(line).is_some()),
    read,
};

/// `Number  Start   End     Size    File system  Name  Flags`; gdisk's says `(sector)`.
fn is_head(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("Number") && words.next() == Some("Start") && words.next() == Some("End")
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["parted"]);
    let mut open: Option<(PartedSection, usize)> = None;
    for line in text.lines().map(str::trim) {
        if is_head(line) {
            let section = PartedSection {
                disk: subject.take(),
                scale: PartedScale {
                    sector: Some(SectorSize::S512),
                    geometry: None,
                },
                stated: true,
                ..PartedSection::default()
            };
            disk(evidence, &section.disk).kind.get_or_insert(Kind::Disk);
            open = Some((section, evidence.devices.len().saturating_sub(1)));
        } else if line.is_empty() || subject.see(line) {
            open = None;
        } else if let Some((section, place)) = &open {
            section.row(line, evidence);
            unstated(line, *place, evidence);
        }
    }
    Ok(())
}

/// What a row says of its sectors: nothing.
fn unstated(line: &str, place: usize, evidence: &mut TextEvidence) {
    if let Some(said) = evidence.devices.last_mut() {
        said.sector = None;
    }
    let counted = line
        .split_whitespace()
        .nth(1)
        .is_some_and(|start| start.ends_with('s'));
    let disk = evidence
        .devices
        .get_mut(place)
        .filter(|said| counted && said.remarks.is_empty());
    if let Some(disk) = disk {
        disk.remarks.push(assumed("A table of parted"));
    }
}
