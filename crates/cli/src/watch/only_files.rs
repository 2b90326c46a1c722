//! The files whose I/O is counted alone.

use std::fs::File;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ioalign_inspect::host::mounts::parse_mount;
use ioalign_observe::live::{self, FileIdentity, Watch, WatchedDevice};
use rustix::fs::{OFlags, major, minor};

use crate::args::WatchArgs;
use crate::exit::UsageError;
use crate::say::note;

/// What they do not tell of, nobody counts: `bi_end_io` says what a bio is of on these only.
const FILE_SYSTEMS: [&str; 4] = ["xfs", "ext4", "ext3", "ext2"];

/// Files, and folders for the files below them. They are held open: their numbers stay theirs.
#[derive(Debug, Default)]
pub struct OnlyFiles {
    identities: Vec<FileIdentity>,
    _held: Vec<File>,
}

impl OnlyFiles {
    /// Opens what the arguments name.
    ///
    /// # Errors
    /// One is not there, is no file or folder, or lies on a file system that does not tell files apart; or they are
    /// too many.
    pub fn open(arguments: &WatchArgs) -> Result<Self> {
        let paths = &arguments.file;
        if paths.len() > Watch::MOST_FILES {
            let most = Watch::MOST_FILES;
            let why = format!("--file is taken {most} times at most: name the folder of the files");
            return Err(UsageError(why).into());
        }
        let mut all = Self::default();
        for path in paths {
            let file = held(path).with_context(|| path.display().to_string())?;
            all.identities.push(identity(&file, path)?);
            all._held.push(file);
        }
        Ok(all)
    }

    /// Says of which files no I/O will be seen, as their disk is not watched. What LVM or md passes on to the disks
    /// below has no file any more.
    pub fn not_seen(&self, devices: &[WatchedDevice], paths: &[PathBuf]) {
        for (identity, path) in self.identities.iter().zip(paths) {
            let Some(disk) = disk_of(identity.device) else {
                continue;
            };
            if !devices.iter().any(|device| device.number == disk.number) {
                note(format_args!(
                    "{} is on {}, which is not watched: its I/O there does not count",
                    path.display(),
                    disk.name
                ));
            }
        }
    }

    /// As the kernel knows them.
    pub fn identities(&self) -> Vec<FileIdentity> {
        self.identities.clone()
    }
}

/// The disk of a file system.
fn disk_of(device: u64) -> Option<WatchedDevice> {
    let number = format!("{}:{}", major(device), minor(device));
    let folder = std::fs::read_link(Path::new("/sys/dev/block").join(number)).ok()?;
    let name = folder.file_name()?.to_str()?.to_owned();
    live::devices(Path::new("/sys"), &[name]).ok()?.pop()
}

fn held(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    let flags = i32::try_from(OFlags::PATH.bits()).unwrap_or(0);
    options.read(true).custom_flags(flags).open(path)
}

fn identity(file: &File, path: &Path) -> Result<FileIdentity> {
    let about = file
        .metadata()
        .with_context(|| path.display().to_string())?;
    if !about.is_file() && !about.is_dir() {
        bail!(
            "{} is no file or folder: name a device without --file",
            path.display()
        );
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").context("/proc/self/mountinfo")?;
    let number = format!("{}:{}", major(about.dev()), minor(about.dev()));
    let mut mounts = mounts.lines().filter_map(parse_mount);
    let found = mounts.find(|mount| mount.devno.to_string() == number);
    let kind = found.map_or_else(|| "another file system".to_owned(), |mount| mount.kind);
    if !FILE_SYSTEMS.contains(&kind.as_str()) {
        bail!(
            "{} is on {kind}: I/O is told apart by file on XFS and ext4 only",
            path.display()
        );
    }
    Ok(FileIdentity {
        inode: about.ino(),
        device: about.dev(),
    })
}
