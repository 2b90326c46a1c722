//! Disks with boot loaders, damaged, and what a move of their partitions asks for: every patch is whole blocks of what is
//! there, inside the partition that moves or outside of all that move.

mod disk;
mod windows;

use std::ops::Range;

use ioalign_repair::boot::{self, Arrival, Fixups, Moved, Weight};
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind};
use ioalign_repair::{Disk, MemoryDisk, Patch, PatchPhase};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

/// Where partitions go: number and sector.
const GOES: [(u32, u64); 3] = [(1, 68), (3, 302), (5, 180)];

pub fn all() -> Vec<Subject> {
    vec![
        Subject::of_bytes("boot", "sectors", || vec![seed()], damage, one).with_least(4),
        windows::subject(),
    ]
}

/// One that has something to patch.
fn seed() -> Vec<u8> {
    let mut random = Random(1);
    let mut disks = std::iter::repeat_with(|| disk::made(&mut random));
    disks.find(|disk| one(disk) == Answer::Mine).unwrap()
}

/// Another disk of the kind, with some damage.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    *bytes = disk::made(random);
    // The last bytes say that there is a table.
    let places = disk::READ.map(|sector| sector * 512..sector * 512 + 504);
    damage::fields(bytes, &places, 0..=3, random);
}

/// The disk: whole sectors, and the mark of a table in the first.
fn disk_of(bytes: &[u8]) -> MemoryDisk {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(512).max(64 << 10), 0);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    MemoryDisk {
        bytes,
        logical_bytes: 512,
    }
}

/// Whether patches are asked for, when three partitions go far or all go one sector to the right.
fn one(bytes: &[u8]) -> Answer {
    let mut disk = disk_of(bytes);
    let Ok(table) = RewritableTable::read(&mut disk) else {
        return Answer::NotMine;
    };
    boot::reserved(&mut disk, &table).unwrap();
    let far = |slot: &PartitionSlot| {
        let goes = GOES.iter().find(|(number, _)| *number == slot.number)?;
        Some(moved(slot, goes.1 * 512))
    };
    let near = |slot: &PartitionSlot| Some(moved(slot, slot.start.saturating_add(512)));
    let far: Vec<_> = table.slots().iter().filter_map(far).collect();
    let near: Vec<_> = table.slots().iter().filter_map(near).collect();
    let asks = patches(&mut disk, &table, &far) > 0;
    patches(&mut disk, &table, &near);
    Answer::mine(asks)
}

const fn moved(slot: &PartitionSlot, to: u64) -> Moved {
    Moved {
        number: slot.number,
        from: slot.start,
        to,
        bytes: slot.size,
        arrival: Arrival::Same,
    }
}

/// How many patches are asked for; each holds where the table can be written.
fn patches(disk: &mut MemoryDisk, table: &RewritableTable, moved: &[Moved]) -> usize {
    let goes = |one: &Moved| PartitionSlot {
        number: one.number,
        start: one.to,
        size: one.bytes,
        kind: SlotKind::Primary,
    };
    let slots: Vec<_> = moved.iter().map(goes).collect();
    let is_plan = table.rewritten(&slots).is_ok();
    // Reading past the end of a damaged table's partitions is an error, and no panic.
    let Ok(fixups) = boot::fixups(disk, table, moved) else {
        return 0;
    };
    for patch in fixups.patches.iter().filter(|_| is_plan) {
        holds(disk, patch, moved, &fixups);
    }
    fixups.patches.len()
}

/// What the mover asks of a patch.
fn holds(disk: &mut MemoryDisk, patch: &Patch, moved: &[Moved], fixups: &Fixups) {
    assert_eq!((patch.at % 512, patch.before.len()), (0, 512));
    assert_eq!(patch.after.len(), 512);
    let overlaps = |place: &Range<u64>, at: u64, bytes: u64| {
        place.start < at.saturating_add(bytes) && at < place.end
    };
    let place = patch.place();
    let there = moved.iter().find(|one| overlaps(&place, one.to, one.bytes));
    let mut now = vec![0; 512];
    match (patch.phase, there) {
        (PatchPhase::Contents, _) => {
            let own = |one: &&Moved| {
                one.to <= place.start && place.end <= one.to.saturating_add(one.bytes)
            };
            let mut all = moved.iter().filter(own);
            let brought = all.any(|one| {
                let read = disk.read_at(one.from + (patch.at - one.to), &mut now);
                read.is_ok() && now == patch.before
            });
            assert!(
                brought,
                "no move brings what the patch at {} expects",
                patch.at
            );
        }
        (_, Some(over)) => {
            let refused = fixups
                .consequences
                .iter()
                .any(|one| one.weight == Weight::Refused);
            assert!(
                refused,
                "partition {} goes over the patch at {}",
                over.number, patch.at
            );
        }
        _ => {
            disk.read_at(patch.at, &mut now).unwrap();
            assert!(now == patch.before, "{} is not there", patch.at);
        }
    }
}
