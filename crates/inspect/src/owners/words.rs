//! What an owner is called, and how its signature goes.

use super::{Owner, OwnerKind, Removal, signatures};
use crate::error::Result;
use crate::view::View;
use crate::volumes::VolumeMember;

/// What a reader of volumes recognised.
pub(super) fn of_member(view: &View, format: &'static str, member: &VolumeMember) -> Result<Owner> {
    let (what, kind) = match format {
        "imsm" => (
            "a member of an Intel firmware RAID set",
            OwnerKind::FirmwareRaid,
        ),
        "ddf" => (
            "a member of a DDF firmware RAID set",
            OwnerKind::FirmwareRaid,
        ),
        "bcache" => ("a bcache device", OwnerKind::Volume),
        "luks" => ("a LUKS volume", OwnerKind::Volume),
        "bitlocker" => ("a BitLocker volume", OwnerKind::Volume),
        "lvm2" => ("a physical volume of LVM", OwnerKind::Volume),
        "stratis" => ("a device of a Stratis pool", OwnerKind::Volume),
        "vdo" => ("a VDO volume", OwnerKind::Volume),
        "bluestore" => ("an OSD of Ceph (BlueStore)", OwnerKind::Volume),
        "integrity" => ("a dm-integrity device", OwnerKind::Volume),
        "snapshot-cow" => ("the changes of a device-mapper snapshot", OwnerKind::Volume),
        _ => (member.kind, OwnerKind::Volume),
    };
    owner(view, format, what.to_owned(), kind)
}

/// What a reader of file systems recognised.
pub(super) fn of_filesystem(view: &View, format: &'static str, name: &str) -> Result<Owner> {
    let (what, kind) = match format {
        "swap" => ("swap space".to_owned(), OwnerKind::Swap),
        "iso9660" | "udf" => (format!("the {name} file system of a disc"), OwnerKind::Disc),
        _ => (format!("the file system {name}"), OwnerKind::Filesystem),
    };
    owner(view, format, what, kind)
}

/// What a reader recognised, and could not read.
pub(super) fn damaged(view: &View, format: &'static str, kind: OwnerKind) -> Result<Owner> {
    owner(
        view,
        format,
        format!("a damaged superblock of {format}"),
        kind,
    )
}

fn owner(view: &View, format: &'static str, what: String, kind: OwnerKind) -> Result<Owner> {
    Ok(Owner {
        format,
        what,
        kind,
        removal: signatures::place(view, format)?.map(Removal::At),
    })
}
