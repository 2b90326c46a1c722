//! `ssacli ctrl all show config detail` (once `hpssacli`, `hpacucli`): logical drives of HP Smart
//! Array controllers.

use super::raid::{LogicalDrive, strip};
use crate::captures::reading::{leading, pair};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;

/// `ssacli … show config detail`.
pub const FORMAT: TextFormat = TextFormat {
    name: "ssacli",
    command: "ssacli ctrl all show config detail",
    sniff: |text| {
        text.any(|line| key(line) == "Fault Tolerance")
            && text.any(|line| key(line) == "Strip Size")
    },
    read,
};

fn key(line: &str) -> &str {
    pair(line).map_or("", |(key, _)| key)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<LogicalDrive> = None;
    for line in text.lines() {
        match (pair(line), &mut open) {
            (Some(("Logical Drive", value)), _) => {
                let number = leading(value).unwrap_or(0);
                let name = format!("ld{number}");
                close(
                    open.replace(LogicalDrive {
                        name,
                        ..LogicalDrive::default()
                    }),
                    evidence,
                );
            }
            (Some((key, value)), Some(drive)) => line_of(drive, key, value),
            _ => {}
        }
    }
    close(open, evidence);
    Ok(())
}

fn line_of(drive: &mut LogicalDrive, key: &str, value: &str) {
    match key {
        "Fault Tolerance" => value.clone_into(&mut drive.level),
        "Strip Size" => drive.strip = strip(value),
        "Full Stripe Size" => drive.stripe = stripe(value),
        "Disk Name" if value.starts_with("/dev/") => {
            value
                .split_whitespace()
                .next()
                .unwrap_or(value)
                .clone_into(&mut drive.name);
        }
        _ => {}
    }
}

/// `768 KB`: a multiple of the strip, not a power of two.
fn stripe(value: &str) -> Option<ioalign_core::Bytes> {
    let unit = if value.ends_with("MB") {
        1 << 20
    } else {
        1 << 10
    };
    ioalign_core::Bytes::new(unit).checked_mul(leading(value)?)
}

fn close(drive: Option<LogicalDrive>, evidence: &mut TextEvidence) {
    if let Some(drive) = drive {
        drive.add("ssacli", evidence);
    }
}
