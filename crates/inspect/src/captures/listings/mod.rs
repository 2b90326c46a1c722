//! Programs that list disks and partitions, one small file a format.
//!
//! The unit of every number is settled where it is read: 512 bytes for what the Linux kernel counts
//! (lsblk START, blockdev, udev, Ansible), the logical sector for what tables count (fdisk,
//! sfdisk, parted `s`, gdisk, Solaris, FreeBSD), bytes where the program says so, an interval where
//! it rounds. A listing that counts in sectors of a size that it does not print is read with 512
//! bytes, says so in a remark, and leaves [`Said::sector`] empty.

pub mod align_check;
pub mod ansible;
mod attributes;
pub mod blkid;
pub mod blockdev;
pub mod blockdev_get;
mod columns;
pub mod diskpart;
pub mod diskutil;
pub mod diskutil_list;
pub mod esxcli;
pub mod fdasd;
pub mod fdisk;
pub mod format_print;
pub mod fsutil;
pub mod gdisk;
pub mod get_partition;
pub mod gpart;
pub mod gpart_list;
pub mod gpt_show;
mod json;
pub mod libvirt;
mod lsblk;
pub mod lsblk_json;
pub mod lsblk_pairs;
pub mod lsblk_table;
pub mod msinfo;
mod names;
pub mod parted;
pub mod parted_machine;
pub mod parted_util;
pub mod probert;
pub mod proc_partitions;
pub mod prtvtoc;
pub mod qemu_info;
pub mod qemu_map;
mod roles;
pub mod rufus;
pub mod sfdisk_dump;
pub mod sfdisk_json;
mod sizes;
pub mod sysfs;
pub mod udevadm;
pub mod wmic;

use ioalign_core::{Remark, SectorSize};
use ioalign_core::{layer::Kind, rules};

use super::{Number, Said, TextEvidence};
use crate::host::hints::Claims;

/// A disk by its name; what the name says is filled in.
fn disk<'a>(evidence: &'a mut TextEvidence, name: &str) -> &'a mut Said {
    let image = names::is_image(name);
    let said = evidence.device(name);
    said.kind = if image {
        Some(Kind::Image)
    } else {
        names::kind(&said.name)
    };
    said
}

/// A partition of `disk`, on which it lies.
fn partition<'a>(evidence: &'a mut TextEvidence, disk: &str, name: &str) -> &'a mut Said {
    let said = evidence.device(name);
    said.kind = Some(Kind::Partition);
    said.parents
        .push(disk.trim_start_matches("/dev/").to_owned());
    said
}

/// What a disk claims, with the transport that its name says.
fn claims(name: &str) -> Claims {
    Claims {
        transport: names::transport(name.trim_start_matches("/dev/")),
        ..Claims::default()
    }
}

/// A listing in sectors of a size that it does not print.
fn assumed(listing: &str) -> Remark {
    Remark::note(
        rules::SECTOR_SIZE_ASSUMED,
        format!(
            "{listing} counts in sectors without their size: 512 bytes are assumed, and on a disk \
             with 4096-byte sectors every start is eight times as far"
        ),
    )
}

/// `count` sectors, of 512 bytes if the size is not stated.
fn sectors(count: u64, sector: Option<SectorSize>) -> Option<Number> {
    Number::sectors(count, sector.unwrap_or(SectorSize::S512))
}

/// Sectors from `start` to `end`, both included.
fn span(start: u64, end: u64, sector: Option<SectorSize>) -> Option<Number> {
    let count = end.checked_sub(start)?.checked_add(1)?;
    sectors(count, sector)
}

/// A sector size that was printed.
fn sector(bytes: u64) -> Option<SectorSize> {
    SectorSize::new(u32::try_from(bytes).ok()?)
}

/// The disk of a Solaris path: `/dev/rdsk/c0t0d0s2` is `c0t0d0`.
fn solaris(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    names::split(name).map_or(name, |(disk, _)| disk)
}

/// The disk that a line of a `format` session names: `selecting c0t0d0`.
fn solaris_disk(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("selecting ")?;
    let name = rest.split([':', ' ', ',']).next()?;
    name.starts_with('c').then(|| solaris(name))
}

/// What slices lie on: the disk, or on x86 an fdisk partition whose start these programs do not print.
fn solaris_parent(evidence: &mut TextEvidence, disk: &str, x86: bool) -> String {
    if !x86 {
        return disk.to_owned();
    }
    let name = format!("{disk} fdisk partition");
    let said = partition(evidence, disk, &name);
    said.type_id = Some("bf".to_owned());
    said.facts.push((
        "start",
        "not known: the label of an x86 disk counts from its fdisk partition".to_owned(),
    ));
    name
}
