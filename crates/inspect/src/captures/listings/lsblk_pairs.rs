//! `lsblk -P`: a line of `KEY="value"` pairs a device, with or without `-O`.
//!
//! Such lines are long, so that mail programs wrap them: a device ends where a key comes again.

use super::super::{Text, TextEvidence, TextFormat};
use super::lsblk::{LsblkNode, tell};
use crate::error::Result;

/// `lsblk -P`.
pub const FORMAT: TextFormat = TextFormat {
    name: "lsblk-pairs",
    command: "lsblk -P",
    sniff: |text| text.any(is_ours),
    read,
};

/// Columns that no other program prints as pairs.
const OURS: &[&str] = &[
    "KNAME=\"",
    "PKNAME=\"",
    "MIN-IO=\"",
    "MIN_IO=\"",
    "LOG-SEC=\"",
    "LOG_SEC=\"",
    "ALIGNMENT=\"",
    "MAJ:MIN=\"",
    "MAJ_MIN=\"",
    "START=\"",
    "MOUNTPOINT=\"",
    "SIZE=\"",
];

fn is_ours(line: &str) -> bool {
    line.contains("NAME=\"") && OURS.iter().any(|key| line.contains(key))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut nodes = vec![LsblkNode::default()];
    let mut wrapped = String::new();
    for line in text.lines() {
        let broken = wrapped.matches('"').count() % 2 == 1;
        if broken {
            wrapped.push_str(line);
            scan(&wrapped, &mut nodes);
            wrapped.clear();
        } else if !starts_pair(line) {
            nodes.push(LsblkNode::default());
        } else if line.matches('"').count() % 2 == 1 {
            line.clone_into(&mut wrapped);
        } else {
            scan(line, &mut nodes);
        }
    }
    nodes.retain(|node| node.keys.len() > 1);
    tell(&nodes, evidence);
    Ok(())
}

fn starts_pair(line: &str) -> bool {
    pair(line.trim_start()).is_some() || {
        let key = line.trim_start().split("=\"").next().unwrap_or_default();
        is_key(key) && key.len() < line.trim_start().len()
    }
}

fn is_key(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_:%".contains(c);
    !text.is_empty() && text.len() <= 32 && text.chars().all(plain)
}

/// The first pair of the text: key, value, what follows.
fn pair(text: &str) -> Option<(&str, &str, &str)> {
    let (key, rest) = text.split_once("=\"")?;
    let (value, rest) = rest.split_once('"')?;
    is_key(key).then_some((key, value, rest))
}

fn scan(line: &str, nodes: &mut Vec<LsblkNode>) {
    let mut rest = line.trim_start();
    while let Some((key, value, after)) = pair(rest) {
        let again = |node: &LsblkNode| node.seen(key);
        if nodes.last().is_none_or(again) {
            nodes.push(LsblkNode::default());
        }
        if let Some(node) = nodes.last_mut() {
            node.insert(key, value.trim());
        }
        rest = after.trim_start();
    }
}
