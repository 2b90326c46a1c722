//! `mdadm -E`: the superblock of a member in words.
//!
//! Version 1 counts `Data Offset`, `Super Offset`, `Avail Dev Size` and `Used Dev Size` in 512-byte
//! sectors, version 0.90 its sizes in KiB (mdadm `super1.c`, `super0.c`, `examine_super*`).

use ioalign_core::Bytes;

use super::blocks::{DeviceText, blocks};
use super::md;
use crate::captures::reading::leading;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::volumes::md::layout::{MdShape, layout_name, level_name};
use crate::volumes::{Detail, Md, VolumeMember};

/// `mdadm -E` and `mdadm --examine` of one or several devices.
pub const FORMAT: TextFormat = TextFormat {
    name: "mdadm-examine",
    command: "mdadm -E",
    sniff,
    read,
};

const TOOLS: &[&str] = &["mdadm"];
/// What stands behind `Magic :`, with the kind of the set.
const MAGICS: [(&str, &str); 3] = [
    ("a92b4efc", "md"),
    ("Intel Raid ISM", "imsm"),
    ("de11de11", "ddf"),
];

fn sniff(text: &Text) -> bool {
    text.any(|line| magic(line).is_some())
}

fn magic(line: &str) -> Option<&'static str> {
    let (key, value) = crate::captures::reading::pair(line)?;
    let found = MAGICS.iter().find(|(magic, _)| value.starts_with(magic))?;
    (key == "Magic").then_some(found.1)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for block in blocks(text, TOOLS) {
        let Some(kind) = block.lines.iter().find_map(|line| magic(line)) else {
            continue;
        };
        let member = match kind {
            "md" => member(&block),
            "imsm" => Some(opaque(
                kind,
                "a member of an Intel firmware RAID set",
                "UUID",
                &block,
            )),
            _ => Some(opaque(
                "ddf",
                "a member of a DDF firmware RAID set",
                "Container GUID",
                &block,
            )),
        };
        if let Some(member) = member {
            evidence.device(&block.device).member = Some(member);
        }
    }
    Ok(())
}

fn opaque(kind: &'static str, why: &str, id: &str, block: &DeviceText<'_>) -> VolumeMember {
    let mut member = VolumeMember::opaque(kind, why);
    member.set = block.value(id).map(md::uuid).unwrap_or_default();
    if let Some(version) = block.value("Version") {
        member.fact("version", &version);
    }
    member
}

/// `None` where level or version are missing: a text cut off.
fn member(block: &DeviceText<'_>) -> Option<VolumeMember> {
    let version = version(block.value("Version")?)?;
    let level = md::level(block.value("Raid Level")?)?;
    let layout = md::layout(level, block.value("Layout"));
    let old = version == "0.90";
    let (data_start, data_size) = area(block, old)?;
    let used = used(block, old).or(data_size);
    let raid_disks = u32::try_from(leading(block.value("Raid Devices")?)?).ok()?;
    let chunk = block.value("Chunk Size").and_then(md::chunk);
    let chunk = chunk.filter(|_| level != 1).unwrap_or_default();
    let slot = slot(block);
    let shape = MdShape {
        level,
        layout: layout.unwrap_or(0),
        chunk,
        disks: raid_disks,
        used: used.unwrap_or_default(),
    };
    let md = Md {
        version,
        level,
        layout: shape.layout,
        chunk,
        raid_disks,
        slot,
        array_size: shape.array_size(),
        new_data_start: block.value("New Offset").and_then(md::sectors),
        events: block.value("Events").map(events).unwrap_or_default(),
    };
    let mut member = VolumeMember::new("md", Detail::Md(md));
    member.set = block
        .value("Array UUID")
        .or_else(|| block.value("UUID"))
        .map(md::uuid)
        .unwrap_or_default();
    member.name = block.value("Name").map(md::uuid).unwrap_or_default();
    member.data_start = data_start;
    member.data_size = data_size;
    facts(&mut member, block, level, shape.layout);
    Some(member)
}

/// The start of data, and how much there is of it. Version 0.90 starts at byte 0 and does not print
/// where its superblock lies: up to there is the size.
fn area(block: &DeviceText<'_>, old: bool) -> Option<(Bytes, Option<Bytes>)> {
    if old {
        return Some((Bytes::ZERO, None));
    }
    let start = match block.value("Data Offset") {
        Some(text) => md::sectors(text)?,
        // Not printed when it is zero (version 1.0).
        None => Bytes::ZERO,
    };
    Some((start, block.value("Avail Dev Size").and_then(md::sectors)))
}

/// Bytes used of each member. mdadm called it `Device Size` in its second version.
fn used(block: &DeviceText<'_>, old: bool) -> Option<Bytes> {
    let stated = block
        .value("Used Dev Size")
        .or_else(|| block.value("Device Size"))?;
    if old {
        md::kib(stated)
    } else {
        md::sectors(stated)
    }
}

/// `0.90.00`, `1.2`, `01` of the first mdadm that knew version 1.
fn version(text: &str) -> Option<&'static str> {
    let known = ["0.90", "1.0", "1.1", "1.2"];
    let exact = known.into_iter().find(|known| text.starts_with(known));
    exact.or_else(|| {
        ["00.90", "01.00", "01.01", "01.02"]
            .iter()
            .position(|v| text.starts_with(v))
            .and_then(|at| known.get(at).copied())
    })
}

/// `Device Role : Active device 0`; `this 0 254 1 0 active sync` in 0.90; `Array Slot : 1 (0, 1)` in
/// the first of version 1.
fn slot(block: &DeviceText<'_>) -> Option<u32> {
    if let Some(role) = block.value("Device Role") {
        return role.strip_prefix("Active device ")?.trim().parse().ok();
    }
    let line = block
        .lines
        .iter()
        .find(|line| line.trim_start().starts_with("this "))?;
    let mut words = line.split_whitespace();
    let slot = words.nth(4)?.parse().ok();
    let working = words.any(|word| matches!(word, "active" | "sync"));
    slot.filter(|_| working)
}

/// A number; mdadm before 2.6 printed `0.17` for 0.90: high and low half.
fn events(text: &str) -> u64 {
    match text.split_once('.') {
        Some((high, low)) => {
            let half = |text| {
                leading(text)
                    .and_then(|n| u32::try_from(n).ok())
                    .unwrap_or(0)
            };
            u64::from(half(high)) << 32 | u64::from(half(low))
        }
        None => leading(text).unwrap_or(0),
    }
}

fn facts(member: &mut VolumeMember, block: &DeviceText<'_>, level: i32, layout: u32) {
    member.fact("level", &level_name(level));
    let layout = layout_name(level, layout);
    if !layout.is_empty() {
        member.fact("layout", &layout);
    }
    if let Some(role) = block.value("Device Role") {
        member.fact("role", &role.to_ascii_lowercase());
    }
    if let Some(id) = block.value("Device UUID") {
        member.fact("device-uuid", &id);
    }
    if let Some(at) = block.value("Super Offset").and_then(md::sectors) {
        member.fact("superblock", &at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_events_of_all_ages() {
        assert_eq!(version("0.90.00"), Some("0.90"));
        assert_eq!(version("00.90.03"), Some("0.90"));
        assert_eq!(version("1.2"), Some("1.2"));
        assert_eq!(version("9"), None);
        assert_eq!(events("0.17"), 17);
        assert_eq!(events("1.2"), (1 << 32) + 2);
        assert_eq!(events("21098"), 21098);
        assert_eq!(events("99999999999.1"), 1);
    }
}
