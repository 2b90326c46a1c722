//! `dumpe2fs -h` and `tune2fs -l`: an ext superblock in words. Stride and stripe width count blocks.

use std::collections::BTreeMap;

use ioalign_core::Bytes;
use ioalign_core::layer::RaidGeometry;

use crate::captures::reading::subject::{Subject, header};
use crate::captures::reading::{leading, pair};
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::ext::bogus_geometry;
use crate::filesystems::fields::{power_of_two, product};

/// `dumpe2fs -h` and `tune2fs -l`.
pub const FORMAT: TextFormat = TextFormat {
    name: "dumpe2fs",
    command: "dumpe2fs -h",
    sniff: |text| text.any(|line| is_magic(line) || is_stride(line)),
    read,
};

/// Lines of one superblock that are kept.
const MOST_FIELDS: usize = 256;
/// Features that ext2 and ext3 have (e2fsprogs `lib/e2p/feature.c` names).
const OLD: [&str; 10] = [
    "has_journal",
    "ext_attr",
    "resize_inode",
    "dir_index",
    "filetype",
    "sparse_super",
    "large_file",
    "needs_recovery",
    "meta_bg",
    "dir_prealloc",
];

fn is_magic(line: &str) -> bool {
    pair(line) == Some(("Filesystem magic number", "0xEF53"))
}

/// What of this output only `dumpe2fs | grep -i raid` leaves.
fn is_stride(line: &str) -> bool {
    pair(line).is_some_and(|(key, value)| {
        matches!(key, "RAID stride" | "RAID stripe width") && leading(value).is_some()
    })
}

type Fields<'a> = BTreeMap<&'a str, &'a str>;

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["dumpe2fs", "tune2fs"]);
    let mut fields = Fields::new();
    let mut device = None;
    for line in text.lines() {
        let Some((key, value)) = pair(line).filter(|_| header(line).is_none()) else {
            subject.see(line);
            continue;
        };
        // The first line of an output, and the lines that say whose it is.
        if key == "Filesystem volume name" {
            close(&fields, device.take(), evidence);
            fields = Fields::new();
            device = Some(subject.take());
        } else if subject.see(line) {
            continue;
        }
        if fields.len() < MOST_FIELDS {
            fields.entry(key).or_insert(value);
        }
    }
    close(&fields, device.or_else(|| Some(subject.take())), evidence);
    Ok(())
}

fn close(fields: &Fields<'_>, device: Option<String>, evidence: &mut TextEvidence) {
    let number = |key: &str| fields.get(key).copied().and_then(leading);
    let block = number("Block size").filter(|block| power_of_two(*block, 1024, 65536));
    let known = [
        "Filesystem magic number",
        "RAID stride",
        "RAID stripe width",
    ];
    let ext = known.iter().any(|key| fields.contains_key(key));
    let Some(block) = block.filter(|_| ext) else {
        return;
    };
    let features = fields
        .get("Filesystem features")
        .copied()
        .unwrap_or_default();
    let mut found = FileSystem {
        // `grep` has cut off the features, which tell the three apart.
        kind: if features.is_empty() {
            "ext"
        } else {
            kind(features)
        },
        block: Some(Bytes::new(block)),
        size: number("Block count").and_then(|count| product(count, block)),
        geometry: geometry(number("RAID stride"), number("RAID stripe width"), block),
        label: text(fields, "Filesystem volume name"),
        uuid: text(fields, "Filesystem UUID"),
        ..FileSystem::default()
    };
    // The cluster is printed where it differs from the block.
    if let Some(cluster) =
        number("Cluster size").filter(|cluster| power_of_two(*cluster, 1024, 1 << 30))
    {
        let cluster = Bytes::new(cluster);
        found.cluster = Some(cluster);
        found.facts.insert("bigalloc-cluster", cluster.to_string());
    }
    let journal = text(fields, "Journal UUID");
    if !journal.is_empty() {
        found.facts.insert("external-journal", journal);
    }
    found.remarks.extend(bogus_geometry(&found));
    evidence.device(&device.unwrap_or_default()).filesystem = Some(found);
}

/// A text field; `<none>` and `<not available>` stand for nothing.
fn text(fields: &Fields<'_>, key: &str) -> String {
    let value = fields.get(key).copied().unwrap_or_default();
    if value.starts_with('<') {
        String::new()
    } else {
        value.to_owned()
    }
}

fn geometry(stride: Option<u64>, width: Option<u64>, block: u64) -> Option<RaidGeometry> {
    if stride.unwrap_or(0) == 0 && width.unwrap_or(0) == 0 {
        return None;
    }
    Some(RaidGeometry {
        unit: product(stride.unwrap_or(0), block)?,
        width: product(width.unwrap_or(0), block)?,
    })
}

fn kind(features: &str) -> &'static str {
    let has = |name: &str| features.split_whitespace().any(|each| each == name);
    if has("journal_dev") {
        "ext-journal"
    } else if features.split_whitespace().any(|each| !OLD.contains(&each)) {
        "ext4"
    } else if has("has_journal") {
        "ext3"
    } else {
        "ext2"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_features() {
        assert_eq!(kind("has_journal ext_attr extent 64bit"), "ext4");
        assert_eq!(
            kind("has_journal ext_attr filetype sparse_super large_file"),
            "ext3"
        );
        assert_eq!(kind("ext_attr filetype"), "ext2");
        assert_eq!(kind("journal_dev"), "ext-journal");
    }
}
