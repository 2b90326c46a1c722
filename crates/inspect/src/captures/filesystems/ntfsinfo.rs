//! `ntfsinfo -m` of ntfs-3g: sector, cluster and size of an NTFS volume, in bytes and clusters.

use std::collections::BTreeMap;

use ioalign_core::Bytes;

use crate::captures::reading::{leading, pair};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::{power_of_two, product};

/// `ntfsinfo -m`.
pub const FORMAT: TextFormat = TextFormat {
    name: "ntfsinfo",
    command: "ntfsinfo -m",
    sniff: |text| {
        text.any(|line| line.trim() == "Volume Information")
            && text.any(|line| begins(line).is_some())
    },
    read,
};

/// Lines of one output that are kept.
const MOST_FIELDS: usize = 128;

fn begins(line: &str) -> Option<&str> {
    pair(line).and_then(|(key, value)| (key == "Name of device").then_some(value))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(&str, BTreeMap<&str, &str>)> = None;
    for line in text.lines() {
        if let Some(device) = begins(line) {
            close(open.replace((device, BTreeMap::new())), evidence);
        } else if let (Some((_, fields)), Some((key, value))) = (&mut open, pair(line))
            && fields.len() < MOST_FIELDS
        {
            fields.entry(key).or_insert(value);
        }
    }
    close(open, evidence);
    Ok(())
}

fn close(block: Option<(&str, BTreeMap<&str, &str>)>, evidence: &mut TextEvidence) {
    let Some((device, fields)) = block else {
        return;
    };
    let number = |key: &str| fields.get(key).copied().and_then(leading);
    let Some(cluster) = number("Cluster Size").filter(|size| power_of_two(*size, 256, 2 << 20))
    else {
        return;
    };
    let label = fields.get("Volume Name").copied().unwrap_or_default();
    evidence.device(device).filesystem = Some(FileSystem {
        kind: "ntfs",
        block: Some(Bytes::new(cluster)),
        sector: number("Sector Size")
            .filter(|s| power_of_two(*s, 256, 4096))
            .map(Bytes::new),
        size: number("Volume Size in Clusters").and_then(|count| product(count, cluster)),
        label: label.to_owned(),
        ..FileSystem::default()
    });
}
