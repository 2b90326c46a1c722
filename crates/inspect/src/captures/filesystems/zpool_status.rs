//! `zpool status`: which devices form a pool, and where OpenZFS complains about their block size.
//!
//! "Native" is what the device reported when the pool was imported. 512 configured on 4096 native is
//! real: every small write becomes a read-modify-write. Natives past 64 KiB are beyond what a pool can
//! have (ashift 16) and, like any difference above 4 KiB, hints: NVMe drives that report their
//! preferred write size, zvols whose volblocksize changed (zfs#13917, zfs#17327).

use ioalign_core::{Bytes, Remark, Severity, rules};

use crate::captures::reading::leading;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::power_of_two;

/// `zpool status`.
pub const FORMAT: TextFormat = TextFormat {
    name: "zpool-status",
    command: "zpool status",
    sniff: |text| text.any(is_heading) || text.any(|line| complaint(line).is_some()),
    read,
};

/// The largest block that a pool can have: ashift 16.
const LARGEST: u64 = 64 << 10;
/// Below it a configured block is smaller than any drive of today has.
const PAGE: u64 = 4096;
/// Names of vdevs that are not devices, with a number behind `-`.
const GROUPS: [&str; 7] = [
    "mirror",
    "raidz",
    "draid",
    "spare",
    "replacing",
    "log",
    "indirect",
];
/// Headings of classes.
const CLASSES: [&str; 5] = ["logs", "cache", "spares", "special", "dedup"];

/// `NAME  STATE  READ WRITE CKSUM`.
fn is_heading(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().take(5).collect();
    words == ["NAME", "STATE", "READ", "WRITE", "CKSUM"]
}

/// Bytes configured and native of `block size: 512B configured, 4096B native`.
fn complaint(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("block size:")?;
    let (configured, rest) = rest.split_once("configured,")?;
    let (native, _) = rest.split_once("native")?;
    let bytes = |text: &str| leading(text).filter(|_| text.trim().ends_with('B'));
    Some((bytes(configured)?, bytes(native)?))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut pool = String::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(name) = line.trim().strip_prefix("pool:") {
            name.trim().clone_into(&mut pool);
            inside = false;
        } else if is_heading(line) {
            inside = true;
        } else if inside && (line.trim().is_empty() || line.contains("errors:")) {
            inside = false;
        } else if (inside || complaint(line).is_some())
            && let Some(device) = device(line, &pool)
        {
            add(device, &pool, complaint(line), evidence);
        }
    }
    Ok(())
}

/// The device of a row: not the pool, not a group of devices.
fn device<'a>(line: &'a str, pool: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    // Prose and marks around a table have no state.
    words
        .next()
        .filter(|state| state.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let before = name
        .split(['-', ':'])
        .next()
        .unwrap_or(name)
        .trim_end_matches(char::is_numeric);
    let group = GROUPS.contains(&before) && name.contains(['-', ':']);
    // A pool whose block size is complained of in prose has no name before it.
    let none = name == pool || CLASSES.contains(&name) || group || name.starts_with("block");
    (!none).then_some(name)
}

fn add(device: &str, pool: &str, complaint: Option<(u64, u64)>, evidence: &mut TextEvidence) {
    let said = evidence.device(device);
    let mut found = FileSystem {
        kind: "zfs",
        label: pool.to_owned(),
        data_start: Bytes::new(4 << 20),
        ..FileSystem::default()
    };
    if let Some((configured, native)) = complaint {
        if power_of_two(configured, 512, LARGEST) {
            found.block = Some(Bytes::new(configured));
            found.ashift = Some(configured.trailing_zeros());
        }
        found
            .facts
            .insert("native-block", Bytes::new(native).to_string());
        said.remarks.push(remark(configured, native));
    }
    said.filesystem = Some(found);
}

/// What the complaint amounts to.
fn remark(configured: u64, native: u64) -> Remark {
    let stated = format!("zpool status: block size {configured} B configured, {native} B native");
    if configured < PAGE && native > configured && native <= LARGEST {
        let why = format!(
            "{stated}: ashift {} on {native}-byte blocks makes every smaller write a \
             read-modify-write",
            configured.max(1).ilog2()
        );
        return Remark::new(
            rules::ASHIFT_BELOW_PHYSICAL_BLOCK,
            Severity::Misaligned,
            why,
        )
        .advise(
            "Not fixable in place: a vdev keeps its ashift; replace it by a new vdev or pool made \
             with -o ashift=12",
        );
    }
    let why = if native > LARGEST {
        format!(
            "{stated}: a pool has blocks of 64 KiB at most (ashift 16); so large a native size is a \
             preference that the device reports, not a block it must read to change"
        )
    } else {
        format!(
            "{stated}: above 4 KiB the native size is what the device reports at the moment, a \
             preference or left from the device that was there before"
        )
    };
    Remark::note(rules::ZFS_NATIVE_HINT, why)
        .advise("Nothing to do before the hint is confirmed (physical_block_size in sysfs, zdb -C)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_devices() {
        assert_eq!(device("  sda1  ONLINE 0 0 0", "tank"), Some("sda1"));
        for row in [
            "tank ONLINE",
            "raidz2-0 ONLINE",
            "mirror-1 X",
            "logs",
            "draid1:4d:6c:0s-0 O",
            "spare-3 I",
        ] {
            assert_eq!(device(row, "tank"), None, "{row}");
        }
        assert_eq!(device("spare_disk ONLINE", "tank"), Some("spare_disk"));
    }
}
