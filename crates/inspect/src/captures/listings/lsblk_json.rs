//! `lsblk -J` with any columns: a tree of `children` below `blockdevices`.

use serde_json::Value;

use super::super::{Text, TextEvidence, TextFormat};
use super::json;
use super::lsblk::{LsblkNode, tell};
use crate::error::Result;

/// `lsblk -J`.
pub const FORMAT: TextFormat = TextFormat {
    name: "lsblk-json",
    command: "lsblk -J",
    sniff: |text| text.any(|line| line.contains("\"blockdevices\"")),
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"blockdevices\"") {
        let mut nodes = Vec::new();
        collect(document.get("blockdevices"), 0, &mut nodes);
        tell(&nodes, evidence);
    }
    Ok(())
}

/// Devices in the order of the tree; the parser bounds its depth.
fn collect(list: Option<&Value>, depth: usize, nodes: &mut Vec<LsblkNode>) {
    for device in list.and_then(Value::as_array).into_iter().flatten() {
        let Some(members) = device.as_object() else {
            continue;
        };
        let mut node = LsblkNode {
            depth,
            ..LsblkNode::default()
        };
        for (key, value) in members {
            if let Some(value) = scalar(value) {
                node.insert(key, &value);
            }
        }
        nodes.push(node);
        collect(device.get("children"), depth + 1, nodes);
    }
}

/// A value as the other forms print it; of an array, such as `mountpoints`, the first.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(u8::from(*yes).to_string()),
        Value::Array(items) => items
            .iter()
            .find_map(|item| item.as_str().map(str::to_owned)),
        Value::Null | Value::Object(_) => None,
    }
}
