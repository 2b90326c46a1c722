//! What of a bundle a reader may ask for. The rest of a sosreport, nearly all of it, is passed over.

/// Bytes kept of a text.
const MOST_TEXT: u64 = 4 << 20;
/// Bytes kept of a file of sysfs or udev.
const MOST_ATTRIBUTE: u64 = 64 << 10;
/// Bytes that are not zero in the copy of a device.
pub(super) const MOST_DEVICE: u64 = 32 << 20;
/// Folders above the top of a bundle: `sosreport-host-2026/`, `host/data/`.
const MOST_ABOVE: usize = 2;

/// How a file is kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum KeepMode {
    /// Not at all.
    No,
    /// As an attribute.
    Attribute,
    /// As a text.
    Text,
    /// Without its zeros.
    Device,
}

impl KeepMode {
    pub(super) const fn most(self) -> u64 {
        match self {
            Self::No => 0,
            Self::Attribute => MOST_ATTRIBUTE,
            Self::Text => MOST_TEXT,
            Self::Device => MOST_DEVICE,
        }
    }
}

/// Folders at the top of a host's tree or of a bundle.
const TOPS: &[&str] = &[
    "sys",
    "proc",
    "dev",
    "run",
    "etc",
    "ioalign",
    "sos_commands",
    "insights_commands",
    // Nothing below these is read.
    "var",
    "usr",
    "boot",
    "lib",
    "opt",
    "home",
    "root",
    "tmp",
    "sos_logs",
    "sos_reports",
    "sos_strings",
    "insights_logs",
    "environment",
];

/// Folders that tell a bundle even when nothing in them is read.
const MARKS: &[&str] = &["sos_commands", "insights_commands"];

/// Beginnings of commands, hence of the files that bundles keep their outputs in.
const COMMANDS: &[&str] = &[
    "blkid",
    "blockdev",
    "btrfs",
    "cryptsetup",
    "dmesg",
    "dmsetup",
    "dumpe2fs",
    "fdisk",
    "gdisk",
    "hpssacli",
    "ls_-lanR_.dev",
    "lsblk",
    "lvdisplay",
    "lvs",
    "mdadm",
    "megacli",
    "MegaCli",
    "multipath",
    "nvme",
    "parted",
    "perccli",
    "pvdisplay",
    "pvs",
    "sfdisk",
    "sg_",
    "sgdisk",
    "smartctl",
    "ssacli",
    "storcli",
    "tune2fs",
    "udevadm_info",
    "vgdisplay",
    "vgs",
    "xfs_info",
    "zdb",
    "zfs_get",
    "zpool",
];

/// Whether a file of this name holds the output of a command that a reader knows.
pub fn is_output(name: &str) -> bool {
    // Wrappers that bundles write before the command.
    let name = name.strip_prefix("timeout_").unwrap_or(name);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    COMMANDS.iter().any(|command| {
        let rest = name.strip_prefix(command);
        rest.is_some_and(|rest| {
            command.ends_with('_') || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        })
    })
}

/// How the file at `path` is kept; folders and links are where this is not [`KeepMode::No`].
pub(super) fn want(path: &str) -> KeepMode {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let top = parts
        .iter()
        .take(MOST_ABOVE + 1)
        .position(|part| TOPS.contains(part));
    let Some(top) = top else {
        // Texts by any name, near the top.
        let near = parts.len() <= MOST_ABOVE + 1;
        return if near { KeepMode::Text } else { KeepMode::No };
    };
    let below = parts.get(top + 1..).unwrap_or_default();
    match parts.get(top).copied().unwrap_or_default() {
        "dev" | "ioalign" => KeepMode::Device,
        "sys" if is_sysfs(below) => KeepMode::Attribute,
        "run" if below.iter().zip(["udev", "data"]).all(|(a, b)| *a == b) => KeepMode::Attribute,
        "proc" if is_proc(below) => KeepMode::Text,
        "etc" if is_configuration(below) => KeepMode::Text,
        // Folders and links of plugins too.
        "sos_commands" | "insights_commands" if below.len() < 2 => KeepMode::Text,
        "sos_commands" | "insights_commands" => output(below),
        _ => KeepMode::No,
    }
}

/// The part of `path` that shows what kind of bundle it is of: `host/sos_commands`.
pub(super) fn mark(path: &str) -> Option<&str> {
    let end = |name: &str| Some(path.find(name)? + name.len());
    let end = MARKS.iter().find_map(|name| end(name))?;
    let mark = path.get(..end)?;
    let rest = path.get(end..)?;
    (rest.starts_with('/') && mark.split('/').count() <= MOST_ABOVE + 1).then_some(mark)
}

fn output(below: &[&str]) -> KeepMode {
    match below.last() {
        Some(name) if is_output(name) => KeepMode::Text,
        _ => KeepMode::No,
    }
}

/// Devices and the machine; not the kernel's modules, memory and processors.
fn is_sysfs(below: &[&str]) -> bool {
    match below {
        [] | ["block" | "dev" | "hypervisor", ..] | ["class" | "devices" | "fs"] => true,
        ["class", kind, ..] => matches!(*kind, "block" | "dmi" | "nvme"),
        ["devices", kind, ..] => !matches!(*kind, "system" | "software" | "breakpoint"),
        ["fs", kind, ..] => *kind == "bcache",
        _ => false,
    }
}

fn is_proc(below: &[&str]) -> bool {
    matches!(
        below,
        [] | ["mdstat" | "partitions" | "mounts" | "swaps" | "version" | "cpuinfo" | "meminfo"]
            | ["self" | "1"]
            | ["self" | "1", "mountinfo" | "mounts"]
            | ["device-tree"]
            | ["device-tree", "model"]
            | ["sys"]
            | ["sys", "kernel"]
            | ["sys", "kernel", "hostname" | "osrelease"]
    )
}

fn is_configuration(below: &[&str]) -> bool {
    match below {
        [] | ["lvm" | "my.cnf" | "my.cnf.d" | "mysql", ..] => true,
        [name] => matches!(*name, "fstab" | "os-release" | "hostname" | "mdadm.conf"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept() {
        for (path, kept) in [
            (
                "sosreport-a/sys/block/sda/queue/physical_block_size",
                KeepMode::Attribute,
            ),
            (
                "sys/devices/pci0000:00/ata1/block/sda/size",
                KeepMode::Attribute,
            ),
            ("sys/module/xfs/parameters/x", KeepMode::No),
            ("sys/devices/system/cpu/cpu0/online", KeepMode::No),
            ("host/data/insights_commands/lsblk_-P", KeepMode::Text),
            ("sosreport-a/sos_commands/block/lsblk_-O_-P", KeepMode::Text),
            (
                "sosreport-a/sos_commands/networking/ip_-s_-d_link",
                KeepMode::No,
            ),
            ("sosreport-a/sos_logs/messages", KeepMode::No),
            ("sosreport-a/var/log/messages", KeepMode::No),
            ("dev/sda", KeepMode::Device),
            ("ioalign/nvme/nvme0n1.id-ns", KeepMode::Device),
            ("etc/passwd", KeepMode::No),
            ("etc/lvm/backup/vg", KeepMode::Text),
            ("proc/mdstat", KeepMode::Text),
            ("proc/4711/cmdline", KeepMode::No),
            ("fdisk.txt", KeepMode::Text),
            ("host1/parted.txt", KeepMode::Text),
            ("a/b/c/d/e.txt", KeepMode::No),
        ] {
            assert_eq!(want(path), kept, "{path}");
        }
    }

    #[test]
    fn outputs_by_their_names() {
        for name in [
            "lsblk",
            "lsblk_-t",
            "fdisk_-l_.dev.sda",
            "pvs.txt",
            "parted_-s_.dev.sda",
            "sg_inq",
        ] {
            assert!(is_output(name), "{name}");
        }
        for name in ["lsblkx", "parteds", "ps_auxwww", "README.txt", ""] {
            assert!(!is_output(name), "{name}");
        }
    }
}
