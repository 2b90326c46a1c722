//! `/proc/partitions`: names and sizes in 1 KiB blocks, half a block cut. No starts.

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{names, sizes};
use crate::error::Result;
use crate::host::DevNo;

/// `/proc/partitions`.
pub const FORMAT: TextFormat = TextFormat {
    name: "proc-partitions",
    command: "/proc/partitions",
    sniff: |text| text.any(is_header),
    read,
};

fn is_header(line: &str) -> bool {
    line.split_whitespace()
        .eq(["major", "minor", "#blocks", "name"])
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if is_header(line) {
            open = true;
        } else if open {
            open = row(line, evidence).is_some();
        }
    }
    Ok(())
}

fn row(line: &str, evidence: &mut TextEvidence) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [major, minor, blocks, name] = words.as_slice() else {
        return None;
    };
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    let low = sizes::whole(blocks)?.checked_mul(1024)?;
    let said = evidence.device(name);
    said.kind = names::kind(name);
    said.devno = Some(DevNo { major, minor });
    said.size = Some(Number {
        low,
        high: low.checked_add(512)?,
    });
    if let Some((disk, number)) = names::split(name) {
        said.kind = Some(Kind::Partition);
        said.number = Some(number);
        said.parents.push(disk.to_owned());
    }
    Some(())
}
