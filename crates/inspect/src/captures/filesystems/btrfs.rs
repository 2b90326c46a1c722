//! `btrfs inspect-internal dump-super` (once `btrfs-show-super`): names and values by columns.

use std::collections::BTreeMap;

use ioalign_core::Bytes;

use crate::captures::reading::{any_radix, leading};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::power_of_two;

/// `btrfs inspect-internal dump-super`.
pub const FORMAT: TextFormat = TextFormat {
    name: "btrfs-dump-super",
    command: "btrfs inspect-internal dump-super",
    sniff: |text| text.any(|line| begins(line).is_some()),
    read,
};

/// Lines of one superblock that are kept.
const MOST_FIELDS: usize = 256;
const INCOMPAT_ZONED: u64 = 1 << 12;

/// The device of `superblock: bytenr=65536, device=/dev/sda1`.
fn begins(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("superblock: bytenr=")?;
    rest.split_once("device=").map(|(_, device)| device.trim())
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(&str, BTreeMap<&str, &str>)> = None;
    for line in text.lines() {
        if let Some(device) = begins(line) {
            close(open.replace((device, BTreeMap::new())), evidence);
        } else if let Some((_, fields)) = &mut open
            && let Some((key, value)) = line.split_once(char::is_whitespace)
            && fields.len() < MOST_FIELDS
        {
            fields.entry(key).or_insert(value.trim());
        }
    }
    close(open, evidence);
    Ok(())
}

fn close(block: Option<(&str, BTreeMap<&str, &str>)>, evidence: &mut TextEvidence) {
    let Some((device, fields)) = block else {
        return;
    };
    let text = |key: &str| fields.get(key).copied().unwrap_or_default();
    let number = |key: &str| leading(text(key));
    let Some(block) = number("sectorsize").filter(|block| power_of_two(*block, 512, 65536)) else {
        return;
    };
    let mut found = FileSystem {
        kind: "btrfs",
        block: Some(Bytes::new(block)),
        size: number("dev_item.total_bytes").map(Bytes::new),
        label: text("label").to_owned(),
        uuid: text("fsid").to_owned(),
        ..FileSystem::default()
    };
    for key in ["nodesize", "stripesize"] {
        if let Some(bytes) = number(key) {
            found.facts.insert(key, Bytes::new(bytes).to_string());
        }
    }
    for (fact, key) in [("devices", "num_devices"), ("device-uuid", "dev_item.uuid")] {
        if !text(key).is_empty() {
            found.facts.insert(fact, text(key).to_owned());
        }
    }
    if any_radix(text("incompat_flags")).is_some_and(|flags| flags & INCOMPAT_ZONED != 0) {
        found.facts.insert("zoned", "yes".to_owned());
    }
    evidence.device(device).filesystem = Some(found);
}
