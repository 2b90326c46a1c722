//! `cryptsetup luksDump`: LUKS1 counts its payload offset in 512-byte units, LUKS2 its segments in
//! bytes.

use ioalign_core::Bytes;

use crate::captures::reading::subject::{Subject, header};
use crate::captures::reading::{leading, pair};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::volumes::{Detail, VolumeMember};

/// `cryptsetup luksDump`.
pub const FORMAT: TextFormat = TextFormat {
    name: "luksdump",
    command: "cryptsetup luksDump",
    sniff: |text| text.any(|line| begins(line).is_some()),
    read,
};

/// What one output says so far.
#[derive(Default)]
struct Dump {
    device: String,
    version: u64,
    uuid: String,
    label: String,
    cipher: String,
    start: Option<Bytes>,
    /// `None` for "(whole device)".
    size: Option<Bytes>,
    sector: Option<Bytes>,
    segments: u32,
    integrity: Option<String>,
    inside: bool,
}

/// The device behind `LUKS header information for`, empty for LUKS2, which does not name it.
fn begins(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("LUKS header information")?;
    match rest.strip_prefix(" for ") {
        Some(device) => Some(device.trim()),
        None => rest.is_empty().then_some(""),
    }
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["luksDump", "cryptsetup"]);
    let mut dump: Option<Dump> = None;
    for line in text.lines() {
        if let Some(device) = begins(line) {
            close(dump.take(), evidence);
            let known = subject.take();
            let device = if device.is_empty() {
                known
            } else {
                device.to_owned()
            };
            dump = Some(Dump {
                device,
                ..Dump::default()
            });
        } else if header(line).is_some() || line.contains("luksDump") {
            close(dump.take(), evidence);
            subject.see(line);
        } else if let Some(dump) = &mut dump {
            line_of(dump, line);
        }
    }
    close(dump, evidence);
    Ok(())
}

fn line_of(dump: &mut Dump, line: &str) {
    let Some((key, value)) = pair(line) else {
        return;
    };
    match key {
        "Data segments" => dump.inside = true,
        "Keyslots" => dump.inside = false,
        "Version" => dump.version = leading(value).unwrap_or(0),
        "UUID" => value.clone_into(&mut dump.uuid),
        "Label" if !value.starts_with('(') => value.clone_into(&mut dump.label),
        "Payload offset" => dump.start = leading(value).and_then(units),
        "Cipher name" => value.clone_into(&mut dump.cipher),
        "Cipher mode" => dump.cipher = format!("{}-{value}", dump.cipher),
        _ if dump.inside => segment(dump, key, value),
        _ => {}
    }
}

fn units(count: u64) -> Option<Bytes> {
    Bytes::new(512).checked_mul(count)
}

/// A line below `Data segments:`; the first segment says where data start.
fn segment(dump: &mut Dump, key: &str, value: &str) {
    match key {
        "offset" if dump.start.is_none() => dump.start = bytes(value),
        "length" if dump.segments == 1 => dump.size = bytes(value),
        "cipher" => value.clone_into(&mut dump.cipher),
        "sector" => dump.sector = bytes(value),
        "integrity" => dump.integrity = Some(value.to_owned()),
        // `0: crypt`, `1: linear`; re-encryption keeps more of them, and backups at the end.
        _ if key.parse::<u32>().is_ok() => dump.segments = dump.segments.saturating_add(1),
        _ => {}
    }
}

/// `16777216 [bytes]`; nothing else has a known unit.
fn bytes(value: &str) -> Option<Bytes> {
    value
        .ends_with("[bytes]")
        .then(|| leading(value))
        .flatten()
        .map(Bytes::new)
}

fn close(dump: Option<Dump>, evidence: &mut TextEvidence) {
    let Some(dump) = dump else { return };
    let kind = match dump.version {
        1 => "luks1",
        2 => "luks2",
        _ => return,
    };
    let device = dump.device.clone();
    let sector = dump.sector.unwrap_or(Bytes::new(512));
    let mut member = VolumeMember::new(kind, detail(&dump, sector));
    member.data_start = dump.start.unwrap_or_default();
    member.data_size = dump.size.filter(|_| dump.segments == 1);
    if !dump.cipher.is_empty() {
        member.fact("cipher", &dump.cipher);
    }
    member.fact("sector-size", &sector.get());
    member.set = dump.uuid;
    member.name = dump.label;
    evidence.device(&device).member = Some(member);
}

fn detail(dump: &Dump, sector: Bytes) -> Detail {
    if let Some(integrity) = &dump.integrity {
        return Detail::Opaque(format!(
            "dm-integrity ({integrity}) interleaves its tags with the data: addresses below are not linear"
        ));
    }
    match dump.start {
        Some(start) if !start.is_zero() => Detail::Crypt { sector },
        Some(_) => Detail::Opaque("the header is detached: data lie on another device".to_owned()),
        None => Detail::Opaque("the text has no start of the data".to_owned()),
    }
}
