//! The users of a device or a file: mounts, devices on top, paging space, loop devices, virtual machines,
//! and programs that have it open for writing. Files and devices below a loop device are checked too.
//!
//! Mounts of all mount namespaces and open files of all processes are found that `/proc` shows to this process: as
//! root those of its own pid namespace and of the ones below. Files that a host, or a neighbouring container, has
//! open are not visible from a container; its mounts and volumes still claim a device, which makes opening it fail.

mod mounts;
mod processes;
mod writers;

use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use ioalign_core::shell;
use rustix::fs::{major, makedev, minor};

use crate::lock;
use crate::loops::{self, LoopBacking, MOST_DEEP};
use processes::OtherProcess;

/// Something that uses a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// The device, or a partition of it, is mounted.
    Mount {
        /// The device or partition.
        device: String,
        /// The mount point.
        point: String,
    },
    /// The same in another mount namespace, or outside of the folder that is `/` here.
    MountElsewhere {
        /// The device or partition.
        device: String,
        /// The mount point, in that namespace.
        point: String,
        /// A process that lives there.
        pid: u32,
        /// Its name.
        name: String,
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
    /// A process has it, or what lies below it, open or mapped for writing.
    OpenForWriting {
        /// The process.
        pid: u32,
        /// Its name.
        name: String,
    },
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mount { device, point } => write!(f, "{device} is mounted on {point}"),
            Self::MountElsewhere {
                device,
                point,
                pid,
                name,
            } => write!(
                f,
                "{device} is mounted on {point} in the mount namespace of process {pid} ({name})"
            ),
            Self::Holder { device, holder } => write!(f, "{device} is part of {holder}"),
            Self::Swap { device } => write!(f, "{device} is paging space"),
            Self::Loop { device } => write!(f, "it is the backing file of {device}"),
            Self::Program => f.write_str("another program is using it as a disk"),
            Self::OpenForWriting { pid, name } => {
                write!(f, "process {pid} ({name}) has it open for writing")
            }
        }
    }
}

impl Use {
    /// The command that ends it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Mount { point, .. } => {
                format!("unmount it first: umount {}", shell::word(point))
            }
            Self::MountElsewhere { point, pid, .. } => format!(
                "unmount it there first: nsenter --target {pid} --mount umount {}",
                shell::word(point)
            ),
            Self::Holder { holder, .. } => format!("stop {holder} first, or name {holder} instead"),
            Self::Swap { device } => {
                format!("switch it off first: swapoff {}", shell::word(device))
            }
            Self::Loop { device } => {
                format!(
                    "name {device} instead, or detach it: losetup -d {}",
                    shell::word(device)
                )
            }
            Self::Program => "shut the machine down that runs on it".to_owned(),
            Self::OpenForWriting { pid, .. } => format!("end process {pid} first"),
        }
    }
}

/// Everything that uses the device or file at `path`, or what lies below it, as the kernel tells.
pub fn users(path: &Path) -> Vec<Use> {
    let Ok(found) = path.metadata() else {
        return Vec::new();
    };
    // A pipe would wait for its other end, and nothing but these two is a disk.
    if !found.is_file() && !found.file_type().is_block_device() {
        return Vec::new();
    }
    let processes = processes::all();
    let mut ground = UsedObject::new(path, &found);
    let mut all = ground.users(&processes, None);
    for _ in 0..MOST_DEEP {
        let Some(backing) = ground.backing() else {
            break;
        };
        let above = ground.number;
        ground = UsedObject::below(&backing);
        all.extend(ground.users(&processes, Some(above)));
    }
    all
}

/// A file or a device, by what the kernel knows it by.
struct UsedObject {
    path: PathBuf,
    /// The number of a device; 0 for a file.
    number: u64,
    /// File system and inode of a file.
    file: (u64, u64),
}

impl UsedObject {
    fn new(path: &Path, found: &fs::Metadata) -> Self {
        let is_block = found.file_type().is_block_device();
        Self {
            path: path.to_owned(),
            number: if is_block { found.rdev() } else { 0 },
            file: (found.dev(), found.ino()),
        }
    }

    /// The file or device below a loop device, even if its recorded name is no longer right.
    fn below(backing: &LoopBacking) -> Self {
        Self {
            path: backing.path.clone(),
            number: backing.number,
            file: (backing.device, backing.inode),
        }
    }

    fn backing(&self) -> Option<LoopBacking> {
        loops::backing(self.number)
    }

    /// `above`: the loop device on it that is the target itself.
    fn users(&self, processes: &[OtherProcess], above: Option<u64>) -> Vec<Use> {
        let mut all: Vec<Use> = program(&self.path, self.file, self.number)
            .into_iter()
            .collect();
        if self.number == 0 {
            let same =
                |other: &fs::Metadata| other.rdev() == 0 && (other.dev(), other.ino()) == self.file;
            all.extend(swaps(&same));
            all.extend(self.loops(&[], above));
            all.extend(writers::of_file(processes, self.file));
            return all;
        }
        let numbers = with_partitions(self.number);
        let same = |other: &fs::Metadata| numbers.contains(&other.rdev());
        all.extend(mounts::of_devices(&numbers, processes));
        all.extend(numbers.iter().flat_map(|number| holders(*number)));
        all.extend(swaps(&same));
        all.extend(self.loops(&numbers, above));
        all.extend(writers::of_devices(processes, &numbers));
        all
    }

    /// Loop devices over it, but for the one that is asked about.
    fn loops(&self, numbers: &[u64], above: Option<u64>) -> Vec<Use> {
        let is_here = |backing: &LoopBacking| match numbers {
            [] => (backing.device, backing.inode) == self.file,
            _ => numbers.contains(&backing.number),
        };
        let over = loops::all().into_iter();
        over.filter(|(_, number, backing)| Some(*number) != above && is_here(backing))
            .map(|(name, ..)| Use::Loop {
                device: format!("/dev/{name}"),
            })
            .collect()
    }
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

pub(crate) fn parse_number(text: &str) -> Option<u64> {
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

fn program(path: &Path, file: (u64, u64), number: u64) -> Option<Use> {
    let open = fs::File::open(path).ok()?;
    let found = open.metadata().ok()?;
    let is_it = found.rdev() == number || (found.dev(), found.ino()) == file;
    (is_it && lock::is_in_use(&open)).then_some(Use::Program)
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
}
