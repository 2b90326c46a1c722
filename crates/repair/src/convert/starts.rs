//! What starts the disk afterwards. UEFI firmware reads the GPT of the disk's sectors; a BIOS reads sectors of 512 bytes
//! alone, on any machine.

use super::PartitionChange;
use crate::boot::{self, Consequence};
use crate::content::PartitionContent;
use crate::tables::{RewritableTable, SMALL};

/// The number of the EFI system partition that UEFI firmware starts the disk by.
pub fn efi(table: &RewritableTable, partitions: &[PartitionChange]) -> Option<u32> {
    let is_fat = |one: &&PartitionChange| matches!(one.content, PartitionContent::Fat { .. });
    let mut numbers = partitions.iter().filter(is_fat).map(|one| one.old.number);
    numbers.find(|number| boot::is_efi_system(table, *number))
}

/// Who starts a disk of sectors of `to` bytes. `loader`: what a BIOS starts from it now.
pub fn after(
    table: &RewritableTable,
    partitions: &[PartitionChange],
    to: u64,
    loader: Option<&str>,
) -> Option<Consequence> {
    let efi = efi(table, partitions);
    match (loader, efi) {
        _ if to == SMALL => None,
        (Some(loader), Some(number)) => Some(
            Consequence::warned(
                Some(number),
                format!("{}; UEFI firmware starts the disk by this EFI system partition", not_by_bios(loader, to)),
            )
            .advised("set the machine to UEFI"),
        ),
        (Some(loader), None) => Some(
            Consequence::refused(
                None,
                format!(
                    "{}, and there is no EFI system partition with a FAT file system, by which UEFI firmware would",
                    not_by_bios(loader, to)
                ),
            )
            .advised("add one, with a boot loader for UEFI (`grub-install --target=x86_64-efi`), then convert"),
        ),
        (None, _) if matches!(table, RewritableTable::Dos(_)) => Some(
            Consequence::warned(
                None,
                format!("boot code in the MBR does not start from sectors of {to} bytes: no BIOS reads those"),
            )
            .advised("make it a GPT and boot by UEFI"),
        ),
        (None, _) => None,
    }
}

/// A BIOS and the larger sectors of a disk for both.
pub fn by_bios(loader: &str) -> Consequence {
    let what = format!(
        "a BIOS starts {loader} from sectors of 512 bytes alone: from sectors of 4096 bytes only UEFI firmware starts the disk"
    );
    Consequence::stated(None, what)
}

fn not_by_bios(loader: &str, to: u64) -> String {
    format!(
        "{loader} does not start from sectors of {to} bytes: every BIOS (SeaBIOS too) reads sectors of 512 bytes alone"
    )
}
