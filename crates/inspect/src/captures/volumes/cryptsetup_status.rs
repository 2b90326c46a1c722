//! `cryptsetup status`: an open mapping. Offset and size count 512-byte sectors for any encryption
//! sector; since 2.8 the unit is printed.

use std::collections::BTreeMap;

use ioalign_core::{Bytes, Kind};

use crate::captures::reading::{leading, pair};
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::volumes::{Detail, VolumeMember};

/// `cryptsetup status NAME`.
pub const FORMAT: TextFormat = TextFormat {
    name: "cryptsetup-status",
    command: "cryptsetup status",
    sniff: |text| text.any(|line| begins(line).is_some()) && text.any(|line| key(line) == "cipher"),
    read,
};

fn key(line: &str) -> &str {
    pair(line).map_or("", |(key, _)| key)
}

/// `/dev/mapper/secret is active and is in use.`
fn begins(line: &str) -> Option<&str> {
    let (name, rest) = line.trim().split_once(" is ")?;
    (name.starts_with("/dev/mapper/") && rest.starts_with("active")).then_some(name)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(&str, BTreeMap<&str, &str>)> = None;
    for line in text.lines() {
        if let Some(name) = begins(line) {
            close(open.replace((name, BTreeMap::new())), evidence);
        } else if let Some((_, known)) = &mut open
            && let Some((key, value)) = pair(line)
        {
            known.entry(key).or_insert(value);
        } else {
            close(open.take(), evidence);
        }
    }
    close(open, evidence);
    Ok(())
}

fn units(text: &str) -> Option<Bytes> {
    Bytes::new(512).checked_mul(leading(text)?)
}

fn close(block: Option<(&str, BTreeMap<&str, &str>)>, evidence: &mut TextEvidence) {
    let Some((name, known)) = block else { return };
    let get = |key: &str| known.get(key).copied();
    let kind = match get("type").map(str::to_ascii_uppercase).as_deref() {
        Some("LUKS1") => "luks1",
        Some("LUKS2") => "luks2",
        Some("PLAIN") => "plain",
        _ => return,
    };
    let Some(device) = get("device") else { return };
    let size = get("size").and_then(units);
    let said = evidence.device(name);
    said.kind = Some(Kind::Crypt);
    said.parents = vec![device.trim_start_matches("/dev/").to_owned()];
    said.size = size.map(|size| Number::exact(size.get()));
    let Some(offset) = get("offset").and_then(units) else {
        return;
    };
    let sector = get("sector size").and_then(leading).unwrap_or(512);
    let mut member = VolumeMember::new(
        kind,
        Detail::Crypt {
            sector: Bytes::new(sector),
        },
    );
    member.data_start = offset;
    member.data_size = size;
    member.fact("sector-size", &sector);
    if let Some(cipher) = get("cipher") {
        member.fact("cipher", &cipher);
    }
    evidence.device(device).member = Some(member);
}
