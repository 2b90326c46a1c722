//! `parted align-check`: parted's own verdict, with the start since version 3.3.
//!
//! `1 not aligned: 34s % 2048s != 0s` has the start, and the unit that parted took for the disk's; `1 aligned` has
//! nothing that could be checked: parted believes hints that are not credible.

use super::super::reading::subject::Subject;
use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, names, partition, sectors, sizes};
use crate::error::Result;

/// `parted align-check`.
pub const FORMAT: TextFormat = TextFormat {
    name: "parted-align",
    command: "parted align-check",
    sniff: |text| {
        text.any(|line| line.contains("align-check")) && text.any(|line| answer(line).is_some())
    },
    read,
};

/// Partition and, where it is printed, its start in sectors.
fn answer(line: &str) -> Option<(u64, Option<u64>)> {
    let (number, rest) = line.trim().split_once(' ')?;
    let number = sizes::whole(number)?;
    if rest == "aligned" || rest == "not aligned" {
        return Some((number, None));
    }
    let start = rest.strip_prefix("not aligned: ")?.split_once("s % ")?.0;
    Some((number, Some(sizes::whole(start)?)))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["parted"]);
    let mut disk = String::new();
    let mut named = false;
    for line in text.lines() {
        if subject.see(line) {
            disk = subject.take();
            named = false;
        }
        let Some((number, start)) = answer(line) else {
            continue;
        };
        if !std::mem::replace(&mut named, true) {
            let said = super::disk(evidence, &disk);
            said.kind.get_or_insert(ioalign_core::layer::Kind::Disk);
            said.remarks.push(assumed("parted align-check"));
        }
        let said = partition(evidence, &disk, &names::join(&disk, number));
        said.number = u32::try_from(number).ok();
        said.start = start.and_then(|start| sectors(start, None));
    }
    Ok(())
}
