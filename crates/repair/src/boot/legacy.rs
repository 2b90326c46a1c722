//! What a BIOS starts from a disk. It reads sectors of 512 bytes, and starts nothing from a disk of others.

use super::survey::BootSurvey;
use super::{grub, syslinux};
use crate::Disk;
use crate::tables::RewritableTable;

/// The boot loader that a BIOS starts from this disk, for people; `None` where none is known.
pub fn bios_loader(disk: &mut dyn Disk, table: &RewritableTable) -> Option<String> {
    let mut survey = BootSurvey::new(disk, table, &[], None);
    survey.homes().into_iter().find_map(|home| {
        let sector = survey.sector(home.at)?;
        let name = match syslinux::is_in(&sector) {
            true => Some("SYSLINUX"),
            false => grub::begins(&mut survey, home, &sector),
        };
        name.map(|name| format!("{name} in {}", home.name()))
    })
}
