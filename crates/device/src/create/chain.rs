//! Everything that a target lies in: what a new file must not replace.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::makedev;

use crate::sysfs::sysfs_folder;

/// Files and devices by their identity: targets, the backing files behind loop devices, the devices that file systems
/// and volumes lie on, to the bottom.
#[derive(Clone, Debug, Default)]
pub struct DeviceChain {
    /// Whether it is a target itself.
    all: BTreeMap<ChainIdentity, bool>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChainIdentity {
    Device(u64),
    File { device: u64, inode: u64 },
}

impl ChainIdentity {
    fn read(found: &Metadata) -> Self {
        if found.file_type().is_block_device() {
            Self::Device(found.rdev())
        } else {
            Self::File {
                device: found.dev(),
                inode: found.ino(),
            }
        }
    }
}

impl DeviceChain {
    /// A chain without targets.
    pub const fn nothing() -> Self {
        Self {
            all: BTreeMap::new(),
        }
    }

    /// The chain of these targets, if they exist.
    pub fn below<P: AsRef<Path>>(targets: impl IntoIterator<Item = P>) -> Self {
        let mut chain = Self::nothing();
        for target in targets {
            if let Ok(found) = fs::metadata(target) {
                chain.follow(&found, true);
            }
        }
        chain
    }

    /// Why this file must stay, if it must.
    pub fn reason(&self, found: &Metadata) -> Option<&'static str> {
        let identity = ChainIdentity::read(found);
        Some(if *self.all.get(&identity)? {
            "is a target, or is read here, and is never replaced"
        } else {
            "holds what lies below a target, and is never replaced"
        })
    }

    fn follow(&mut self, found: &Metadata, is_named: bool) {
        let identity = ChainIdentity::read(found);
        if !self.is_new(identity, is_named) {
            return;
        }
        match identity {
            ChainIdentity::Device(number) => self.below_device(number),
            ChainIdentity::File { device, .. } => self.device(device),
        }
    }

    fn is_new(&mut self, identity: ChainIdentity, is_named: bool) -> bool {
        match self.all.entry(identity) {
            Entry::Vacant(place) => {
                place.insert(is_named);
                true
            }
            Entry::Occupied(mut known) => {
                *known.get_mut() |= is_named;
                false
            }
        }
    }

    fn device(&mut self, number: u64) {
        if self.is_new(ChainIdentity::Device(number), false) {
            self.below_device(number);
        }
    }

    /// The disk of a partition, the members of a volume, the file behind a loop device.
    fn below_device(&mut self, number: u64) {
        let Some(folder) = sysfs_folder(number) else {
            return;
        };
        if folder.join("partition").exists()
            && let Some(disk) = number_in(&folder.join("../dev"))
        {
            self.device(disk);
        }
        let members = fs::read_dir(folder.join("slaves")).into_iter();
        for member in members.flatten().flatten() {
            if let Some(number) = number_in(&member.path().join("dev")) {
                self.device(number);
            }
        }
        let backing = fs::read_to_string(folder.join("loop/backing_file")).ok();
        let backing = backing.and_then(|path| fs::metadata(path.trim_end_matches('\n')).ok());
        if let Some(found) = backing {
            self.follow(&found, false);
        }
    }
}

/// `8:1`, as sysfs writes device numbers.
fn number_in(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}
