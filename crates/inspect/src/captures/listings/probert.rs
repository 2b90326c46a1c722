//! probert, which subiquity and curtin log: udev's properties of every device, as JSON.

use serde_json::Value;

use super::super::{Text, TextEvidence, TextFormat};
use super::{json, udevadm};
use crate::error::Result;

/// `probert --storage`.
pub const FORMAT: TextFormat = TextFormat {
    name: "probert",
    command: "probert",
    sniff: |text| text.any(|line| line.contains("\"ID_PART_ENTRY_OFFSET\"")),
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"ID_PART_ENTRY_OFFSET\"") {
        devices(&document, evidence);
    }
    Ok(())
}

/// Objects with a device name, at any depth; serde_json bounds it.
fn devices(value: &Value, evidence: &mut TextEvidence) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| devices(value, evidence)),
        Value::Object(members) if members.contains_key("DEVNAME") => {
            let texts = members.iter();
            let pairs: Vec<_> = texts
                .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
                .collect();
            udevadm::tell(&pairs, "", evidence);
        }
        Value::Object(members) => members.values().for_each(|value| devices(value, evidence)),
        _ => {}
    }
}
