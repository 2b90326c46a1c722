//! What a bundle has of sysfs: the limits of queues, and the names of mappings.
//!
//! sosreports copy `sys/block/*/queue/`, which is exact where the texts beside it are cut short; they
//! have neither starts nor sizes.

use std::collections::BTreeMap;

use ioalign_core::layer::Kind;

use super::super::evidence::is_passing;
use crate::captures::{Said, TextEvidence};
use crate::host::{self, Root};

/// Disks that are read.
const MOST_DISKS: usize = 1 << 14;

/// Adds the claims of every disk.
pub(super) fn read(root: &Root, evidence: &mut TextEvidence) {
    for name in root.list("sys/block").iter().take(MOST_DISKS) {
        if is_passing(name) || is_stacked(name) {
            continue;
        }
        let claims = host::claims_of(root, name);
        if claims.logical.or(claims.physical).is_some() {
            let said = evidence.device(&name.replace('!', "/"));
            said.kind = Some(Kind::Disk);
            said.claims = Some(claims);
        }
    }
    if !evidence.devices.is_empty() {
        evidence.read.push("sysfs queue limits");
    }
}

/// Their limits are put together from those below.
fn is_stacked(name: &str) -> bool {
    ["dm-", "md", "bcache"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Gives mappings one name, and drops devices of which a bundle knows nothing but that they are.
pub(super) fn tidy(root: &Root, evidence: &mut TextEvidence) {
    let mapped = mappings(root, &evidence.devices);
    for said in &mut evidence.devices {
        let names = std::iter::once(&mut said.name).chain(&mut said.parents);
        for name in names {
            if let Some(mapped) = mapped.get(name.as_str()) {
                name.clone_from(mapped);
            }
        }
    }
    evidence
        .devices
        .retain(|said| !is_passing(&said.name) && !said.name.starts_with("dm-"));
    for said in &mut evidence.devices {
        if said.name.starts_with("mapper/") && said.kind == Some(Kind::Disk) {
            // `fdisk -l` calls every device a disk.
            said.kind = None;
            said.claims = None;
        }
    }
}

/// Kernel names of mappings to those that people use: from sysfs, or from the numbers of `dmsetup`.
fn mappings(root: &Root, devices: &[Said]) -> BTreeMap<String, String> {
    let blocks = root.list("sys/block");
    let kernel = blocks.iter().filter(|name| name.starts_with("dm-"));
    let named = kernel.filter_map(|kernel| {
        let name = root.attr(&format!("sys/block/{kernel}/dm/name"))?;
        Some((kernel.clone(), format!("mapper/{name}")))
    });
    let numbered = devices.iter().filter_map(|said| {
        let number = said.devno.filter(|_| said.name.starts_with("mapper/"))?;
        Some((format!("dm-{}", number.minor), said.name.clone()))
    });
    numbered.chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bundle without `sys/block/dm-*/dm/name` has the names in `dmsetup info` alone.
    #[test]
    fn a_mapping_is_known_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::captured(folder.path()).unwrap();
        let mut evidence = TextEvidence::default();
        let number = |major, minor| Some(host::DevNo { major, minor });
        evidence.device("sda1").devno = number(8, 1);
        evidence.device("mapper/vg-data").devno = number(254, 1);
        evidence.device("dm-1").mounted = Some("/srv".to_owned());
        tidy(&root, &mut evidence);
        let names: Vec<_> = evidence
            .devices
            .iter()
            .map(|said| said.name.as_str())
            .collect();
        assert_eq!(names, ["sda1", "mapper/vg-data", "mapper/vg-data"]);
    }
}
