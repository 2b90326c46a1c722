//! The log of Rufus: the partitions of the drive that it is asked to write, before and after.
//!
//! The drive has no name in it. It is known by its cylinders, so that the last state of each drive counts.

use ioalign_core::TableKind;
use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, roles, sector, sizes};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// Rufus.
pub const FORMAT: TextFormat = TextFormat {
    name: "rufus",
    command: "Rufus log",
    sniff: |text| {
        text.any(|line| line.contains("NB Partitions:")) && text.any(|line| start(line).is_some())
    },
    read,
};

/// `Start Sector: 2048, Boot: Yes`; a debugger puts its own columns before it.
fn start(line: &str) -> Option<u64> {
    sizes::numbers(line.split_once("Start Sector: ")?.1)
        .first()
        .copied()
}

/// The drive of the last lines.
#[derive(Default)]
struct RufusDrive {
    name: String,
    sector: Option<u64>,
    table: Option<TableKind>,
    /// The partition that is described, its type and its length.
    number: Option<u64>,
    kind: String,
    size: Option<u64>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut drive = RufusDrive::default();
    for line in text.lines() {
        drive.take(line, evidence);
    }
    Ok(())
}

impl RufusDrive {
    fn take(&mut self, line: &str, evidence: &mut TextEvidence) {
        let line = line.trim();
        if let Some((_, rest)) = sector_size(line) {
            self.sector = sizes::numbers(rest).first().copied();
        } else if let Some((_, rest)) = line.split_once("Cylinders: ") {
            let cylinders = sizes::numbers(rest).first().copied().unwrap_or(0);
            self.name = format!("drive of {cylinders} cylinders");
        } else if let Some((before, _)) = line.split_once(", NB Partitions:") {
            self.table = before.rsplit(' ').next().and_then(roles::table);
            self.tell(evidence);
        } else if let Some(number) = numbered(line) {
            (self.number, self.size) = (Some(number), None);
            self.kind.clear();
        } else if let Some((_, kind)) = line.split_once("Type: ") {
            kind.clone_into(&mut self.kind);
        } else if let Some((_, size)) = line.split_once("Size: ") {
            self.size = size
                .split_once('(')
                .and_then(|(_, bytes)| sizes::numbers(bytes).first().copied());
        } else if let (Some(number), Some(start)) = (self.number, start(line)) {
            self.row(number, start, evidence);
        }
    }

    /// Adds the drive: removable ones hang on USB, or in a reader for cards.
    fn tell(&self, evidence: &mut TextEvidence) {
        let said = evidence.device(&self.name);
        said.kind = Some(Kind::Disk);
        said.table = self.table;
        said.sector = self.sector.and_then(sector);
        said.claims = self.sector.map(|bytes| Claims {
            logical: Some(bytes),
            physical: Some(bytes),
            transport: Transport::Usb,
            ..Claims::default()
        });
    }

    fn row(&self, number: u64, start: u64, evidence: &mut TextEvidence) {
        let unit = self.sector.and_then(sector);
        let said = partition(evidence, &self.name, &format!("partition {number}"));
        said.number = u32::try_from(number).ok();
        said.sector = unit;
        // Sector 0 holds the table: a file system on the whole drive shows itself as such a row.
        said.start = super::sectors(start, unit);
        said.size = self.size.map(Number::exact);
        said.role = roles::words(&self.kind);
        said.type_id = Some(self.kind.clone()).filter(|kind| !kind.is_empty());
    }
}

/// `Sector size: 512 bytes`, in older versions `Sector Size`.
fn sector_size(line: &str) -> Option<(&str, &str)> {
    line.split_once("Sector size: ")
        .or_else(|| line.split_once("Sector Size: "))
}

/// `Partition 1:`.
fn numbered(line: &str) -> Option<u64> {
    let (_, rest) = line.rsplit_once("Partition ")?;
    sizes::whole(rest.strip_suffix(':')?)
}
