//! The file systems: made, filled, checked and listed by their own tools.

use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard, Random};

/// A file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ext4,
    Xfs,
    Btrfs,
    Ntfs,
    Fat32,
}

impl Kind {
    /// MiB of the smallest partition that is tried with it.
    pub const fn mib(self) -> u64 {
        match self {
            Self::Xfs => 300,
            Self::Btrfs => 128,
            _ => 48,
        }
    }

    /// The type of its partition in an MBR.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ntfs => "7",
            Self::Fat32 => "c",
            _ => "83",
        }
    }

    /// Makes it in a partition that starts at this sector of its disk.
    pub fn make(self, device: &Loop, sector: u64) {
        let sector = sector.to_string();
        let (program, arguments): (_, &[&str]) = match self {
            Self::Ext4 => ("mkfs.ext4", &["-q", "-F"]),
            Self::Xfs => ("mkfs.xfs", &["-q", "-f"]),
            Self::Btrfs => ("mkfs.btrfs", &["-q", "-f"]),
            Self::Ntfs => (
                "mkntfs",
                &[
                    "-q", "-F", "-s", "512", "-p", &sector, "-H", "255", "-S", "63",
                ],
            ),
            Self::Fat32 => ("mkfs.fat", &["-F", "32", "-s", "1", "-h", &sector]),
        };
        tool(program, &[arguments, &[device.text()]].concat());
    }

    /// Its checker finds nothing, and changes nothing.
    pub fn check(self, device: &Loop) {
        let (program, arguments): (_, &[&str]) = match self {
            Self::Ext4 => ("e2fsck", &["-f", "-n"]),
            Self::Xfs => ("xfs_repair", &["-n"]),
            Self::Btrfs => ("btrfs", &["check", "--readonly"]),
            Self::Ntfs => ("ntfsfix", &["--no-action"]),
            Self::Fat32 => ("fsck.fat", &["-n"]),
        };
        tool(program, &[arguments, &[device.text()]].concat());
    }

    /// Copies a folder into it.
    pub fn fill(self, device: &Loop, from: &Path, scratch: &Path) {
        if self == Self::Fat32 {
            let script = "mcopy -s -m -Q -i \"$1\" \"$2\"/* ::";
            tool("sh", &["-ec", script, "sh", device.text(), text(from)]);
            return;
        }
        let mount = self.mount(device, scratch);
        let from = format!("{}/.", text(from));
        tool("cp", &["--recursive", &from, text(mount.path())]);
    }

    /// All files in it: path, length, time, contents.
    pub fn listing(self, device: &Loop, scratch: &Path) -> String {
        if self == Self::Fat32 {
            let folder = tempfile::tempdir_in(scratch).unwrap();
            let script = "mcopy -s -m -n -Q -i \"$1\" '::*' \"$2\"";
            tool(
                "sh",
                &["-ec", script, "sh", device.text(), text(folder.path())],
            );
            return listing(folder.path());
        }
        let mount = self.mount(device, scratch);
        listing(mount.path())
    }

    fn mount(self, device: &Loop, scratch: &Path) -> MountGuard {
        let name = match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
            // This kernel may have no NTFS of its own.
            Self::Ntfs => "ntfs-3g",
            Self::Fat32 => "vfat",
        };
        MountGuard::new(&["-t", name, device.text()], &scratch.join("mounted"))
    }

    /// The sector at which it believes to start, where it does.
    pub fn hidden(self, device: &Loop) -> Option<u64> {
        let holds = matches!(self, Self::Ntfs | Self::Fat32);
        holds.then(|| {
            let text = tool("od", &["-An", "-tu4", "-j28", "-N4", device.text()]);
            text.trim().parse().unwrap()
        })
    }
}

/// A line a file, sorted.
pub fn listing(folder: &Path) -> String {
    let script = "cd \"$1\"; { find . -type f -printf '%P %s %T@ '  -exec sha256sum '{}' ';'; \
                  find . -type l -printf '%P -> %l\\n'; } | sort";
    let lines = tool("sh", &["-ec", script, "sh", text(folder)]);
    assert!(lines.lines().count() >= 40, "{lines}");
    lines
}

/// A folder of files of all sizes: nothing, less than a sector, around blocks, some MiB.
pub fn files(folder: &Path) {
    let mut random = Random(0x66_69_78);
    let lengths = [
        0, 1, 511, 512, 513, 4095, 4096, 4097, 65_537, 200_000, 1_048_583,
    ];
    for directory in ["", "a b", "deep/er/still", "deep/other"] {
        let directory = folder.join(directory);
        std::fs::create_dir_all(&directory).unwrap();
        for (number, length) in lengths.iter().enumerate() {
            let words = std::iter::repeat_with(|| random.next().to_le_bytes());
            let bytes: Vec<u8> = words.take(length / 8 + 1).flatten().take(*length).collect();
            std::fs::write(directory.join(format!("file {number}.bin")), bytes).unwrap();
        }
    }
}
