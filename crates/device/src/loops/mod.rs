//! The file below a loop device. The kernel is asked by number, because a path may now lead elsewhere, or
//! nowhere: the file can be deleted, renamed, or visible in another mount namespace only.

mod attach;

use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::major;
use rustix::ioctl::{Getter, Opcode, ioctl};

pub use attach::{AttachedLoop, detach, loops_on};

use crate::sysfs::{parse_number, sysfs_folder};

/// `LOOP_MAJOR`.
const LOOP_MAJOR: u32 = 7;
/// `LOOP_GET_STATUS64` of `linux/loop.h`.
const STATUS: Opcode = 0x4c05;
/// Loops over loops: no chain is deeper.
pub(crate) const MOST_DEEP: usize = 16;

/// `struct loop_info64`.
#[repr(C)]
#[derive(Clone, Copy)]
struct LoopStatus {
    device: u64,
    inode: u64,
    number: u64,
    offset: u64,
    size_limit: u64,
    flags: [u32; 4],
    names: [u8; 160],
    init: [u64; 2],
}

/// The file or device below a loop device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopBacking {
    /// By its name of when the loop device was made, where that still leads to it.
    pub path: PathBuf,
    /// The file system that it is on.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its own number where it is a device, else 0.
    pub number: u64,
    /// The start of the loop device in it.
    pub start: u64,
    /// Its length; 0: up to the end of the file.
    pub limit: u64,
}

impl LoopBacking {
    /// Whether the path leads to the file that the kernel has open.
    pub(crate) fn is_reachable(&self) -> bool {
        let found = fs::metadata(&self.path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == (self.device, self.inode))
    }
}

/// The file below the device of this number; `None`: it is not a loop device, or has no file.
pub(crate) fn backing(number: u64) -> Option<LoopBacking> {
    if major(number) != LOOP_MAJOR {
        return None;
    }
    let folder = sysfs_folder(number)?;
    let text = |name: &str| fs::read(folder.join("loop").join(name)).ok();
    let count = |name: &str| {
        let digits = String::from_utf8(text(name)?).ok()?;
        digits.trim().parse::<u64>().ok()
    };
    let mut path = text("backing_file")?;
    path.pop_if(|last| *last == b'\n');
    let path = PathBuf::from(std::ffi::OsString::from_vec(path));
    let node = Path::new("/dev").join(folder.file_name()?);
    if let Some(status) = status(&node, number) {
        return Some(LoopBacking {
            path,
            device: status.device,
            inode: status.inode,
            number: status.number,
            start: status.offset,
            limit: status.size_limit,
        });
    }
    let found = fs::metadata(&path).ok()?;
    Some(LoopBacking {
        device: found.dev(),
        inode: found.ino(),
        number: found.rdev(),
        path,
        start: count("offset")?,
        limit: count("sizelimit")?,
    })
}

/// The driver's answer, if the usual node exists and may be opened.
fn status(node: &Path, number: u64) -> Option<LoopStatus> {
    let file = File::open(node).ok()?;
    if file.metadata().ok()?.rdev() != number {
        return None;
    }
    // SAFETY: the opcode is LOOP_GET_STATUS64, which fills one `struct loop_info64` and reads nothing.
    unsafe { ioctl(&file, Getter::<STATUS, LoopStatus>::new()) }.ok()
}

/// The file at the bottom of a loop device, by its name when the device was made; `None`: it is not a loop
/// device, the name now leads to another file, or there is a device at the bottom.
pub fn backing_file(path: &Path) -> Option<PathBuf> {
    let mut number = fs::metadata(path).ok()?.rdev();
    for _ in 0..MOST_DEEP {
        let below = backing(number)?;
        if below.number == 0 {
            return below.is_reachable().then_some(below.path);
        }
        number = below.number;
    }
    None
}

/// All loop devices that have a file, with their kernel names and numbers, in the order of these.
pub(crate) fn all() -> Vec<(String, u64, LoopBacking)> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let one = |entry: fs::DirEntry| {
        let name = entry.file_name().to_str()?.to_owned();
        if !name.starts_with("loop") || !entry.path().join("loop").exists() {
            return None;
        }
        let number = fs::read_to_string(entry.path().join("dev")).ok()?;
        let number = parse_number(number.trim())?;
        Some((name, number, backing(number)?))
    };
    let mut all: Vec<_> = entries.filter_map(one).collect();
    all.sort_unstable_by_key(|(_, number, _)| *number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_the_kernels_size() {
        assert_eq!(size_of::<LoopStatus>(), 232);
    }
}
