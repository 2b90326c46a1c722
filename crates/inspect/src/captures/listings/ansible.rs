//! Ansible facts (`ansible -m setup`): `start` is what sysfs says, in 512-byte units.
//!
//! `sectors` counts 512-byte units or logical sectors, as the version pleases: where the two differ
//! it is left alone, and the rounded `size` counts.

use ioalign_core::{Remark, SectorSize};
use ioalign_core::{layer::Kind, rules};
use serde_json::Value;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{claims, json, partition, sector};
use crate::error::Result;

/// `ansible -m setup`.
pub const FORMAT: TextFormat = TextFormat {
    name: "ansible",
    command: "ansible -m setup",
    sniff: |text| text.any(|line| line.contains("\"ansible_devices\"")),
    read,
};

/// How deep the facts may lie: a list of hosts, a host, `ansible_facts`.
const DEEPEST: usize = 5;

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let documents = json::documents(text, "\"ansible_devices\"");
    let mut hosts = Vec::new();
    for document in &documents {
        find(document, 0, &mut hosts);
    }
    if hosts.len() > 1 {
        evidence.remarks.push(Remark::note(
            rules::SEVERAL_HOSTS,
            format!(
                "The facts of {} hosts are in one text: the first is read",
                hosts.len()
            ),
        ));
    }
    let devices = hosts.first().and_then(|devices| devices.as_object());
    for (name, device) in devices.into_iter().flatten() {
        disk(name, device, evidence);
    }
    Ok(())
}

fn find<'a>(value: &'a Value, depth: usize, hosts: &mut Vec<&'a Value>) {
    if let Some(devices) = value.get("ansible_devices") {
        hosts.push(devices);
    } else if depth < DEEPEST {
        let members = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, member)| member);
        let items = value.as_array().into_iter().flatten();
        members
            .chain(items)
            .for_each(|inner| find(inner, depth + 1, hosts));
    }
}

fn disk(name: &str, device: &Value, evidence: &mut TextEvidence) {
    let text = |key: &str| {
        json::text(device, key)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let logical = json::number(device, "sectorsize");
    let said = evidence.device(name);
    said.kind = super::names::kind(name);
    said.size = size(device);
    said.sector = logical.and_then(sector);
    said.claims = Some(crate::host::hints::Claims {
        logical,
        rotational: json::text(device, "rotational").map(|rotates| rotates == "1"),
        vendor: text("vendor"),
        model: text("model"),
        ..claims(name)
    });
    let partitions = device.get("partitions").and_then(Value::as_object);
    for (part, facts) in partitions.into_iter().flatten() {
        let said = partition(evidence, name, part);
        said.kind = Some(Kind::Partition);
        said.number = super::names::split(part).map(|(_, number)| number);
        said.sector = logical.and_then(sector);
        said.start =
            json::number(facts, "start").and_then(|start| Number::sectors(start, SectorSize::S512));
        said.size = size(facts);
    }
}

/// `sectors` where both meanings agree, else `size`: two decimals of binary units.
fn size(facts: &Value) -> Option<Number> {
    if json::number(facts, "sectorsize") == Some(512) {
        let count = json::number(facts, "sectors");
        return count.and_then(|count| Number::sectors(count, SectorSize::S512));
    }
    let (value, unit) = json::text(facts, "size")?.split_once(' ')?;
    let power = ["Bytes", "KB", "MB", "GB", "TB", "PB"]
        .iter()
        .position(|name| *name == unit)?;
    Number::rounded(value, 1024_u64.checked_pow(u32::try_from(power).ok()?)?)
}
