//! A table for each of the two blocks: which table is believed, and what has to work in both.

use std::ops::Range;

use ioalign_core::on_disk::GPT_SIGNATURE;
use ioalign_core::on_disk::bytes::has;

use super::follow::{FollowedPartition, follow as follow_one};
use super::{Conversion, PartitionChange, starts};
use crate::boot::{Consequence, Weight};
use crate::fix::Sectored;
use crate::tables::{LARGE, PartitionSlot, RemadeTable, RewritableTable, SMALL, refused};
use crate::{Disk, Error, Result};

/// The block of the table that is believed: the whole one. Of two whole ones that disagree none is.
pub fn from_for_both(disk: &mut dyn Disk) -> Result<u64> {
    match (table(disk, SMALL), table(disk, LARGE)) {
        (Some(small), Some(large)) if small.slots() != large.slots() => Err(refused(
            "the GPTs for sectors of 512 and of 4096 bytes name different places",
        )
        .advise("say which of them is right (`--sector-size 512` or `--sector-size 4096`)")),
        (None, Some(_)) => Ok(LARGE),
        _ => Ok(SMALL),
    }
}

/// Whether there is a whole GPT for each block.
pub fn has_both(disk: &mut dyn Disk) -> bool {
    table(disk, SMALL).is_some() && table(disk, LARGE).is_some()
}

fn table(disk: &mut dyn Disk, unit: u64) -> Option<RewritableTable> {
    let table = RewritableTable::read_anywhere(&mut Sectored::new(disk, unit)).ok()?;
    matches!(table, RewritableTable::Gpt(_)).then_some(table)
}

/// Whether the disk is what it would become.
pub fn is_done(disk: &mut dyn Disk, conversion: &Conversion) -> Result<bool> {
    let stays = conversion.moves.is_empty() && !conversion.grows();
    Ok(stays && conversion.job(disk)?.patches.is_empty())
}

/// Where the table for the other block is, as far as it is whole.
pub fn other_places(disk: &mut dyn Disk, from: u64) -> Vec<Range<u64>> {
    match table(disk, other(from)) {
        Some(RewritableTable::Gpt(gpt)) => gpt.places(),
        _ => Vec::new(),
    }
}

/// Refuses to write a table over what is no table: first stages of boards and of disk encryption lie there.
pub fn kept_free(
    disk: &mut dyn Disk,
    from: u64,
    remade: &RemadeTable,
    slots: &[PartitionSlot],
) -> Result<()> {
    let mut header = [0; 8];
    let begun = disk.read_at(other(from), &mut header).is_ok() && has(&header, 0, &GPT_SIGNATURE);
    let front = remade.groups.iter().flatten().find(|one| one.at == 0);
    let end = front.map_or(0, |one| one.bytes.len());
    if begun && other_places(disk, from).is_empty() {
        // The other table is there and damaged: it is made again.
        return Ok(());
    }
    let mut bytes = vec![0; end];
    disk.read_at(0, &mut bytes)
        .map_err(|error| Error::io("the space behind the table cannot be read", error))?;
    let boot = 0..SMALL;
    let moves: Vec<_> = slots.iter().map(|slot| slot.start..slot.end()).collect();
    for table in remade.stale.iter().chain(&moves).chain([&boot]) {
        let index = |at: u64| usize::try_from(at).map_or(end, |at| at.min(end));
        if let Some(part) = bytes.get_mut(index(table.start)..index(table.end)) {
            part.fill(0);
        }
    }
    match bytes.iter().position(|byte| *byte != 0) {
        None => Ok(()),
        Some(at) => Err(refused(format!(
            "the new table takes the first {end} bytes, and something else is at byte {at}: a boot loader, perhaps"
        ))
        .advise("if nothing needs it, write zeros over it (`dd`)")),
    }
}

const fn other(unit: u64) -> u64 {
    if unit == LARGE { SMALL } else { LARGE }
}

/// What works on blocks of one size has to work on the others; what does not work on those that it has is refused.
pub fn follow(case: &FollowedPartition<'_>, from: u64) -> Vec<Consequence> {
    let to = |to: u64| follow_one(&FollowedPartition { to, ..case.clone() });
    let mut stated = to(other(from));
    let own = to(from).into_iter();
    let refused = own.filter(|one| one.weight == Weight::Refused);
    let new: Vec<_> = refused.filter(|one| !stated.contains(one)).collect();
    stated.extend(new);
    stated
}

/// Who starts it, and who changes one of the tables.
pub fn boots(
    table: &RewritableTable,
    partitions: &[PartitionChange],
    loader: Option<&str>,
) -> Vec<Consequence> {
    let boot = match starts::efi(table, partitions) {
        Some(number) => Consequence {
            partition: Some(number),
            weight: Weight::Told,
            what: String::from(
                "UEFI firmware finds it with both sectors by \\EFI\\BOOT\\BOOTX64.EFI (or …AA64); boot entries that firmware has stored count in the sectors of one disk",
            ),
            advice: None,
        },
        None => Consequence {
            partition: None,
            weight: Weight::Warned,
            what: String::from(
                "there is no EFI system partition with a FAT file system: a BIOS boots from sectors of 512 bytes alone",
            ),
            advice: Some(String::from("boot by UEFI")),
        },
    };
    let change = Consequence {
        partition: None,
        weight: Weight::Told,
        what: String::from(
            "a system reads and changes the table of its own sectors alone: after growpart, systemd-repart or gdisk the other one is old, which `ioalign check` reports",
        ),
        advice: Some(String::from(
            "`ioalign fix --universal --sector-size N` makes both from the one for sectors of N bytes",
        )),
    };
    let bios = loader.map(starts::by_bios);
    [Some(boot), bios, Some(change)]
        .into_iter()
        .flatten()
        .collect()
}
