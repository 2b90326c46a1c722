//! `sfdisk -J`: one object `partitiontable`, in logical sectors (`sectorsize`, since 2.35).

use serde_json::Value;

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, disk, json, names, partition, roles, sector, sectors};
use crate::error::Result;

/// `sfdisk -J`.
pub const FORMAT: TextFormat = TextFormat {
    name: "sfdisk-json",
    command: "sfdisk -J",
    sniff: |text| text.any(|line| line.contains("\"partitiontable\"")),
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"partitiontable\"") {
        if let Some(table) = document.get("partitiontable") {
            tell(table, evidence);
        }
    }
    Ok(())
}

fn tell(table: &Value, evidence: &mut TextEvidence) {
    let name = json::text(table, "device").unwrap_or("disk").to_owned();
    let size = json::number(table, "sectorsize").and_then(sector);
    let said = disk(evidence, &name);
    said.table = json::text(table, "label").and_then(roles::table);
    said.sector = size;
    if size.is_none() {
        said.remarks.push(assumed("sfdisk -J"));
    }
    let entries = table.get("partitions").and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let made = names::join(&name, index as u64 + 1);
        let node = json::text(entry, "node").unwrap_or(&made);
        let said = partition(evidence, &name, node);
        said.number = names::number(&name, node);
        said.sector = size;
        said.start = json::number(entry, "start").and_then(|count| sectors(count, size));
        said.size = json::number(entry, "size").and_then(|count| sectors(count, size));
        said.type_id = json::text(entry, "type").map(str::to_owned);
        said.role = said.type_id.as_deref().and_then(roles::of);
    }
}
