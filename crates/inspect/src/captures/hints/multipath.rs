//! `multipath -ll`: maps with their paths. Only the shape is read: which disks are one disk.

use ioalign_core::Kind;

use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::DevNo;
use crate::host::hints::{Claims, Transport};

/// `multipath -ll`.
pub const FORMAT: TextFormat = TextFormat {
    name: "multipath",
    command: "multipath -ll",
    sniff: |text| text.any(|line| map(line).is_some()) && text.any(|line| path(line).is_some()),
    read,
};

/// Paths of one map that are read; the kernel takes 1024.
const MOST_PATHS: usize = 1024;

/// A map: name, dm device, vendor and model.
struct MultipathMap<'a> {
    name: &'a str,
    dm: &'a str,
    vendor: &'a str,
    model: &'a str,
}

/// `mpatha (3600508b4…) dm-2 HP,HSV300`, or without the alias.
fn map(line: &str) -> Option<MultipathMap<'_>> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let mut next = words.next()?;
    if next.starts_with('(') && next.ends_with(')') {
        next = words.next()?;
    }
    let number = next.strip_prefix("dm-")?;
    let plain = number.parse::<u32>().is_ok() && name.chars().next()?.is_alphanumeric();
    let rest = line.split_once(next)?.1.trim();
    let (vendor, model) = rest.split_once(',').unwrap_or(("", rest));
    plain.then_some(MultipathMap {
        name,
        dm: next,
        vendor: vendor.trim(),
        model: model.trim(),
    })
}

/// Disk and number of ``|- 1:0:0:1 sdb 8:16 active ready running``.
fn path(line: &str) -> Option<(&str, &str)> {
    let words: Vec<_> = line.split_whitespace().collect();
    let at = words
        .iter()
        .position(|word| word.matches(':').count() == 3)?;
    let (disk, number) = (words.get(at + 1)?, words.get(at + 2)?);
    let numbered = number
        .split_once(':')
        .is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok());
    (numbered && *disk != "-").then_some((*disk, *number))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(MultipathMap<'_>, Vec<(&str, &str)>)> = None;
    for line in text.lines() {
        if let Some(map) = map(line) {
            close(open.replace((map, Vec::new())), evidence);
        } else if let (Some((_, paths)), Some(path)) = (&mut open, path(line))
            && paths.len() < MOST_PATHS
        {
            paths.push(path);
        } else if line.trim().is_empty() {
            close(open.take(), evidence);
        }
    }
    close(open, evidence);
    Ok(())
}

fn close(map: Option<(MultipathMap<'_>, Vec<(&str, &str)>)>, evidence: &mut TextEvidence) {
    let Some((map, paths)) = map.filter(|(_, paths)| !paths.is_empty()) else {
        return;
    };
    let said = evidence.device(&format!("mapper/{}", map.name));
    said.kind = Some(Kind::Volume);
    said.parents = paths.iter().map(|(disk, _)| (*disk).to_owned()).collect();
    said.facts.push(("dm", map.dm.to_owned()));
    said.is_multipath = true;
    for (disk, number) in paths {
        let said = evidence.device(disk);
        said.devno = DevNo::parse(number);
        said.claims = Some(Claims {
            vendor: map.vendor.to_owned(),
            model: map.model.to_owned(),
            transport: Transport::Scsi,
            ..Claims::default()
        });
    }
}
