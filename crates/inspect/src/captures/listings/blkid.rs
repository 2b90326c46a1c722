//! `blkid -p` and `-i`: where libblkid found a partition, in 512-byte units, and the limits of a queue.

use super::super::reading::subject::Subject;
use super::super::{Text, TextEvidence, TextFormat};
use super::lsblk::{self, LsblkNode};
use super::sizes;
use crate::error::Result;

/// `blkid -p`.
pub const FORMAT: TextFormat = TextFormat {
    name: "blkid",
    command: "blkid -p",
    sniff: |text| {
        text.any(|line| {
            pairs(line).any(|(key, _)| matches!(key, "PART_ENTRY_OFFSET" | "PHYSICAL_SECTOR_SIZE"))
        })
    },
    read,
};

/// Tag and column of `lsblk`.
const TAGS: &[(&str, &str)] = &[
    ("PART_ENTRY_OFFSET", "START"),
    ("PART_ENTRY_TYPE", "PARTTYPE"),
    ("PTTYPE", "PTTYPE"),
    ("TYPE", "FSTYPE"),
    ("LABEL", "LABEL"),
    ("UUID", "UUID"),
    ("MINIMUM_IO_SIZE", "MIN-IO"),
    ("OPTIMAL_IO_SIZE", "OPT-IO"),
    ("PHYSICAL_SECTOR_SIZE", "PHY-SEC"),
    ("LOGICAL_SECTOR_SIZE", "LOG-SEC"),
    ("ALIGNMENT_OFFSET", "ALIGNMENT"),
];

/// All `KEY="value"` of a line, and `KEY=value` if the line is nothing else (`-o export`).
fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    let quoted = std::iter::from_fn(move || {
        let (before, after) = rest.split_once("=\"")?;
        let (value, next) = after.split_once('"')?;
        rest = next;
        Some((before.rsplit([' ', '\t']).next()?, value))
    });
    let plain = line.trim().split_once('=').filter(|(key, value)| {
        let upper = |c: char| c.is_ascii_uppercase() || c == '_';
        !key.is_empty() && key.chars().all(upper) && !value.starts_with('"')
    });
    quoted.chain(plain)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["blkid"]);
    let mut nodes: Vec<LsblkNode> = Vec::new();
    let mut open: Option<LsblkNode> = None;
    for line in text.lines() {
        let named = line
            .trim_start()
            .split_once(": ")
            .filter(|(name, _)| name.starts_with("/dev/"));
        if line.trim().is_empty() || named.is_some() || subject.see(line) {
            nodes.extend(open.take().filter(is_whole));
        }
        for (key, value) in pairs(line) {
            let name = match (key, named) {
                ("DEVNAME", _) => Some(value),
                (_, Some((name, _))) => Some(name),
                _ => None,
            };
            if key == "DEVNAME" {
                nodes.extend(open.take().filter(is_whole));
            }
            let node = open.get_or_insert_with(|| {
                let mut node = LsblkNode::default();
                node.insert(
                    "NAME",
                    name.map_or_else(|| subject.take(), str::to_owned).as_str(),
                );
                node
            });
            take(node, key, value);
        }
    }
    nodes.extend(open.filter(is_whole));
    lsblk::tell(&nodes, evidence);
    Ok(())
}

fn take(node: &mut LsblkNode, key: &str, value: &str) {
    match key {
        "PART_ENTRY_SIZE" => {
            let bytes = sizes::whole(value).and_then(|count| count.checked_mul(512));
            node.insert(
                "SIZE",
                &bytes.map(|bytes| bytes.to_string()).unwrap_or_default(),
            );
        }
        "PART_ENTRY_OFFSET" => node.insert("TYPE", "part"),
        _ => {}
    }
    if let Some((_, column)) = TAGS.iter().find(|(tag, _)| *tag == key) {
        node.insert(column, value);
    }
}

/// Whether it says more than what is on the device: plain `blkid` is no claim about places.
fn is_whole(node: &LsblkNode) -> bool {
    node.get("NAME").is_some()
        && ["START", "PHY-SEC"]
            .iter()
            .any(|key| node.get(key).is_some())
}
