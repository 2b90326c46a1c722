//! macOS `diskutil list`: partitions, their types and rounded sizes, without starts: `diskutil info disk0s1` has
//! those. Lists of APFS containers name no partitions and are passed over.

use super::super::{Text, TextEvidence, TextFormat};
use super::{names, partition, sizes};
use crate::error::Result;

/// `diskutil list`.
pub const FORMAT: TextFormat = TextFormat {
    name: "diskutil-list",
    command: "diskutil list",
    sniff: |text| text.any(|line| partition_row(line).is_some()),
    read,
};

struct DiskutilRow<'a> {
    number: u64,
    type_name: &'a str,
    identifier: &'a str,
}

/// `   1:                  Apple_APFS Container disk1         500.0 GB   disk0s2`.
fn row(line: &str) -> Option<DiskutilRow<'_>> {
    let (number, rest) = line.trim().split_once(':')?;
    let mut words = rest.split_whitespace();
    let type_name = words.next()?;
    let mut last = words.rev();
    let identifier = last.next()?;
    let is_unit = matches!(
        last.next()?,
        "B" | "KB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB"
    );
    (is_unit && identifier.starts_with("disk")).then_some(DiskutilRow {
        number: sizes::whole(number)?,
        type_name,
        identifier,
    })
}

/// A row whose identifier is that of a partition with the number of the row.
fn partition_row(line: &str) -> Option<(&str, DiskutilRow<'_>)> {
    let row = row(line)?;
    let (disk, number) = names::split(row.identifier)?;
    (u64::from(number) == row.number && disk.starts_with("disk")).then_some((disk, row))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut has_partitions = false;
    for line in text.lines() {
        if let Some(row) = row(line).filter(|row| row.number == 0) {
            has_partitions = row.type_name.ends_with("partition_scheme");
            if has_partitions {
                super::disk(evidence, row.identifier).kind = Some(super::Kind::Disk);
            }
            continue;
        }
        let Some((disk, row)) = partition_row(line).filter(|_| has_partitions) else {
            continue;
        };
        let said = partition(evidence, disk, row.identifier);
        said.number = u32::try_from(row.number).ok();
        said.role = super::roles::words(row.type_name);
        said.type_id = Some(row.type_name.to_owned());
    }
    Ok(())
}
