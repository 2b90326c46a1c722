//! `mdadm --detail --export`: an array as variables. `--examine --export` prints a subset that says
//! neither chunk nor data offset; it adds facts only.

use std::collections::BTreeMap;

use ioalign_core::{ArrayLevel, Kind};

use super::md;
use crate::captures::reading::subject::Subject;
use crate::captures::{Text, TextArray, TextEvidence, TextFormat};
use crate::error::Result;

/// `mdadm --detail --export`.
pub const FORMAT: TextFormat = TextFormat {
    name: "mdadm-export",
    command: "mdadm --detail --export",
    sniff,
    read,
};

/// Variables of one array.
const MOST_VARIABLES: usize = 1 << 13;

fn sniff(text: &Text) -> bool {
    text.any(|line| line.starts_with("MD_LEVEL="))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["mdadm"]);
    let mut open: Option<(String, BTreeMap<&str, &str>)> = None;
    for line in text.lines() {
        let variable = line
            .strip_prefix("MD_")
            .and_then(|rest| rest.split_once('='));
        match (variable, &mut open) {
            (Some((key, value)), Some((_, known)))
                if !(key == "LEVEL" && known.contains_key("LEVEL")) =>
            {
                if known.len() < MOST_VARIABLES {
                    known.insert(key, value.trim());
                }
            }
            (Some((key, value)), _) => {
                close(open.take(), evidence);
                open = Some((subject.take(), BTreeMap::from([(key, value.trim())])));
            }
            (None, _) => {
                close(open.take(), evidence);
                subject.see(line);
            }
        }
    }
    close(open, evidence);
    Ok(())
}

fn close(block: Option<(String, BTreeMap<&str, &str>)>, evidence: &mut TextEvidence) {
    let Some((device, known)) = block else { return };
    let Some(level) = known.get("LEVEL").and_then(|word| md::level(word)) else {
        return;
    };
    let members: Vec<_> = known.keys().filter_map(|key| member(key, &known)).collect();
    let disks = known.get("DEVICES").and_then(|count| count.parse().ok());
    let said = evidence.device(&device);
    if let Some(uuid) = known.get("UUID") {
        said.facts.push(("uuid", (*uuid).to_owned()));
    }
    if members.is_empty() {
        let level = known.get("LEVEL").copied().unwrap_or_default();
        said.level = Some(ArrayLevel::new(level));
        return;
    }
    said.kind = Some(Kind::Md);
    said.parents = members.iter().map(|(name, _)| name.clone()).collect();
    said.array = Some(TextArray {
        level,
        raid_disks: disks.unwrap_or(0),
        members,
        metadata: known.get("METADATA").map(|text| (*text).to_owned()),
        ..TextArray::default()
    });
}

/// `MD_DEVICE_dev_sda1_DEV=/dev/sda1` with `MD_DEVICE_dev_sda1_ROLE=0` or `=spare`.
fn member(key: &str, known: &BTreeMap<&str, &str>) -> Option<(String, Option<u32>)> {
    let middle = key.strip_prefix("DEVICE_")?.strip_suffix("_DEV")?;
    let device = known.get(key)?.trim_start_matches("/dev/").to_owned();
    let role = known.get(format!("DEVICE_{middle}_ROLE").as_str());
    Some((device, role.and_then(|role| role.parse().ok())))
}
