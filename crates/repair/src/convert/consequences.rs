//! Consequences for file systems that are rebuilt.

use ioalign_core::on_disk::FAT16_BELOW;

use super::fat;
use crate::boot::{self, Consequence, Weight};
use crate::tables::PartitionSlot;
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

/// SYSLINUX lists the sectors of its loader in its boot sector, and reads a FAT of sectors of 512 bytes alone.
pub fn syslinux(
    disk: &mut dyn Disk,
    old: &PartitionSlot,
    remade: &fat::RemadeFat,
    both: bool,
) -> Result<Option<Consequence>> {
    let mut boot = [0; 512];
    disk.read_at(old.start, &mut boot)
        .map_err(|error| Error::io("a boot sector cannot be read", error))?;
    let number = Some(old.number);
    let again = "install it again (`syslinux --install`)";
    Ok(match (boot::is_syslinux(&boot), both) {
        (true, true) => {
            let what = "SYSLINUX in it reads a FAT of sectors of 512 bytes alone: no BIOS would start it any more";
            let advice =
                "start the disk by GRUB in a BIOS boot partition, or by UEFI firmware alone";
            Some(Consequence::refused(number, what).advised(advice))
        }
        (true, false) if !remade.kept => {
            let what = "SYSLINUX in it is found by its sectors, which are others afterwards";
            Some(Consequence::warned(number, what).advised(again))
        }
        _ => None,
    })
}
