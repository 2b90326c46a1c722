//! `storcli /cX/vall show all J`, and perccli, which prints the same.

use serde_json::Value;

use super::raid::{LogicalDrive, strip};
use crate::captures::reading::json;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;

/// `storcli … J`.
pub const FORMAT: TextFormat = TextFormat {
    name: "storcli-json",
    command: "storcli /cx/vall show all J",
    sniff: |text| {
        text.any(|line| line.contains("\"Controllers\""))
            && text.any(|line| line.contains("\"Response Data\""))
    },
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text) {
        for controller in json::list(&document, "Controllers") {
            if let Some(data) = controller.get("Response Data") {
                drives(data, evidence);
            }
        }
    }
    Ok(())
}

/// `/c0/v1` holds the row of a drive, `VD1 Properties` its strip.
fn drives(data: &Value, evidence: &mut TextEvidence) {
    for (key, value) in data.as_object().into_iter().flatten() {
        let number = key
            .strip_prefix("/c")
            .and_then(|rest| rest.split_once("/v"))
            .and_then(|(_, number)| number.parse::<u32>().ok());
        if let Some(number) = number {
            drive(data, value, number).add("storcli", evidence);
        }
    }
}

fn drive(data: &Value, row: &Value, number: u32) -> LogicalDrive {
    let properties = data.get(format!("VD{number} Properties").as_str());
    let word = |key: &str| properties.and_then(|properties| json::word(properties, key));
    let count = |key: &str| {
        let number = properties.and_then(|properties| json::number(properties, key))?;
        u32::try_from(number).ok()
    };
    let level = row
        .as_array()
        .and_then(|rows| rows.first())
        .and_then(|row| json::word(row, "TYPE"));
    let name = word("OS Drive Name").filter(|name| name.starts_with("/dev/"));
    LogicalDrive {
        name: name.unwrap_or_else(|| format!("vd{number}")),
        level: level.unwrap_or_default(),
        strip: word("Strip Size").as_deref().and_then(strip),
        drives: count("Number of Drives Per Span"),
        spans: count("Span Depth"),
        emulated: word("VD has Emulated PD").map(|word| word == "Yes"),
        ..LogicalDrive::default()
    }
}
