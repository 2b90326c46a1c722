//! The users of a device or a file: mounts, devices on top, paging space, loop devices, virtual machines,
//! and programs that have it open for writing. Files and devices below a loop device are checked too.
//!
//! Mounts of all mount namespaces and open files of all processes are found that `/proc` shows to this process: as
//! root those of its own pid namespace and of the ones below. Files that a host, or a neighbouring container, has
//! open are not visible from a container; its mounts and volumes still claim a device, which makes opening it fail.

mod in_use;
mod mounts;
mod processes;
mod writers;

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::lock;
use crate::loops::{self, LoopBacking, MOST_DEEP};
use crate::sysfs::{number_in, sysfs_folder};
pub use in_use::Use;
use processes::OtherProcess;

/// Everything that uses the device or file at `path`, or what lies below it, as the kernel says.
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

/// Whether the kernel takes no writes for a device, though it may be opened for them.
pub fn is_read_only(path: &Path) -> bool {
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
