//! A file: its inode, the moment at which that was made, and the id of its file system.
//!
//! The number of a file system (`st_dev`) changes at every mount, so its id counts: the UUID if the kernel has it, for
//! btrfs the `f_fsid`, which differs in every subvolume and snapshot. A copy of a file has another inode; if it happens
//! to get the number of a deleted one, its time of creation differs.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, fstatfs, fstatvfs, major, makedev, minor, statx};
use rustix::ioctl::{Getter, Opcode, ioctl, opcode};

use super::Sameness;
use super::fields::{IdentityFields, plain};
use crate::sysfs::parse_number;

/// `FS_IOC_GETFSUUID` of `linux/fs.h`, since Linux 6.9.
const FILE_SYSTEM_UUID: Opcode = opcode::read::<FileSystemUuid>(0x15, 0);
/// `BTRFS_SUPER_MAGIC`.
const BTRFS: u64 = 0x9123_683e;

/// `struct fsuuid2`.
#[repr(C)]
struct FileSystemUuid {
    length: u8,
    uuid: [u8; 16],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    inode: u64,
    /// Seconds and nanoseconds; empty where the file system does not say.
    born: String,
    /// Empty where it has no id.
    file_system: String,
    /// `st_dev`.
    device: u64,
}

impl FileIdentity {
    pub fn new(path: &Path, found: &Metadata) -> Self {
        Self {
            inode: found.ino(),
            born: born(path).unwrap_or_default(),
            file_system: file_system(path).unwrap_or_default(),
            device: found.dev(),
        }
    }

    /// A file that no name leads to.
    pub const fn unseen(device: u64, inode: u64) -> Self {
        Self {
            inode,
            born: String::new(),
            file_system: String::new(),
            device,
        }
    }

    pub fn matches(&self, other: &Self) -> Sameness {
        let differ = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && one != other;
        let both = |one: &str, other: &str| !one.is_empty() && one == other;
        if self.inode != other.inode || differ(&self.born, &other.born) {
            return Sameness::Different;
        }
        if both(&self.file_system, &other.file_system) {
            return Sameness::Same;
        }
        if differ(&self.file_system, &other.file_system) {
            return Sameness::Different;
        }
        if self.device == other.device {
            return Sameness::Same;
        }
        Sameness::Unknown(
            "its file system has no id that lasts over a restart, and another number than it had then"
                .to_owned(),
        )
    }

    pub fn file_name(&self) -> String {
        let born = plain(&self.born);
        format!("file-{}-{}-{born}", plain(&self.file_system), self.inode)
    }

    pub fn write(&self, fields: &mut IdentityFields) {
        fields.push("inode", &self.inode.to_string());
        fields.push("born", &self.born);
        fields.push("fs", &self.file_system);
        let device = self.device;
        fields.push("device", &format!("{}:{}", major(device), minor(device)));
    }

    pub fn read(fields: &IdentityFields) -> Option<Self> {
        Some(Self {
            inode: fields.number("inode")?,
            born: fields.owned("born"),
            // Journals of older versions name ids of zeros.
            file_system: known(fields.owned("fs")).unwrap_or_default(),
            device: fields
                .text("device")
                .and_then(parse_number)
                .unwrap_or(makedev(0, 0)),
        })
    }
}

fn born(path: &Path) -> Option<String> {
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::BTIME).ok()?;
    let has = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    let time = found.stx_btime;
    has.then(|| format!("{}.{:09}", time.tv_sec, time.tv_nsec))
}

fn file_system(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let by_number = || {
        let id = fstatvfs(&file).ok()?.f_fsid;
        (id != 0).then(|| format!("fsid:{id:016x}"))
    };
    if fstatfs(&file).is_ok_and(|found| u64::try_from(found.f_type).is_ok_and(|of| of == BTRFS)) {
        return by_number();
    }
    // SAFETY: the opcode is FS_IOC_GETFSUUID, which fills one `struct fsuuid2` and reads nothing.
    let stated = unsafe { ioctl(&file, Getter::<FILE_SYSTEM_UUID, FileSystemUuid>::new()) };
    let Ok(stated) = stated else {
        return by_number();
    };
    let uuid = stated.uuid.get(..usize::from(stated.length))?;
    let digits: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    known(format!("uuid:{digits}")).or_else(by_number)
}

/// An id that tells file systems apart: one of zeros was never set, and others have it too.
fn known(id: String) -> Option<String> {
    let (_, digits) = id.split_once(':')?;
    digits.contains(|digit| digit != '0').then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(fs: &str, device: u64) -> FileIdentity {
        let text = format!("inode=7 born=1.5 fs={fs} device=8:{device}");
        FileIdentity::read(&IdentityFields::parse(&text).unwrap()).unwrap()
    }

    #[test]
    fn an_id_of_zeros_identifies_no_file_system() {
        let zeros = "uuid:00000000000000000000000000000000";
        assert_eq!(known(zeros.to_owned()), None);
        assert_eq!(stored(zeros, 1).matches(&stored(zeros, 1)), Sameness::Same);
        let after_a_restart = stored(zeros, 1).matches(&stored(zeros, 2));
        assert!(
            matches!(after_a_restart, Sameness::Unknown(_)),
            "{after_a_restart:?}"
        );
        let id = "uuid:00000000000000000000000000000001";
        assert_eq!(stored(id, 1).matches(&stored(id, 2)), Sameness::Same);
    }
}
