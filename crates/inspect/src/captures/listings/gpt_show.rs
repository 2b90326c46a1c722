//! `gpt show` of macOS, NetBSD and old FreeBSD: sectors, whose size only `gpt -v` prints.

use ioalign_core::SectorSize;
use ioalign_core::layer::Kind;

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, partition, roles, sector, sectors, sizes};
use crate::error::Result;

/// `gpt show`.
pub const FORMAT: TextFormat = TextFormat {
    name: "gpt-show",
    command: "gpt show",
    sniff: |text| text.any(is_header),
    read,
};

fn is_header(line: &str) -> bool {
    line.split_whitespace()
        .eq(["start", "size", "index", "contents"])
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut name = "disk".to_owned();
    let mut size: Option<SectorSize> = None;
    let mut open = false;
    for line in text.lines() {
        if let Some((disk, stated)) = head(line) {
            disk.clone_into(&mut name);
            size = stated;
        } else if let Some(disk) = command(line) {
            disk.clone_into(&mut name);
            size = None;
        } else if is_header(line) {
            open = true;
            let said = evidence.device(&name);
            said.kind = Some(Kind::Disk);
            said.sector = size;
            if size.is_none() {
                said.remarks.push(assumed("gpt show"));
            }
        } else if open && !line.trim().is_empty() {
            row(line, &name, size, evidence);
        }
    }
    Ok(())
}

/// `gpt show: disk0: mediasize=…; sectorsize=512; blocks=…`.
fn head(line: &str) -> Option<(&str, Option<SectorSize>)> {
    let (_, rest) = line.split_once("gpt show: ")?;
    let (name, rest) = rest.split_once(':')?;
    let (_, stated) = rest.split_once("sectorsize=")?;
    let digits = stated.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((
        name.trim_start_matches("/dev/"),
        sizes::whole(digits).and_then(sector),
    ))
}

/// `# gpt -r show /dev/disk0`.
fn command(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" show")?;
    before.contains("gpt").then_some(())?;
    let path = line.split_whitespace().last()?;
    let name = path.trim_start_matches("/dev/").trim_start_matches('r');
    (path != "show" && !path.starts_with('-')).then_some(name)
}

/// `         40     409600      1  GPT part - C12A7328-…`; rows without an index are no partitions.
fn row(line: &str, disk: &str, size: Option<SectorSize>, evidence: &mut TextEvidence) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [start, count, index, rest @ ..] = words.as_slice() else {
        return;
    };
    let (Some(start), Some(count), Some(index)) = (
        sizes::whole(start),
        sizes::whole(count),
        sizes::whole(index),
    ) else {
        return;
    };
    let said = partition(evidence, disk, &format!("{disk}s{index}"));
    said.number = u32::try_from(index).ok();
    said.sector = size;
    said.start = sectors(start, size);
    said.size = sectors(count, size);
    let kind = rest.join(" ");
    let guid = rest.last().copied().unwrap_or_default();
    said.role = crate::tables::role_of_type(guid).or_else(|| roles::words(&kind));
    said.type_id = Some(kind);
}
