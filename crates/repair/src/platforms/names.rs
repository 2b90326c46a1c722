//! Names of disks in commands: as they were given, checked by the rules of the platform, or a placeholder that
//! no kernel makes, so that a command that is run as it is printed fails.

use std::path::Path;

use ioalign_core::shell;

use super::Platform;

/// What the disks are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskNames {
    /// The disks, in order.
    pub disks: Vec<String>,
    /// Whether they are placeholders for unnamed disks.
    pub are_placeholders: bool,
}

impl DiskNames {
    /// Disks that were named. A shell gets them quoted; for every other program they have to be plain, because
    /// each quotes by rules of its own. The error says which is not.
    pub fn given(platform: Platform, disks: &[String]) -> Result<Self, String> {
        for (index, disk) in disks.iter().enumerate() {
            if let Some(fault) = fault(platform, disk) {
                return Err(format!("--device {}: {fault}", shell::word(disk)));
            }
            if disks.iter().take(index).any(|other| other == disk) {
                return Err(format!("--device {disk} is named twice"));
            }
        }
        Ok(Self {
            disks: disks.iter().map(|disk| bare(platform, disk)).collect(),
            are_placeholders: false,
        })
    }

    /// Placeholders for this many disks.
    pub fn placeholders(platform: Platform, count: usize) -> Self {
        let one = match platform {
            Platform::Linux => {
                return Self {
                    disks: (0..count).map(|index| letters(index, count)).collect(),
                    are_placeholders: true,
                };
            }
            Platform::Esxi => "naa.ID",
            Platform::Windows => "N",
            Platform::Solaris => "cXtYdZ",
            Platform::FreeBsd => "daX",
        };
        Self {
            disks: vec![one.to_owned()],
            are_placeholders: true,
        }
    }

    /// The only disk, or the first.
    pub fn first(&self) -> &str {
        self.disks.first().map_or("", String::as_str)
    }
}

/// Linux names disks in lower case: `/dev/sdX` is none.
fn letters(index: usize, count: usize) -> String {
    let from = if count <= 3 {
        usize::from(b'X' - b'A')
    } else {
        0
    };
    let mut left = index + from;
    let mut name = String::new();
    loop {
        let letter = u8::try_from(left % 26).unwrap_or_default() + b'A';
        name.insert(0, char::from(letter));
        if left < 26 {
            return format!("/dev/sd{name}");
        }
        left = left / 26 - 1;
    }
}

/// Why the platform's commands cannot name it.
fn fault(platform: Platform, disk: &str) -> Option<&'static str> {
    let plain = |more: &'static str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
        !disk.is_empty() && !disk.starts_with('-') && disk.chars().all(is_plain)
    };
    let (fits, why) = match platform {
        Platform::Linux => (
            !disk.is_empty() && !disk.chars().any(char::is_control),
            "no control characters, and not empty",
        ),
        Platform::Windows => (
            !disk.is_empty() && disk.len() <= 4 && disk.chars().all(|c| c.is_ascii_digit()),
            "Windows numbers its disks: see Get-Disk, and give the number alone",
        ),
        Platform::Esxi => (
            plain("._:-/") && !bare(platform, disk).contains('/'),
            "a name as under /vmfs/devices/disks: letters, digits and . _ : - alone",
        ),
        Platform::Solaris => (plain("/"), "a name as c0t0d0: letters and digits alone"),
        Platform::FreeBsd => (
            plain("._-/"),
            "a name as da0 or mirror/gm0: letters, digits and . _ - / alone",
        ),
    };
    (!fits).then_some(why)
}

/// The name as the platform's own commands take it, which put its folder in front.
fn bare(platform: Platform, disk: &str) -> String {
    let folders: &[&str] = match platform {
        Platform::Esxi => &["/vmfs/devices/disks/", "/dev/disks/"],
        Platform::Solaris => &["/dev/rdsk/", "/dev/dsk/"],
        Platform::FreeBsd => &["/dev/"],
        Platform::Linux | Platform::Windows => &[],
    };
    let stripped = folders.iter().find_map(|folder| disk.strip_prefix(folder));
    stripped.unwrap_or(disk).to_owned()
}

/// The name of a partition on Linux. Links of udev say `-part1`; a disk whose name ends in a digit, `p1`
/// (libfdisk, `fdisk_partname`).
pub fn linux_partition(disk: &str, number: usize) -> String {
    let is_link = ["/dev/disk/by-", "/dev/mapper/"]
        .iter()
        .any(|folder| disk.starts_with(folder));
    if is_link {
        return format!("{disk}-part{number}");
    }
    let ends_in_digit = disk.ends_with(|last: char| last.is_ascii_digit());
    let p = if ends_in_digit { "p" } else { "" };
    format!("{disk}{p}{number}")
}

/// A name as a word of the shell.
pub fn shell_word(name: &str) -> String {
    shell::path(Path::new(name)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_named_as_the_kernel_and_udev_do() {
        for (disk, partition) in [
            ("/dev/sdb", "/dev/sdb1"),
            ("/dev/nvme0n1", "/dev/nvme0n1p1"),
            ("/dev/mmcblk0", "/dev/mmcblk0p1"),
            ("/dev/loop7", "/dev/loop7p1"),
            ("/dev/md0", "/dev/md0p1"),
            (
                "/dev/disk/by-id/wwn-0x5000",
                "/dev/disk/by-id/wwn-0x5000-part1",
            ),
            ("/dev/disk/by-path/pci-0", "/dev/disk/by-path/pci-0-part1"),
            ("/dev/mapper/mpatha", "/dev/mapper/mpatha-part1"),
            ("/dev/sdX", "/dev/sdX1"),
        ] {
            assert_eq!(linux_partition(disk, 1), partition);
        }
    }

    #[test]
    fn placeholders_are_no_names_of_a_kernel() {
        for count in [1, 2, 3, 4, 26, 27, 800] {
            let names = DiskNames::placeholders(Platform::Linux, count).disks;
            assert_eq!(names.len(), count);
            let different: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(different.len(), count);
            for name in names {
                let letters = name.strip_prefix("/dev/sd").unwrap();
                assert!(letters.chars().all(|c| c.is_ascii_uppercase()), "{name}");
            }
        }
        let one = DiskNames::placeholders(Platform::Linux, 1);
        assert_eq!(one.first(), "/dev/sdX");
        let three = DiskNames::placeholders(Platform::Linux, 3).disks;
        assert_eq!(three, ["/dev/sdX", "/dev/sdY", "/dev/sdZ"]);
    }

    #[test]
    fn names_that_a_dialogue_would_take_apart_are_refused() {
        let given = |platform, name: &str| DiskNames::given(platform, &[name.to_owned()]);
        for (_, platform) in Platform::ALL {
            for bad in ["", "a\nb", "a\u{1b}b", "a\u{7f}"] {
                assert!(given(platform, bad).is_err(), "{platform:?} {bad:?}");
            }
            if platform != Platform::Linux {
                for bad in [
                    "a;b", "a b", "a\"b", "a'b", "$(a)", "`a`", "-a", "a|b", "a%b%",
                ] {
                    assert!(given(platform, bad).is_err(), "{platform:?} {bad:?}");
                }
            }
        }
        for (platform, name, bare) in [
            (Platform::Windows, "2", "2"),
            (Platform::Esxi, "/vmfs/devices/disks/naa.600", "naa.600"),
            (Platform::Esxi, "mpx.vmhba1:C0:T0:L0", "mpx.vmhba1:C0:T0:L0"),
            (Platform::Solaris, "/dev/rdsk/c1t0d0", "c1t0d0"),
            (Platform::FreeBsd, "/dev/mirror/gm0", "mirror/gm0"),
        ] {
            assert_eq!(given(platform, name).unwrap().first(), bare);
        }
        assert!(given(Platform::Esxi, "/dev/sdb").is_err());
        let twice = ["/dev/sda".to_owned(), "/dev/sda".to_owned()];
        assert!(DiskNames::given(Platform::Linux, &twice).is_err());
    }
}
