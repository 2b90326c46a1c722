//! A device: by the names that its maker or the layer that made it gave it, as sysfs shows them.
//!
//! One without such a name (a virtual disk without a serial number) is the same as long as the machine runs, and
//! after a restart where it has the same size in the same slot.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::fs::{major, minor};

use super::Sameness;
use super::fields::{IdentityFields, plain};
use crate::sysfs::sysfs_folder;

/// Attributes of sysfs that are unique to a device, below its folder, with the kind of each.
const NAMES: [(&str, &str); 8] = [
    ("wwid", "wwid"),
    ("device/wwid", "wwid"),
    ("dm/uuid", "dm"),
    ("md/uuid", "md"),
    ("serial", "serial"),
    ("device/serial", "serial"),
    ("device/cid", "cid"),
    ("device/unique_id", "id"),
];
/// A number of sysfs is not longer.
const MOST: usize = 256;
/// sysfs counts sizes in sectors of this.
const SYSFS_SECTOR: u64 = 512;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeviceIdentity {
    /// `wwid:naa.5000…`, `dm:LVM-…`.
    names: BTreeSet<String>,
    size_bytes: u64,
    /// Its folder in sysfs, without its name, which the order of discovery decides.
    port: String,
    /// The boot in which number and sequence are valid.
    boot: String,
    number: String,
    /// Counts devices of this boot: another disk with the same number has another.
    sequence: String,
}

impl DeviceIdentity {
    pub fn new(device: u64) -> Self {
        let folder = sysfs_folder(device).unwrap_or_default();
        let text = |name: &str| read(&folder.join(name)).unwrap_or_default();
        let named = NAMES.iter().filter_map(|(file, sort)| {
            let name = text(file);
            (!name.is_empty()).then(|| format!("{sort}:{name}"))
        });
        let sectors: u64 = text("size").parse().unwrap_or(0);
        Self {
            names: named.collect(),
            size_bytes: sectors.saturating_mul(SYSFS_SECTOR),
            port: port(&folder),
            boot: read(Path::new("/proc/sys/kernel/random/boot_id")).unwrap_or_default(),
            number: format!("{}:{}", major(device), minor(device)),
            sequence: text("diskseq"),
        }
    }

    pub fn matches(&self, other: &Self) -> Sameness {
        if !self.names.is_disjoint(&other.names) {
            // The layer below may show one that several have; a clone of another size is none.
            return if self.size_bytes == other.size_bytes {
                Sameness::Same
            } else {
                Sameness::Different
            };
        }
        let both_named = !self.names.is_empty() && !other.names.is_empty();
        if both_named || self.size_bytes != other.size_bytes {
            return Sameness::Different;
        }
        let known = |one: &str, other: &str| !one.is_empty() && one == other;
        let same_boot = known(&self.boot, &other.boot);
        let same_instance = self.number == other.number && self.sequence == other.sequence;
        if (same_boot && same_instance) || known(&self.port, &other.port) {
            return Sameness::Same;
        }
        if same_boot {
            return Sameness::Different;
        }
        Sameness::Unknown(
            "it has no serial number, the machine was restarted since, and it is in another slot"
                .to_owned(),
        )
    }

    pub fn file_name(&self) -> String {
        match self.names.first() {
            Some(name) => format!("disk-{}", plain(name)),
            None => format!("disk-{}-{}", plain(&self.port), self.size_bytes),
        }
    }

    pub fn write(&self, fields: &mut IdentityFields) {
        let names: Vec<_> = self
            .names
            .iter()
            .map(|name| name.replace(',', "-"))
            .collect();
        fields.push("names", &names.join(","));
        fields.push("size", &self.size_bytes.to_string());
        fields.push("port", &self.port);
        fields.push("boot", &self.boot);
        fields.push("number", &self.number);
        fields.push("sequence", &self.sequence);
    }

    pub fn read(fields: &IdentityFields) -> Self {
        let names = fields.text("names").unwrap_or_default().split(',');
        Self {
            names: names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            size_bytes: fields.number("size").unwrap_or(0),
            port: fields.owned("port"),
            boot: fields.owned("boot"),
            number: fields.owned("number"),
            sequence: fields.owned("sequence"),
        }
    }
}

/// The slot: what the device hangs on. Virtual ones have none.
fn port(folder: &Path) -> String {
    let parent = folder.parent().and_then(Path::parent);
    let text = parent.map_or_else(String::new, |parent| parent.display().to_string());
    if text.contains("/virtual") {
        String::new()
    } else {
        text
    }
}

/// A line of sysfs, with its blanks as one each.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let words: Vec<_> = text.split_ascii_whitespace().collect();
    let text = words.join("_").replace(',', "-");
    (text.len() <= MOST).then_some(text)
}
