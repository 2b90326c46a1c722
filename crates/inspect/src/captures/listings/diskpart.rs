//! `diskpart`: `list partition` with rounded offsets, `detail partition` with exact ones.
//!
//! Versions differ in what they do with the half of 31.5 KB: 31 and 32 are both seen. The interval
//! covers truncation, rounding and rounding up: more than one unit below to less than one above.

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, sizes};
use crate::error::Result;

/// `diskpart`, `list partition`.
pub const FORMAT: TextFormat = TextFormat {
    name: "diskpart",
    command: "diskpart, list partition",
    sniff: |text| text.any(|line| is_header(line) || exact(line).is_some() || is_row(line)),
    read,
};

/// `Partition ###  Type              Size     Offset`, in any language that begins so.
fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let part = words
        .next()
        .is_some_and(|word| word.starts_with("Part") || word == "Раздел");
    part && words.next() == Some("###")
}

/// A row that lost its header: two sizes end it, and nothing else of Windows looks so.
fn is_row(line: &str) -> bool {
    let words: Vec<&str> = line
        .trim_start_matches(['*', ' '])
        .split_whitespace()
        .collect();
    let ["Partition", number, .., size, size_unit, start, start_unit] = words.as_slice() else {
        return false;
    };
    let sized = |value: &str, unit: &str| sizes::windows(value, unit).is_some();
    sizes::whole(number).is_some() && sized(size, size_unit) && sized(start, start_unit)
}

/// `Offset in Bytes: 1048576` of `detail partition`.
fn exact(line: &str) -> Option<u64> {
    let rest = line.trim().strip_prefix("Offset in Bytes")?;
    sizes::whole(rest.trim_start().strip_prefix(':')?.trim())
}

/// `Disk 0 is now the selected disk.`, or the command `select disk 0`.
fn selected(line: &str) -> Option<u64> {
    let lower = line.to_lowercase();
    let command = lower.contains("sel") && lower.contains("dis") || lower.contains("datenträger");
    let answer = lower.ends_with('.') || lower.contains('>');
    let listed = lower.contains("partition") && !lower.contains('>');
    match sizes::numbers(&lower).as_slice() {
        [disk] if command && answer && !listed => Some(*disk),
        _ => None,
    }
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut disk = String::new();
    let mut open = false;
    let mut number = None;
    for line in text.lines().map(str::trim) {
        if is_header(line) {
            open = true;
        } else if (open || is_row(line)) && row(line, &disk, evidence).is_some() {
        } else if let Some(start) = exact(line) {
            tell(&disk, number.unwrap_or(0), Number::exact(start), evidence);
        } else if let Some(found) = selected(line) {
            disk = found.to_string();
            open = false;
        } else if let Some(found) = line.strip_prefix("Partition ").and_then(sizes::whole) {
            number = Some(found);
        }
    }
    Ok(())
}

/// `* Partition 1    Primary            100 MB  1024 KB`.
fn row(line: &str, disk: &str, evidence: &mut TextEvidence) -> Option<()> {
    let words: Vec<&str> = line.trim_start_matches('*').split_whitespace().collect();
    let [_, number, kind @ .., size, size_unit, start, start_unit] = words.as_slice() else {
        return None;
    };
    let number = sizes::whole(number)?;
    let start = sizes::windows(start, start_unit)?;
    let said = tell(disk, number, start, evidence);
    said.size = sizes::windows(size, size_unit);
    let kind = kind.join(" ");
    said.role = super::roles::words(&kind).or_else(|| super::wmic::windows(&kind));
    said.type_id = Some(kind);
    Some(())
}

fn tell<'a>(
    disk: &str,
    number: u64,
    start: Number,
    evidence: &'a mut TextEvidence,
) -> &'a mut super::Said {
    let name = format!("Harddisk{disk}Partition{number}");
    let said = partition(evidence, &format!("PhysicalDrive{disk}"), &name);
    said.number = u32::try_from(number).ok();
    said.start = Some(start);
    said
}
