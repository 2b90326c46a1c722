//! `smartctl -i` and `-a`, as text and as JSON: sector sizes, model, rotation.

use ioalign_core::SectorSize;
use serde_json::Value;

use crate::captures::reading::subject::{Subject, header};
use crate::captures::reading::{json, leading, pair};
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// The text.
pub const TEXT: TextFormat = TextFormat {
    name: "smartctl",
    command: "smartctl -a",
    sniff: |text| text.any(is_information),
    read: read_text,
};

/// `-j`.
pub const JSON: TextFormat = TextFormat {
    name: "smartctl-json",
    command: "smartctl -j",
    sniff: |text| {
        text.any(|line| line.contains("\"smartctl\""))
            && text.any(|line| line.contains("\"device\""))
    },
    read: read_json,
};

fn is_information(line: &str) -> bool {
    line.starts_with("=== START OF INFORMATION SECTION")
}

/// The contents of one output.
#[derive(Default)]
struct Info {
    device: String,
    claims: Claims,
    bytes: Option<u64>,
    /// First logical block on a physical boundary.
    lowest: u64,
}

fn read_text(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["smartctl"]);
    let mut open: Option<Info> = None;
    for line in text.lines() {
        if is_information(line) {
            close(open.take(), evidence);
            open = Some(Info {
                device: subject.take(),
                ..Info::default()
            });
        } else if header(line).is_some() || line.starts_with("=== START") {
            close(open.take(), evidence);
            subject.see(line);
        } else if let Some(info) = &mut open {
            if let Some((key, value)) = pair(line) {
                line_of(info, key, value);
            }
        } else {
            subject.see(line);
        }
    }
    close(open, evidence);
    Ok(())
}

fn line_of(info: &mut Info, key: &str, value: &str) {
    let claims = &mut info.claims;
    match key {
        "Device Model" | "Product" => {
            value.clone_into(&mut claims.model);
            if claims.transport == Transport::Unknown {
                claims.transport = Transport::Scsi;
            }
        }
        "Model Number" => {
            value.clone_into(&mut claims.model);
            claims.transport = Transport::Nvme;
        }
        "Vendor" => value.clone_into(&mut claims.vendor),
        "User Capacity" => info.bytes = leading(value),
        "Sector Size" | "Sector Sizes" => sectors(claims, value),
        "Logical block size" => claims.logical = leading(value),
        "Physical block size" => claims.physical = leading(value),
        "Lowest aligned LBA" => info.lowest = leading(value).unwrap_or(0),
        "Rotation Rate" => claims.rotational = Some(value.contains("rpm")),
        _ => namespace(info, key, value),
    }
}

/// `512 bytes logical, 4096 bytes physical`, `512 bytes logical/physical`.
fn sectors(claims: &mut Claims, value: &str) {
    let (logical, physical) = value.split_once(',').unwrap_or((value, value));
    claims.logical = leading(logical);
    claims.physical = leading(physical);
}

/// `Namespace 1 Formatted LBA Size: 512`, of the first namespace.
fn namespace(info: &mut Info, key: &str, value: &str) {
    let Some(rest) = key.strip_prefix("Namespace 1 ") else {
        return;
    };
    match rest {
        "Formatted LBA Size" => info.claims.logical = leading(value),
        "Size/Capacity" | "Size" => info.bytes = leading(value),
        _ => {}
    }
}

fn close(info: Option<Info>, evidence: &mut TextEvidence) {
    let Some(mut info) = info else { return };
    if info.claims.logical.is_none() && info.claims.model.is_empty() {
        return;
    }
    let logical = info.claims.logical.unwrap_or(512);
    let shift = info
        .lowest
        .checked_mul(logical)
        .and_then(|n| i64::try_from(n).ok());
    info.claims.alignment_offset = shift.unwrap_or(0);
    let said = evidence.device(&info.device);
    said.sector = info
        .claims
        .logical
        .and_then(|n| SectorSize::new(u32::try_from(n).ok()?));
    said.size = info.bytes.map(Number::exact);
    said.claims = Some(info.claims);
}

fn read_json(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["smartctl"]);
    for line in text.lines() {
        subject.see(line);
    }
    for document in json::documents(text) {
        if document.get("smartctl").is_some() {
            close(Some(from_json(&document, &mut subject)), evidence);
        }
    }
    Ok(())
}

fn from_json(document: &Value, subject: &mut Subject<'_>) -> Info {
    let device = document.get("device");
    let named = |key: &str| device.and_then(|device| json::word(device, key));
    let nvme = named("protocol").is_some_and(|word| word == "NVMe");
    let namespaces = json::list(document, "nvme_namespaces");
    let formatted = namespaces
        .first()
        .and_then(|ns| json::number(ns, "formatted_lba_size"));
    let rotation = document.get("rotation_rate").and_then(Value::as_u64);
    Info {
        device: named("name").unwrap_or_else(|| subject.take()),
        bytes: document
            .get("user_capacity")
            .and_then(|size| json::number(size, "bytes")),
        lowest: json::number(document, "lowest_aligned_lba").unwrap_or(0),
        claims: Claims {
            logical: json::number(document, "logical_block_size").or(formatted),
            physical: json::number(document, "physical_block_size"),
            model: json::word(document, "model_name")
                .or_else(|| json::word(document, "scsi_model_name"))
                .unwrap_or_default(),
            vendor: json::word(document, "vendor")
                .or_else(|| json::word(document, "scsi_vendor"))
                .unwrap_or_default(),
            rotational: rotation.map(|rate| rate != 0),
            transport: if nvme {
                Transport::Nvme
            } else {
                Transport::Scsi
            },
            ..Claims::default()
        },
    }
}
