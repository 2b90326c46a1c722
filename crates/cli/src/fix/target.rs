//! The target as a disk.

use std::fs::File;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_core::{rules, shell};
use ioalign_device::partitions::{self, KernelPartition};
use ioalign_device::{Use, is_read_only, users};
use ioalign_repair::Disk;
use ioalign_repair::container;
use ioalign_repair::fix::Sectored;
use ioalign_repair::tables::{RewritableTable, SlotKind};
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::refuse;
use crate::args::FixArgs;

/// Opens it; for writing only if it is not in use.
pub fn open(arguments: &FixArgs, write: bool) -> Result<Box<dyn Disk>> {
    let sector = arguments.sector_size.map(|size| u64::from(size.get()));
    with_sector(arguments, write, sector)
}

/// The same with sectors of this size, where one is known.
pub fn with_sector(arguments: &FixArgs, write: bool, sector: Option<u64>) -> Result<Box<dyn Disk>> {
    let path = &arguments.target;
    let is_block = is_block(path)?;
    if is_block && is_partition(path) {
        let what = format!(
            "{}: this is a partition, and what moves are partitions: name its disk",
            path.display()
        );
        let next = match disk_of(path) {
            Some(disk) => format!("ioalign fix {disk}"),
            None => "lsblk --paths".to_owned(),
        };
        return Err(refuse::refusal(rules::FIX_NOT_A_DISK, what, &next));
    }
    if write {
        unused(path)?;
        writable(path)?;
    }
    let disk = container::open(path, write).map_err(|error| match write {
        true => refuse::not_in_place(error, arguments),
        false => refuse::unplanned(error, path),
    })?;
    if is_block {
        return Ok(disk);
    }
    Ok(Sectored::boxed(disk, sector))
}

/// Lets go of the disk, and has the kernel take on the table of a device.
pub fn close(mut disk: Box<dyn Disk>, path: &Path) -> Result<()> {
    if !is_block(path)? {
        return Ok(());
    }
    let table = RewritableTable::read(&mut *disk).map_err(|error| refuse::error(error, path))?;
    drop(disk);
    let slots = table.slots();
    let wanted: Vec<_> = slots
        .iter()
        .map(|slot| KernelPartition {
            number: slot.number,
            start: slot.start,
            size: match slot.kind {
                // The kernel shows two sectors of it, too few to be used as a partition.
                SlotKind::Extended => slot.size.min(table.unit().max(1024)),
                _ => slot.size,
            },
        })
        .collect();
    partitions::reread(path, &wanted).map_err(|error| refuse::error(error, path))
}

/// Whether it is a block device.
pub fn is_block(path: &Path) -> Result<bool> {
    let found = std::fs::metadata(path)
        .with_context(|| format!("{}: cannot be looked at", path.display()))?;
    Ok(found.file_type().is_block_device())
}

/// Whether a target is a file that holds the disk byte by byte: that can be made longer.
pub fn is_raw(disk: &mut dyn Disk, path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let whole = file
        .metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() == disk.size_bytes());
    let (mut own, mut seen) = ([0; 512], [0; 512]);
    let read = file.read_exact_at(&mut own, 0).is_ok() && disk.read_at(0, &mut seen).is_ok();
    whole && read && own == seen
}

fn is_partition(path: &Path) -> bool {
    folder_of(path).is_some_and(|folder| folder.join("partition").exists())
}

/// The folder of a device in sysfs; that of a partition lies in that of its disk.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let folder = Path::new("/sys/class/block").join(path.file_name()?);
    folder.canonicalize().ok()
}

/// The node of a partition's disk.
fn disk_of(path: &Path) -> Option<String> {
    let folder = folder_of(path)?;
    let name = folder.parent()?.file_name()?.to_str()?;
    Some(format!("/dev/{}", name.replace('!', "/")))
}

/// Refuses what is mounted, part of something, paged on, or behind a loop device.
pub fn unused(path: &Path) -> Result<()> {
    match users(path).first() {
        None => Ok(()),
        Some(used) => {
            let what = format!(
                "{}: it is in use: {used}; {}. Nothing was written",
                path.display(),
                remedy(used)
            );
            let next = format!("ioalign fix {}", shell::path(path));
            Err(refuse::refusal(rules::FIX_IN_USE, what, &next))
        }
    }
}

/// Refuses what the kernel takes no writes for: a device that is set so, a file system that is mounted so. Who may write
/// a file is another matter: somebody else can plan.
pub fn writable(path: &Path) -> Result<()> {
    let why = match is_block(path)? {
        true if is_read_only(path) => "the kernel takes no writes for this device",
        true => return Ok(()),
        false if access(path, Access::WRITE_OK) == Err(Errno::ROFS) => {
            "its file system is mounted read-only"
        }
        false => return Ok(()),
    };
    let name = shell::path(path);
    let what = format!("{name}: read-only: {why}. Nothing was written");
    let next = match is_block(path)? {
        true => format!("blockdev --getro {name}"),
        false => format!("ls -l {name}"),
    };
    Err(refuse::refusal(rules::FIX_READ_ONLY, what, &next))
}

fn remedy(used: &Use) -> String {
    match used {
        Use::Holder { holder, .. } => {
            format!("stop {holder} first (vgchange -an, mdadm --stop, cryptsetup close)")
        }
        Use::Loop { device } => format!("fix {device} instead, or detach it: losetup -d {device}"),
        _ => used.remedy(),
    }
}
