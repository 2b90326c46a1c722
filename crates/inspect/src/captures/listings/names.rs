//! Facts from a device's name: disk or partition, of which disk, how attached.

use ioalign_core::layer::Kind;

use crate::host::hints::Transport;

/// Prefixes of Linux disks that are followed by letters; a number after them is a partition.
const LETTERED: &[&str] = &["sd", "hd", "vd", "xvd", "dasd", "ubd"];
/// Prefixes of disks that are followed by a number.
const NUMBERED: &[&str] = &[
    "nvme", "mmcblk", "loop", "zram", "ram", "sr", "nbd", "rbd", "zd", "pmem", "drbd", "ada", "da",
    "nvd", "nda", "vtbd", "disk",
];
/// How a prefix is attached.
const TRANSPORTS: &[(&str, Transport)] = &[
    ("nvme", Transport::Nvme),
    ("nvd", Transport::Nvme),
    ("nda", Transport::Nvme),
    ("mmcblk", Transport::Mmc),
    ("loop", Transport::Loop),
    ("zd", Transport::Zvol),
    ("nbd", Transport::Network),
    ("rbd", Transport::Network),
    ("drbd", Transport::Network),
    ("xvd", Transport::Xen),
    ("vtbd", Transport::Virtio),
    ("vd", Transport::Virtio),
    ("sd", Transport::Scsi),
];

/// Disk and number of a partition: `sda1`, `nvme0n1p2`, `x-part3`, `c0t0d0s0`, `ada0p1`.
pub(super) fn split(name: &str) -> Option<(&str, u32)> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.get(base.len()..)?.parse().ok()?;
    if let Some(disk) = base.strip_suffix("-part") {
        return Some((disk, number));
    }
    for letter in ['p', 's'] {
        let disk = base.strip_suffix(letter);
        if let Some(disk) = disk.filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit())) {
            return Some((disk, number));
        }
    }
    lettered(base).then_some((base, number))
}

/// The number of the partition `name` of `disk`, both with or without `/dev/`.
pub(super) fn number(disk: &str, name: &str) -> Option<u32> {
    let (disk, name) = (
        disk.trim_start_matches("/dev/"),
        name.trim_start_matches("/dev/"),
    );
    let rest = name.strip_prefix(disk).filter(|_| !disk.is_empty());
    let digits = rest.map(|rest| rest.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let own = digits.and_then(|digits| digits.parse().ok());
    own.or_else(|| split(name).map(|(_, number)| number))
}

/// The name of a partition, as the Linux kernel makes it: a `p` after a digit.
pub(super) fn join(disk: &str, number: u64) -> String {
    if disk.ends_with(|c: char| c.is_ascii_digit()) {
        format!("{disk}p{number}")
    } else {
        format!("{disk}{number}")
    }
}

/// The kind of a device with this name; `None` if the name does not show it.
pub(super) fn kind(name: &str) -> Option<Kind> {
    if split(name).is_some() {
        return Some(Kind::Partition);
    }
    if numbered(name, "md") {
        return Some(Kind::Md);
    }
    if numbered(name, "bcache") {
        return Some(Kind::Bcache);
    }
    let disk = lettered(name) || NUMBERED.iter().any(|prefix| numbered(name, prefix));
    disk.then_some(Kind::Disk)
}

/// How a device of this name is attached.
pub(super) fn transport(name: &str) -> Transport {
    TRANSPORTS
        .iter()
        .find(|(prefix, _)| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        })
        .map_or(Transport::Unknown, |(_, transport)| *transport)
}

/// Whether a path is a file rather than a device.
pub(super) fn is_image(path: &str) -> bool {
    let device = path.starts_with("/dev/") || path.starts_with("/vmfs/devices/");
    !device && kind(path).is_none() && (path.starts_with('/') || path.contains('.'))
}

/// `sd` and letters, with nothing else.
fn lettered(name: &str) -> bool {
    LETTERED.iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase()))
    })
}

fn numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_of_many_systems() {
        for (name, disk, number) in [
            ("sda1", "sda", 1),
            ("xvda12", "xvda", 12),
            ("nvme0n1p2", "nvme0n1", 2),
            ("cciss/c0d0p3", "cciss/c0d0", 3),
            ("disk/by-id/ata-X-part4", "disk/by-id/ata-X", 4),
            ("c0t5000CCA0d0s0", "c0t5000CCA0d0", 0),
            ("ada0s1", "ada0", 1),
        ] {
            assert_eq!(split(name), Some((disk, number)), "{name}");
            assert_eq!(kind(name), Some(Kind::Partition));
        }
        for name in [
            "sda", "nvme0n1", "md127", "dm-3", "loop0", "mapper/x", "", "mmcblk0",
        ] {
            assert_eq!(split(name), None, "{name}");
        }
    }

    #[test]
    fn kinds_and_transports() {
        assert_eq!(kind("md127"), Some(Kind::Md));
        assert_eq!(kind("nvme0n1"), Some(Kind::Disk));
        assert_eq!(kind("mapper/vg-lv"), None);
        assert_eq!(kind("dm-0"), None);
        assert_eq!(transport("xvdb"), Transport::Xen);
        assert_eq!(transport("vda"), Transport::Virtio);
        assert_eq!(transport("mapper/x"), Transport::Unknown);
        assert_eq!(number("nvme0n1", "/dev/nvme0n1p3"), Some(3));
        assert_eq!(number("/tmp/a1.img", "/tmp/a1.img12"), Some(12));
        assert_eq!(number("", "sda5"), Some(5));
        assert_eq!(join("sda", 1), "sda1");
        assert_eq!(join("nvme0n1", 1), "nvme0n1p1");
        assert!(is_image("/tmp/x.img") && is_image("disk.img") && is_image("disk2.img"));
        assert!(!is_image("/dev/mapper/a.b") && !is_image("sda"));
    }
}
