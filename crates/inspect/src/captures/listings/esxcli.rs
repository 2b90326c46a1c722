//! `esxcli storage core device partition list`: partition 0 is the disk; sectors of 512 bytes, the
//! end excluded; sizes in bytes.

use ioalign_core::SectorSize;
use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, roles, sizes};
use crate::error::Result;

/// `esxcli storage core device partition list`.
pub const FORMAT: TextFormat = TextFormat {
    name: "esxcli-partitions",
    command: "esxcli storage core device partition list",
    sniff: |text| text.any(is_header),
    read,
};

fn is_header(line: &str) -> bool {
    let words = line.split_whitespace();
    words.eq([
        "Device",
        "Partition",
        "Start",
        "Sector",
        "End",
        "Sector",
        "Type",
        "Size",
    ])
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open = false;
    for line in text.lines() {
        if is_header(line) {
            open = true;
        } else if open {
            open = line.trim_start().starts_with('-') || row(line, evidence).is_some();
        }
    }
    Ok(())
}

fn row(line: &str, evidence: &mut TextEvidence) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [disk, number, start, _, kind, size] = words.as_slice() else {
        return None;
    };
    let (number, start) = (sizes::whole(number)?, sizes::whole(start)?);
    let size = Number::exact(sizes::whole(size)?);
    if number == 0 {
        let said = evidence.device(disk);
        said.kind = Some(Kind::Disk);
        said.sector = Some(SectorSize::S512);
        said.size = Some(size);
        return Some(());
    }
    let said = partition(evidence, disk, &format!("{disk}:{number}"));
    said.number = u32::try_from(number).ok();
    said.sector = Some(SectorSize::S512);
    said.start = Number::sectors(start, SectorSize::S512);
    said.size = Some(size);
    said.role = roles::of(kind);
    said.type_id = Some((*kind).to_owned());
    Some(())
}
