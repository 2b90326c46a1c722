//! The kernel's own list of the partitions of a device: read again after the table was changed.

mod ioctl;

use std::fs::{self, File};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;

use crate::sysfs::sysfs_folder;
use crate::{Error, Result};

/// A partition as the kernel should know it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelPartition {
    /// Its number.
    pub number: u32,
    /// Its first byte.
    pub start: u64,
    /// Its length.
    pub size: u64,
}

/// sysfs counts in sectors of this size for any device.
const SYSFS_SECTOR: u64 = 512;
/// udev looks at a device that was written to, and lets go of it at once.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Has the kernel take on a new table: all of it, or, where it does not read such a table or refuses to,
/// partition by partition.
///
/// A file, and a device of which the kernel knew no partitions, need nothing.
pub fn reread(path: &Path, wanted: &[KernelPartition]) -> Result<()> {
    if known(path).is_empty() {
        return Ok(());
    }
    let file = File::open(path)
        .map_err(|error| Error::io("cannot be opened again", error).of_target(path))?;
    for _ in 0..TRIES {
        if ioctl::reread(&file) != Err(Errno::BUSY) {
            break;
        }
        sleep(PAUSE);
    }
    one_by_one(&file, &known(path), wanted).map_err(|error| {
        Error::io("the kernel still has the old partitions", error.into())
            .of_target(path)
            .advise("the table on the disk is right: run partprobe, or restart, before it is used")
    })
}

/// The kernel's list of the partitions of a device.
pub fn known(path: &Path) -> Vec<KernelPartition> {
    use std::os::unix::fs::MetadataExt;
    let folder = path.metadata().ok();
    let folder = folder.and_then(|found| sysfs_folder(found.rdev()));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let of_entry = |entry: fs::DirEntry| {
        let number = |name: &str| -> Option<u64> {
            let text = fs::read_to_string(entry.path().join(name)).ok()?;
            text.trim().parse().ok()
        };
        Some(KernelPartition {
            number: u32::try_from(number("partition")?).ok()?,
            start: number("start")?.checked_mul(SYSFS_SECTOR)?,
            size: number("size")?.checked_mul(SYSFS_SECTOR)?,
        })
    };
    entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(of_entry)
        .collect()
}

/// Takes away what is no longer so, then adds what is new: nothing where all of it was read.
fn one_by_one(
    file: &File,
    known: &[KernelPartition],
    wanted: &[KernelPartition],
) -> Result<(), Errno> {
    for old in known.iter().filter(|old| !wanted.contains(old)) {
        ioctl::delete(file, old)?;
    }
    for new in wanted.iter().filter(|new| !known.contains(new)) {
        ioctl::add_partition(file, new)?;
    }
    Ok(())
}
