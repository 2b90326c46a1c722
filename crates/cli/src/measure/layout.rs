//! Where data starts in a layout that somebody kept: a text, a document of `check`, an image.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use ioalign_core::layer::Kind;
use ioalign_core::{Layer, Role};
use serde_json::Value;

use crate::check;

/// A partition of a layout.
struct Start {
    number: Option<u32>,
    bytes: u64,
    is_data: bool,
}

/// Bytes of a document that are read at most.
const MOST: u64 = 64 << 20;

/// Where the first data partition starts, or the one with this number.
pub fn start(path: &Path, partition: Option<u32>) -> Result<u64> {
    let starts = match document(path)? {
        Some(document) => of_document(&document),
        None => of_layout(path)?,
    };
    let wanted = starts.iter().filter(|start| match partition {
        Some(number) => start.number == Some(number),
        None => start.is_data,
    });
    let first = wanted.map(|start| start.bytes).min();
    first.ok_or_else(|| {
        let what = match partition {
            Some(number) => format!("partition {number}"),
            None => "data partition".to_owned(),
        };
        anyhow!("{}: no {what} is in it", path.display())
    })
}

/// A document of `check --json`; other JSON, as that of sfdisk, is a layout like any text.
fn document(path: &Path) -> Result<Option<Value>> {
    let name = || path.display().to_string();
    let data = path.metadata().with_context(name)?;
    if !data.is_file() || data.len() > MOST {
        return Ok(None);
    }
    let text = std::fs::read(path).with_context(name)?;
    if !text.trim_ascii_start().starts_with(b"{") {
        return Ok(None);
    }
    let value: Value = match serde_json::from_slice(&text) {
        Ok(value) => value,
        Err(_) => return Ok(None),
    };
    let is_ours = value["schema"].as_str() == Some(ioalign_report::json::SCHEMA);
    Ok(is_ours.then_some(value))
}

fn of_document(document: &Value) -> Vec<Start> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let targets = list(document, "targets");
    let layers = targets.iter().flat_map(|target| list(target, "layers"));
    let partitions = layers.filter(|layer| layer["kind"] == Kind::Partition.name());
    partitions
        .filter_map(|layer| {
            Some(Start {
                number: number(layer["name"].as_str()?),
                bytes: layer["below"][0]["start_bytes"].as_u64()?,
                is_data: matches!(layer["role"].as_str(), Some("data" | "vmfs")),
            })
        })
        .collect()
}

fn of_layout(path: &Path) -> Result<Vec<Start>> {
    let target = check::any(path);
    if let Some(error) = &target.error
        && target.stack.is_empty()
    {
        return Err(anyhow!("{}", error.message));
    }
    let partitions = target.stack.layers().map(|(_, layer)| layer);
    let partitions = partitions.filter(|layer| layer.kind == Kind::Partition);
    Ok(partitions.filter_map(of_layer).collect())
}

fn of_layer(layer: &Layer) -> Option<Start> {
    Some(Start {
        number: number(&layer.name),
        bytes: layer.below.first()?.map.start()?.get(),
        is_data: matches!(layer.role, Role::Data | Role::Vmfs),
    })
}

/// `sda1`, `nvme0n1p2`, `p3`, `old.img1`: the digits at the end.
fn number(name: &str) -> Option<u32> {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.get(rest.len()..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_have_numbers() {
        assert_eq!(number("nvme0n1p12"), Some(12));
        assert_eq!(
            (number("sda1"), number("p3"), number("sda")),
            (Some(1), Some(3), None)
        );
    }

    #[test]
    fn a_document_tells_starts() {
        let document = serde_json::json!({ "targets": [{ "layers": [
            { "kind": "disk", "name": "sda", "role": "data", "below": [] },
            { "kind": "partition", "name": "sda1", "role": "esp", "below": [{ "start_bytes": 1048576 }] },
            { "kind": "partition", "name": "sda2", "role": "data", "below": [{ "start_bytes": 32256 }] },
        ]}]});
        let starts = of_document(&document);
        assert_eq!(starts.len(), 2);
        assert_eq!(starts[1].bytes, 32256);
        assert!(starts[1].is_data && !starts[0].is_data && starts[0].number == Some(1));
    }
}
