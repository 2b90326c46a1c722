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

use super::survey::Survey;
use super::{Consequence, Moved};
use crate::tables::{Table, Type};
use hive::{Hive, Kind};
use volume::{File, Volume};

/// In the boot sectors that Windows has written since Vista.
const LOADER: &[u8] = b"BOOTMGR";
/// Type of its recovery partition in an MBR.
const RECOVERY: u8 = 0x27;
const STORE: &[&str] = &["Boot", "BCD"];
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
        let Some(volume) = Volume::open(survey, &slot) else {
            continue;
        };
        hibernated(survey, &volume, slot.number);
        if let Table::Dos(dos) = survey.table {
            let signature = dos.signature();
            let hive = |survey: &mut Survey<'_>, path, kind| {
                let file = volume.file(survey, path)?;
                Some(u32::from(rewrite(
                    survey,
                    &volume,
                    (slot.number, signature),
                    file,
                    kind,
                )))
            };
            found.stores += hive(survey, STORE, Kind::Store).unwrap_or(0);
            found.systems += hive(survey, LETTERS, Kind::Letters).unwrap_or(0);
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
fn rewrite(
    survey: &mut Survey<'_>,
    volume: &Volume,
    (number, signature): (u32, u32),
    file: File,
    kind: Kind,
) -> bool {
    let Some(hive) = Hive::read(survey, file.places) else {
        return false;
    };
    let name = match kind {
        Kind::Store => "the boot store of Windows (\\Boot\\BCD)",
        Kind::Letters => "the drive letters of Windows (MountedDevices)",
    };
    let closed = hive.is_clean() && volume.is_dirty(survey) == Some(false);
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
