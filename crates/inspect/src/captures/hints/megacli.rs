//! `MegaCli -LDInfo -Lall -aAll`: logical drives of LSI controllers. The tool does not know the
//! system's names for them.

use super::raid::{LogicalDrive, strip};
use crate::captures::reading::{leading, pair};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;

/// `MegaCli -LDInfo`.
pub const FORMAT: TextFormat = TextFormat {
    name: "megacli",
    command: "MegaCli -LDInfo",
    sniff: |text| text.any(|line| begins(line).is_some()) && text.any(is_strip),
    read,
};

/// `Virtual Drive: 0 (Target Id: 0)`, once `Virtual Disk: 0 (target id: 0)`.
fn begins(line: &str) -> Option<u64> {
    let rest = line.trim().strip_prefix("Virtual D")?;
    let (kind, rest) = rest.split_once(':')?;
    (matches!(kind.trim(), "rive" | "isk")).then(|| leading(rest))?
}

fn is_strip(line: &str) -> bool {
    pair(line).is_some_and(|(key, _)| matches!(key, "Strip Size" | "Stripe Size"))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<LogicalDrive> = None;
    for line in text.lines() {
        if let Some(number) = begins(line) {
            let name = format!("vd{number}");
            close(
                open.replace(LogicalDrive {
                    name,
                    ..LogicalDrive::default()
                }),
                evidence,
            );
        } else if let (Some(drive), Some((key, value))) = (&mut open, pair(line)) {
            line_of(drive, key, value);
        }
    }
    close(open, evidence);
    Ok(())
}

fn line_of(drive: &mut LogicalDrive, key: &str, value: &str) {
    let count = || leading(value).and_then(|n| u32::try_from(n).ok());
    match key {
        "RAID Level" => value.clone_into(&mut drive.level),
        "Strip Size" | "Stripe Size" => drive.strip = strip(value),
        "Number Of Drives" | "Number Of Drives per span" => drive.drives = count(),
        "Span Depth" => drive.spans = count(),
        "Is VD emulated" => drive.emulated = Some(value == "Yes"),
        _ => {}
    }
}

fn close(drive: Option<LogicalDrive>, evidence: &mut TextEvidence) {
    if let Some(drive) = drive {
        drive.add("MegaCli", evidence);
    }
}
