//! `mdadm -D`: an array in the words of the running kernel. It does not tell where data start on the
//! members; `mdadm -E` does.

use super::blocks::{DeviceText, blocks};
use super::md;
use crate::captures::reading::{leading, pair};
use crate::captures::{Number, Text, TextArray, TextEvidence, TextFormat};
use crate::error::Result;
use ioalign_core::{ArrayLevel, Kind};

/// `mdadm -D` and `mdadm --detail`.
pub const FORMAT: TextFormat = TextFormat {
    name: "mdadm-detail",
    command: "mdadm -D",
    sniff,
    read,
};

/// Members of one array that are read.
const MOST_MEMBERS: usize = 4096;

fn sniff(text: &Text) -> bool {
    text.any(is_detail)
}

/// Lines that `mdadm -E` has not.
fn is_detail(line: &str) -> bool {
    pair(line).is_some_and(|(key, _)| {
        matches!(
            key,
            "Persistence" | "Consistency Policy" | "Member Arrays" | "Container"
        )
    })
}

/// `Number   Major   Minor   RaidDevice State`.
fn headed(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words
        .by_ref()
        .take(4)
        .eq(["Number", "Major", "Minor", "RaidDevice"])
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for block in blocks(text, &["mdadm"]) {
        let detail =
            block.lines.iter().any(|line| is_detail(line)) && block.value("Magic").is_none();
        if !detail {
            continue;
        }
        let Some(array) = array(&block) else { continue };
        let said = evidence.device(&block.device);
        said.kind = Some(Kind::Md);
        said.parents = array.members.iter().map(|(name, _)| name.clone()).collect();
        said.size = block
            .value("Array Size")
            .and_then(md::kib)
            .map(|size| Number::exact(size.get()));
        said.facts = facts(&block);
        said.level = block.value("Raid Level").map(ArrayLevel::new);
        said.array = Some(array);
    }
    Ok(())
}

/// `None` for containers, which have no data of their own.
fn array(block: &DeviceText<'_>) -> Option<TextArray> {
    let level = md::level(block.value("Raid Level")?)?;
    let disks = leading(block.value("Raid Devices")?)?;
    Some(TextArray {
        level,
        layout: md::layout(level, block.value("Layout")),
        chunk: block.value("Chunk Size").and_then(md::chunk),
        raid_disks: u32::try_from(disks).ok()?,
        members: members(&block.lines),
        metadata: block.value("Version").map(str::to_owned),
        ..TextArray::default()
    })
}

/// `0  254  1  0  active sync set-A  /dev/vda1`: the fourth word is the slot, `-` for a spare.
fn members(lines: &[&str]) -> Vec<(String, Option<u32>)> {
    let rows = lines.iter().skip_while(|line| !headed(line)).skip(1);
    rows.filter_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let device = words.last().filter(|word| word.starts_with("/dev/"))?;
        let active = words.contains(&"active") || words.contains(&"rebuilding");
        let slot = words.get(3)?.parse().ok().filter(|_| active);
        Some((device.trim_start_matches("/dev/").to_owned(), slot))
    })
    .take(MOST_MEMBERS)
    .collect()
}

fn facts(block: &DeviceText<'_>) -> Vec<(&'static str, String)> {
    let known = [("uuid", "UUID"), ("state", "State"), ("layout", "Layout")];
    known
        .into_iter()
        .filter_map(|(fact, key)| {
            let value = block.value(key)?;
            let value = if fact == "uuid" {
                md::uuid(value)
            } else {
                value.to_owned()
            };
            Some((fact, value))
        })
        .collect()
}
