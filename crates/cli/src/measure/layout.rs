//! The start of data in a saved layout: a text, a document of `check`, an image.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use ioalign_core::layer::Kind;
use ioalign_core::{Layer, Role, Stack};
use ioalign_report::json::read;

use crate::check;

/// A partition of a layout.
struct Start {
    number: Option<u32>,
    bytes: u64,
    is_data: bool,
}

/// Bytes of a document that are read at most.
const MOST: u64 = 64 << 20;

/// The start of the first data partition, or of the one with this number.
pub fn start(path: &Path, partition: Option<u32>) -> Result<u64> {
    let stack = match document(path)? {
        Some(stack) => stack,
        None => of_layout(path)?,
    };
    let starts = starts(&stack);
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

/// The stack of a document of `check --json`.
fn document(path: &Path) -> Result<Option<Stack>> {
    let name = || path.display().to_string();
    let data = path.metadata().with_context(name)?;
    if !data.is_file() || data.len() > MOST {
        return Ok(None);
    }
    let bytes = std::fs::read(path).with_context(name)?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    if !read::is_document(&text) {
        return Ok(None);
    }
    let stack = read::stack(&text).map_err(|why| anyhow!("{}: {why}", name()))?;
    Ok(Some(stack))
}

/// Any other text or image.
fn of_layout(path: &Path) -> Result<Stack> {
    let target = check::any(path);
    match target.error {
        Some(error) if target.stack.is_empty() => Err(anyhow!("{}", error.message)),
        _ => Ok(target.stack),
    }
}

fn starts(stack: &Stack) -> Vec<Start> {
    let partitions = stack.layers().map(|(_, layer)| layer);
    let partitions = partitions.filter(|layer| layer.kind == Kind::Partition);
    partitions.filter_map(of_layer).collect()
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
        let layer = |name: &str, role: &str, start: u64| {
            let below =
                serde_json::json!([{ "id": "disk:sda", "map": "shift", "start_bytes": start }]);
            serde_json::json!({ "id": name, "kind": "partition", "name": name, "role": role, "below": below })
        };
        let disk =
            serde_json::json!({ "id": "disk:sda", "kind": "disk", "name": "sda", "role": "data" });
        let layers = [
            disk,
            layer("sda1", "esp", 1 << 20),
            layer("sda2", "data", 32256),
        ];
        let document = serde_json::json!({
            "schema": ioalign_report::json::SCHEMA, "targets": [{ "layers": layers }]
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("check.json");
        std::fs::write(&path, document.to_string()).unwrap();
        assert_eq!(start(&path, None).unwrap(), 32256);
        assert_eq!(start(&path, Some(1)).unwrap(), 1 << 20);
        assert!(start(&path, Some(3)).is_err());
    }
}
