//! Consequences for file systems that are rebuilt, and for boot code.

use ioalign_core::on_disk::FAT16_BELOW;
use ioalign_core::on_disk::bytes::has;

use super::fat;
use crate::boot::{Consequence, Weight};
use crate::tables::{PartitionSlot, RewritableTable};
use crate::{Disk, Error, Result};

/// Firmware counts clusters: a FAT32 with fewer than 65525 is none to it.
pub fn few_clusters(
    number: u32,
    before: &fat::FatGeometry,
    after: &fat::FatGeometry,
) -> Option<Consequence> {
    let was_32 = before.kind == fat::FatKind::Fat32;
    let (clusters, size) = (after.clusters(), after.cluster);
    let few = was_32 && clusters < FAT16_BELOW;
    let what = match after.kind {
        fat::FatKind::Fat32 => format!(
            "the FAT32 has {clusters} clusters, fewer than the 65525 of its specification, as before: Linux reads it, UEFI firmware does not"
        ),
        kind => format!(
            "the FAT32 becomes a {}: with {clusters} clusters of {size} bytes it has too few for one, and UEFI firmware would not read it",
            kind.name()
        ),
    };
    few.then(|| Consequence {
        partition: Some(number),
        weight: Weight::Warned,
        what,
        advice: Some(String::from(
            "if it has to be FAT32, as for Windows, create it again with 260 MiB or more",
        )),
    })
}

/// Its boot sector lists the sectors of the loader, which goes elsewhere.
pub fn syslinux(
    disk: &mut dyn Disk,
    old: &PartitionSlot,
    remade: &fat::RemadeFat,
) -> Result<Option<Consequence>> {
    let mut boot = [0; 512];
    disk.read_at(old.start, &mut boot)
        .map_err(|error| Error::io("a boot sector cannot be read", error))?;
    let found = has(&boot, 3, b"SYSLINUX") && !remade.kept;
    Ok(found.then(|| Consequence {
        partition: Some(old.number),
        weight: Weight::Warned,
        what: String::from("SYSLINUX in it is found by its sectors, which are others afterwards"),
        advice: Some(String::from("install it again (`syslinux --install`)")),
    }))
}

/// Boot code in an MBR asks the BIOS for sectors.
pub fn boots(table: &RewritableTable, to: u64) -> Option<Consequence> {
    matches!(table, RewritableTable::Dos(_)).then(|| Consequence {
        partition: None,
        weight: Weight::Warned,
        what: format!(
            "boot code in the MBR and behind it lists sectors of the old size: no BIOS boots it from blocks of {to} bytes"
        ),
        advice: Some(String::from("make it a GPT and boot by UEFI")),
    })
}
