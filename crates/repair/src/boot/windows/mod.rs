//! Windows: on an MBR disk its boot store (BCD) and its drive letters name a partition by the signature of
//! the disk and the byte where the partition starts; on a GPT disk by GUID, which stays.
//!
//! Where both are found on the disk they are rewritten; stores on other disks, and what cannot be read, are
//! told of. A Windows that is hibernated, as fast startup leaves it, has its volumes in memory.

mod attributes;
mod folder;
mod hive;
mod sectors;
mod volume;

use std::ops::Range;

use super::survey::Survey;
use super::{Consequence, Moved};
use crate::convert::fat;
use crate::tables::{Slot, Table, Type};
use hive::{Hive, Kind};
use volume::Volume;

/// In the boot sectors that Windows has written since Vista.
const LOADER: &[u8] = b"BOOTMGR";
/// Type of its recovery partition in an MBR.
const RECOVERY: u8 = 0x27;
/// The boot store where a BIOS starts Windows: on NTFS, or on the FAT of a stick.
const STORE: &[&str] = &["Boot", "BCD"];
/// Where UEFI does: on the FAT of the EFI system partition.
const EFI_STORE: &[&str] = &["EFI", "Microsoft", "Boot", "BCD"];
const LETTERS: &[&str] = &["Windows", "System32", "config", "SYSTEM"];
const HIBERNATION: &[&str] = &["hiberfil.sys"];

/// What was found on the whole disk.
#[derive(Default)]
struct Found {
    stores: u32,
    systems: u32,
}

/// Looks at all volumes of the disk: what names a partition that moves can be in one that stays.
pub fn read(survey: &mut Survey<'_>) {
    let mut found = Found::default();
    for slot in survey.data() {
        if let Some(volume) = Volume::open(survey, &slot) {
            hibernated(survey, &volume, slot.number);
            if let Table::Dos(_) = survey.table {
                let number = slot.number;
                found.stores += u32::from(on_ntfs(survey, &volume, number, Kind::Store, STORE));
                found.systems +=
                    u32::from(on_ntfs(survey, &volume, number, Kind::Letters, LETTERS));
            }
        } else if let Table::Dos(_) = survey.table {
            let stores = [STORE, EFI_STORE];
            let read = stores.map(|path| on_fat(survey, &slot, path));
            found.stores += read.into_iter().map(u32::from).sum::<u32>();
        }
    }
    if let Table::Dos(dos) = survey.table {
        let signature = dos.signature();
        for one in survey.moved {
            not_found(survey, one, signature, &found);
            recovery(survey, one);
        }
    }
}

/// Looks into a hive on NTFS; whether there is one that could be read.
fn on_ntfs(
    survey: &mut Survey<'_>,
    volume: &Volume,
    number: u32,
    kind: Kind,
    path: &[&str],
) -> bool {
    let Some(file) = volume.file(survey, path) else {
        return false;
    };
    let home = Home {
        name: name(kind, path),
        number,
        is_clean: volume.is_dirty(survey) == Some(false),
    };
    rewrite(survey, &home, file.places, kind)
}

/// The same for a boot store on FAT.
fn on_fat(survey: &mut Survey<'_>, slot: &Slot, path: &[&str]) -> bool {
    let Ok(Some(file)) = fat::find(survey.disk(), slot.start, slot.size, path) else {
        return false;
    };
    let home = Home {
        name: name(Kind::Store, path),
        number: slot.number,
        is_clean: file.is_clean,
    };
    rewrite(survey, &home, file.places, Kind::Store)
}

fn name(kind: Kind, path: &[&str]) -> String {
    match kind {
        Kind::Store => format!("the boot store of Windows (\\{})", path.join("\\")),
        Kind::Letters => "the drive letters of Windows (MountedDevices)".to_owned(),
    }
}

/// Where a hive was found.
struct Home {
    /// What it is, for people.
    name: String,
    /// The partition.
    number: u32,
    /// Whether its file system was closed properly.
    is_clean: bool,
}

fn hibernated(survey: &mut Survey<'_>, volume: &Volume, number: u32) {
    let Some(file) = volume.file(survey, HIBERNATION) else {
        return;
    };
    let first = file.places.first().map(|place| place.start);
    let words = first.and_then(|at| survey.read(at, 4)).unwrap_or_default();
    if matches!(words.as_slice(), b"hibr" | b"HIBR") {
        let what = "Windows is hibernated, or was shut down for a fast startup: it wakes with the old table and \
                    its volumes in memory";
        let advice =
            "start it and shut it down for good: `shutdown /s /t 0`, or restart and switch off";
        survey.add(Consequence::refused(Some(number), what).advised(advice));
    }
}

/// Rewrites what a hive says of partitions that move; whether it could be read.
fn rewrite(survey: &mut Survey<'_>, home: &Home, places: Vec<Range<u64>>, kind: Kind) -> bool {
    let (Table::Dos(dos), Some(hive)) = (survey.table, Hive::read(survey, places)) else {
        return false;
    };
    let Home { name, number, .. } = home;
    let signature = dos.signature();
    let closed = hive.is_clean() && home.is_clean;
    for one in survey.moved {
        let named = hive.named(kind, signature, one.from);
        if named.is_empty() {
            continue;
        }
        let count = named.len();
        if !closed {
            let what = format!(
                "{name} in partition {number} names it {count} times, and was not closed properly: it is left as it is"
            );
            let advice = "start Windows and shut it down for good, then fix";
            survey.add(Consequence::warned(Some(one.number), what).advised(advice));
            continue;
        }
        for index in named {
            hive.set(survey, index, one.to);
        }
        let what = format!(
            "{name} in partition {number}: byte {} becomes {} in {count} places",
            one.from, one.to
        );
        survey.add(Consequence::told(Some(one.number), what));
    }
    true
}

/// The recovery environment is named by byte in a file of its own (ReAgent.xml).
fn recovery(survey: &mut Survey<'_>, moved: &Moved) {
    if survey.table.kind_of(moved.number) == Some(Type::Dos(RECOVERY)) {
        let what = "Windows names its recovery partition by byte in ReAgent.xml: recovery does not start from there";
        let advice = "after the move, in Windows: `reagentc /disable`, `reagentc /enable`";
        survey.add(Consequence::warned(Some(moved.number), what).advised(advice));
    }
}

/// What is to be told where no store, or no letters, were found on this disk.
fn not_found(survey: &mut Survey<'_>, moved: &Moved, signature: u32, found: &Found) {
    let boot = survey.sector(moved.from).unwrap_or_default();
    let is_for_windows = matches!(
        boot.get(3..11),
        Some(b"NTFS    " | b"EXFAT   " | b"-FVE-FS-")
    ) || boot.get(0x36..0x39) == Some(b"FAT")
        || boot.get(0x52..0x55) == Some(b"FAT");
    if !is_for_windows {
        return;
    }
    let number = Some(moved.number);
    // No Windows has written to a disk without a signature: it would have given it one.
    if found.systems == 0 && signature != 0 {
        let what = format!(
            "Windows elsewhere knows its drive letter by disk {signature:08X} and byte {}: it may give another one",
            moved.from
        );
        survey.add(Consequence::told(number, what));
    }
    let has_loader = boot.windows(LOADER.len()).any(|part| part == LOADER);
    if found.stores == 0 && has_loader {
        let what = format!(
            "if Windows is in this partition or starts from it, it does not start after the move: its boot store \
             (BCD), which was not found on this disk, names partitions by signature and byte, here {signature:08X} \
             and {} (0x{:x})",
            moved.from, moved.from
        );
        let advice = "after the move start Windows Setup or its recovery, Command Prompt: `bcdboot C:\\Windows /s S:` \
                      (S: the active partition), or `bootrec /rebuildbcd`";
        survey.add(Consequence::warned(number, what).advised(advice));
    }
}
