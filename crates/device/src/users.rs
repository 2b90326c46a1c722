//! Who uses a device or a file: mounts, devices on top, paging space, loop devices, virtual machines.

use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, makedev, minor};

use crate::lock;

/// Something that uses a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// The device, or a partition of it, is mounted.
    Mount {
        /// The device or partition.
        device: String,
        /// Where.
        point: String,
    },
    /// Another device lies on it: a volume, an array.
    Holder {
        /// The device or partition.
        device: String,
        /// The kernel name of the other.
        holder: String,
    },
    /// It is paging space.
    Swap {
        /// The device, partition or file.
        device: String,
    },
    /// A loop device has it for its backing file.
    Loop {
        /// The loop device.
        device: String,
    },
    /// A program that keeps QEMU's locks has it open: a virtual machine above all.
    Program,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mount { device, point } => write!(f, "{device} is mounted on {point}"),
            Self::Holder { device, holder } => write!(f, "{device} is part of {holder}"),
            Self::Swap { device } => write!(f, "{device} is paging space"),
            Self::Loop { device } => write!(f, "it is the backing file of {device}"),
            Self::Program => f.write_str("another program is using it as a disk"),
        }
    }
}

impl Use {
    /// What ends it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Mount { point, .. } => format!("unmount it first: umount {point}"),
            Self::Holder { holder, .. } => format!("stop {holder} first, or name {holder} instead"),
            Self::Swap { device } => format!("switch it off first: swapoff {device}"),
            Self::Loop { device } => {
                format!("name {device} instead, or detach it: losetup -d {device}")
            }
            Self::Program => "shut the machine down that runs on it".to_owned(),
        }
    }
}

/// Everything that uses the device or file at `path`, as the kernel tells.
pub fn users(path: &Path) -> Vec<Use> {
    let Ok(found) = path.metadata() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    // A pipe would wait for its other end, and nothing but these two is a disk.
    let is_disk = found.is_file() || found.file_type().is_block_device();
    if is_disk {
        all.extend(program(path));
    }
    if found.rdev() == 0 {
        let same = |other: &fs::Metadata| {
            other.rdev() == 0 && (other.dev(), other.ino()) == (found.dev(), found.ino())
        };
        all.extend(swaps(&same));
        all.extend(loops(&same));
        return all;
    }
    let numbers = with_partitions(found.rdev());
    let same = |other: &fs::Metadata| numbers.contains(&other.rdev());
    all.extend(mounts(&numbers));
    all.extend(numbers.iter().flat_map(|number| holders(*number)));
    all.extend(swaps(&same));
    all.extend(loops(&same));
    all
}

/// The folder of a block device in sysfs, its links resolved.
pub(crate) fn sysfs_folder(device: u64) -> Option<PathBuf> {
    let name = format!("/sys/dev/block/{}:{}", major(device), minor(device));
    fs::canonicalize(name).ok()
}

/// Whether the kernel takes no writes for a device, though it may be opened for them.
pub(crate) fn is_read_only(path: &Path) -> bool {
    let folder = path
        .metadata()
        .ok()
        .and_then(|found| sysfs_folder(found.rdev()));
    let text = folder.and_then(|folder| fs::read_to_string(folder.join("ro")).ok());
    text.is_some_and(|text| text.trim() == "1")
}

/// A device and its partitions.
fn with_partitions(device: u64) -> Vec<u64> {
    let mut numbers = vec![device];
    let Some(folder) = sysfs_folder(device) else {
        return numbers;
    };
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        if entry.path().join("partition").exists() {
            numbers.extend(number_in(&entry.path().join("dev")));
        }
    }
    numbers
}

/// `8:1`, as sysfs writes device numbers.
fn number_in(file: &Path) -> Option<u64> {
    parse_number(fs::read_to_string(file).ok()?.trim())
}

fn parse_number(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

fn name_of(device: u64) -> String {
    let name = sysfs_folder(device).and_then(|folder| {
        let name = folder.file_name()?.to_str()?;
        Some(format!("/dev/{name}"))
    });
    name.unwrap_or_else(|| format!("{}:{}", major(device), minor(device)))
}

/// `36 35 8:1 / /point options … - type source …` (proc(5)). btrfs has numbers of its own: there the
/// source is asked.
fn mounts(numbers: &[u64]) -> Vec<Use> {
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let of_line = |line: &str| {
        let (front, back) = line.split_once(" - ")?;
        let mut front = front.split(' ').skip(2);
        let number = parse_number(front.next()?)?;
        let point = unescape(front.nth(1)?);
        let source = back.split(' ').nth(1)?;
        let by_source = || fs::metadata(unescape(source)).ok().map(|of| of.rdev());
        let used = [Some(number), by_source().filter(|number| *number != 0)];
        let hit = used.into_iter().flatten().find(|n| numbers.contains(n))?;
        Some(Use::Mount {
            device: name_of(hit),
            point: point.display().to_string(),
        })
    };
    text.lines().filter_map(of_line).collect()
}

fn holders(device: u64) -> Vec<Use> {
    let folder = sysfs_folder(device).map(|folder| folder.join("holders"));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let of_entry = |entry: fs::DirEntry| Use::Holder {
        device: name_of(device),
        holder: format!("/dev/{}", entry.file_name().to_string_lossy()),
    };
    entries
        .into_iter()
        .flatten()
        .flatten()
        .map(of_entry)
        .collect()
}

/// `/proc/swaps`: a heading, then a path a line.
fn swaps(same: &dyn Fn(&fs::Metadata) -> bool) -> Vec<Use> {
    let text = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let paths = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next());
    paths
        .filter(|path| fs::metadata(unescape(path)).is_ok_and(|found| same(&found)))
        .map(|path| Use::Swap {
            device: unescape(path).display().to_string(),
        })
        .collect()
}

fn loops(same: &dyn Fn(&fs::Metadata) -> bool) -> Vec<Use> {
    let of_entry = |entry: fs::DirEntry| {
        let backing = fs::read_to_string(entry.path().join("loop/backing_file")).ok()?;
        let found = fs::metadata(backing.trim_end_matches('\n')).ok()?;
        same(&found).then(|| Use::Loop {
            device: format!("/dev/{}", entry.file_name().to_string_lossy()),
        })
    };
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    entries.filter_map(of_entry).collect()
}

fn program(path: &Path) -> Option<Use> {
    let file = fs::File::open(path).ok()?;
    lock::is_in_use(&file).then_some(Use::Program)
}

/// The kernel writes blanks and backslashes of paths as `\040`.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let code = octal
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = after
            .get(if code.is_some() { 3 } else { 0 }..)
            .unwrap_or_default();
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_paths_come_back() {
        assert_eq!(unescape(r"/mnt/a\040b\134c"), PathBuf::from(r"/mnt/a b\c"));
        assert_eq!(unescape(r"/mnt/\9"), PathBuf::from(r"/mnt/\9"));
    }

    #[test]
    fn the_root_file_system_is_in_use() {
        let text = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let line = text
            .lines()
            .find(|line| line.split(' ').nth(4) == Some("/"));
        let number = parse_number(line.unwrap().split(' ').nth(2).unwrap()).unwrap();
        let found = mounts(&[number]);
        assert!(
            found
                .iter()
                .any(|used| matches!(used, Use::Mount { point, .. } if point == "/")),
            "{found:?}"
        );
    }
}
