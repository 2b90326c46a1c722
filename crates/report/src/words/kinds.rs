//! The names of layers and grids in sentences.

use ioalign_core::{Confidence, Kind, Severity, Tier};

use super::clean;

/// A layer in a sentence: `file system`, singular.
pub const fn layer(kind: Kind) -> &'static str {
    match kind {
        Kind::Disk => "disk",
        Kind::Image => "image file",
        Kind::Partition => "partition",
        Kind::Md => "RAID array",
        Kind::LvmPv => "LVM physical volume",
        Kind::LvmLv => "logical volume",
        Kind::ThinPool => "thin pool",
        Kind::Crypt => "encrypted volume",
        Kind::Bcache => "bcache device",
        Kind::Volume => "volume",
        Kind::Filesystem => "file system",
        Kind::Swap => "swap area",
        Kind::Database => "database",
        Kind::File => "file",
    }
}

/// A grid's cell in a sentence: `physical block`, `RAID chunk`.
pub fn cell(kind: &str) -> String {
    match kind {
        "raid-chunk" | "md-chunk" => "RAID chunk".to_owned(),
        "stripe" | "full-stripe" => "full stripe".to_owned(),
        "optimal-io" | "optimal" => "optimal I/O size".to_owned(),
        "" => "cell".to_owned(),
        other => clean(&other.replace(['-', '_'], " ")),
    }
}

/// The same where its size stands before it: a physical block is the usual one.
pub fn short_cell(kind: &str) -> String {
    match kind {
        "physical-block" => "block".to_owned(),
        other => cell(other),
    }
}

/// Several cells: `physical blocks`.
pub fn cells(kind: &str) -> String {
    let one = cell(kind);
    if one.ends_with('s') {
        one
    } else {
        format!("{one}s")
    }
}

/// The effect of being off such a grid.
pub const fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Validity => "off it, I/O fails",
        Tier::Rmw => "off it, a write becomes read-modify-write",
        Tier::Preference => "crossing it costs extra",
    }
}

/// The interface's word for a confidence.
pub const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// The meaning of a severity, in plain words.
pub const fn meaning(severity: Severity) -> &'static str {
    match severity {
        Severity::Unknown => "nothing was recognised, so nothing is claimed",
        Severity::Ok => "every data layer starts on the boundaries below it",
        Severity::Note => "worth knowing, costs data nothing",
        Severity::Suboptimal => "I/O crosses boundaries and costs more than necessary",
        Severity::Misaligned => "writes become read-modify-write, one request becomes two",
        Severity::DataRisk => "a crash or a torn write can lose data",
        Severity::Broken => "does not boot, mount, join or read",
    }
}
