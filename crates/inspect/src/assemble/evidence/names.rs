//! Names of devices: which disk a partition belongs to, and the other names of a volume.

use std::collections::BTreeSet;

use ioalign_core::Layer;
use ioalign_core::layer::Kind;

use crate::volumes::VolumeGroup;

/// The disk of a partition, by the naming rules of Linux, the BSDs, Solaris and macOS.
///
/// `sda1` → `sda`, `nvme0n1p2` → `nvme0n1`, `md0p1` → `md0`, `c0t1d0s3` → `c0t1d0`, `disk0s1` → `disk0`,
/// `ada0p1` → `ada0`.
pub(super) fn disk_of(partition: &str) -> Option<String> {
    let digits = partition.len()
        - partition
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .len();
    if digits == 0 || digits == partition.len() {
        return None;
    }
    let stem = partition.get(..partition.len() - digits)?;
    let ends_in_digit = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    for separator in ["p", "s", "-part"] {
        if let Some(disk) = stem
            .strip_suffix(separator)
            .filter(|disk| ends_in_digit(disk))
        {
            return Some(disk.to_owned());
        }
    }
    // sda1, vda1, hda1, xvda1: the disk ends in a letter. A bare `md0` or `dm-0` is a disk itself.
    let lettered = ["sd", "vd", "hd", "xvd"].iter().any(|prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase()))
    });
    lettered.then(|| stem.to_owned())
}

/// Memory disks, loops without a file, drives without a medium: listings show them all, and nothing
/// is known of them.
pub(in crate::assemble) fn is_passing(name: &str) -> bool {
    let numbered = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    ["loop", "ram", "zram", "sr", "fd"]
        .into_iter()
        .any(numbered)
}

/// Whether it is the name of a volume that a group or a mapping makes: `mapper/vg-lv`, `vg/lv`, `dm-3`.
pub(super) fn is_volume(name: &str) -> bool {
    name.starts_with("dm-") || (name.contains('/') && !name.contains("disk/"))
}

/// All names of the volumes of these groups.
pub(super) fn of_groups(groups: &[VolumeGroup]) -> BTreeSet<String> {
    let volumes = groups
        .iter()
        .flat_map(|group| group.lvs.iter().map(move |lv| (group, lv)))
        .map(|(group, lv)| Layer::new(Kind::LvmLv, format!("{}/{}", group.name, lv.name)));
    volumes.flat_map(|layer| aliases(&layer)).collect()
}

/// Names under which texts speak of a volume that LVM metadata or superblocks describe.
pub(super) fn aliases(layer: &Layer) -> Vec<String> {
    match (layer.kind, layer.name.split_once('/')) {
        (Kind::LvmLv | Kind::ThinPool, Some((group, volume))) => {
            // Device-mapper doubles hyphens inside names.
            let double = |text: &str| text.replace('-', "--");
            let mapped = format!("{}-{}", double(group), double(volume));
            vec![format!("mapper/{mapped}"), mapped, layer.name.clone()]
        }
        _ => vec![layer.name.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_their_disks() {
        for (partition, disk) in [
            ("sda1", Some("sda")),
            ("sdaa12", Some("sdaa")),
            ("nvme0n1p2", Some("nvme0n1")),
            ("mmcblk0p1", Some("mmcblk0")),
            ("md0p1", Some("md0")),
            ("c0t1d0s3", Some("c0t1d0")),
            ("disk0s1", Some("disk0")),
            ("ada0p1", Some("ada0")),
            ("md0", None),
            ("dm-0", None),
            ("sda", None),
            ("nvme0n1", None),
            ("loop0", None),
            ("7", None),
        ] {
            assert_eq!(disk_of(partition).as_deref(), disk, "{partition}");
        }
    }
}
