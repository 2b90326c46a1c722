//! `zpool get ashift` and `zfs get volblocksize`.
//!
//! The property `ashift` of a pool is what new vdevs get, 0 for "ask the device": only `zdb -C` says
//! what the vdevs have.

use ioalign_core::{Bytes, Kind, Remark, rules};

use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::fields::{power_of_two, shifted};

/// `zpool get`, `zfs get`.
pub const FORMAT: TextFormat = TextFormat {
    name: "zfs-get",
    command: "zpool get ashift or zfs get volblocksize",
    sniff: |text| text.any(is_heading) || text.any(|line| property(line).is_some()),
    read,
};

/// The sources that a property may have (`zfsprops(7)`).
const SOURCES: [&str; 6] = [
    "default",
    "local",
    "-",
    "inherited",
    "temporary",
    "received",
];

fn is_heading(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    words == ["NAME", "PROPERTY", "VALUE", "SOURCE"]
}

/// Name, property and value of a row; with `-H` there are no headings.
fn property(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.split_whitespace();
    let (name, key, value, source) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let known = matches!(key, "ashift" | "volblocksize") && SOURCES.contains(&source);
    known.then_some((name, key, value))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for (name, key, value) in text.lines().filter_map(property) {
        match key {
            "ashift" => ashift(name, value, evidence),
            _ => volume(name, value, evidence),
        }
    }
    Ok(())
}

fn ashift(pool: &str, value: &str, evidence: &mut TextEvidence) {
    let Ok(shift) = value.parse::<u32>() else {
        return;
    };
    let said = evidence.device(pool);
    said.kind = Some(Kind::Filesystem);
    said.facts.push(("ashift-of-new-vdevs", shift.to_string()));
    if shifted(shift, 9, 16).is_none() {
        said.remarks.push(Remark::note(
            rules::ZFS_ASHIFT_UNKNOWN,
            format!(
                "The pool {pool} has ashift {shift}: each vdev has its own, which zdb -C shows"
            ),
        ));
    }
}

/// `16K`, or bytes with `-p`. A volume that is not there as a device still has a block.
fn volume(name: &str, value: &str, evidence: &mut TextEvidence) {
    let (digits, unit) = match value.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => match value.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (value.trim_end_matches('B'), 1),
        },
    };
    // `512`, `8K`, `1M`: powers of two, printed exactly.
    let exact = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
    let Some(bytes) = exact.filter(|bytes| power_of_two(*bytes, 512, 16 << 20)) else {
        return;
    };
    let said = evidence.device(&format!("zvol/{name}"));
    said.kind = Some(Kind::Volume);
    said.block = Some(Bytes::new(Number::exact(bytes).low));
    said.facts
        .push(("volblocksize", Bytes::new(bytes).to_string()));
}
