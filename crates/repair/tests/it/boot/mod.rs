//! Boot sectors and boot loaders in partitions that moved, compared with what the tools themselves write
//! for the new place.

mod filesystems;
mod grub;
mod islands;
mod legacy;
mod logical;
mod refused;
mod start;
mod syslinux;
mod windows;

use std::ops::ControlFlow;
use std::path::Path;

use ioalign_repair::boot::{self, Arrival, Fixups, Moved, Weight};
use ioalign_repair::mover::{self, MoveOrigin, MoverOptions, MoverProgress};
use ioalign_repair::overlay::{self, ByteSource, OverlayLayer, OverlayPiece};
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind, TableSectors};
use ioalign_repair::{Disk, Identity, Job, MemoryDisk, Move, Patch};

use crate::image;

/// Partitions of an image and where they go, in sectors.
pub type Plan<'a> = &'a [(u32, u64)];

fn moved(table: &RewritableTable, plan: Plan<'_>, unit: u64) -> Vec<Moved> {
    let one = |&(number, to): &(u32, u64)| {
        let slots = table.slots();
        let slot = slots.iter().find(|slot| slot.number == number).unwrap();
        Moved {
            number,
            from: slot.start,
            to: to * unit,
            bytes: slot.size,
            arrival: Arrival::Same,
        }
    };
    plan.iter().map(one).collect()
}

/// What these moves ask for.
pub fn ask(path: &Path, unit: u64, plan: Plan<'_>) -> Fixups {
    let mut disk = image::open(path, unit);
    let table = RewritableTable::read(&mut disk).unwrap();
    let moved = moved(&table, plan, unit);
    boot::fixups(&mut disk, &table, &moved).unwrap()
}

/// Moves partitions of an image, with everything that boot code asks for.
pub fn shift(path: &Path, unit: u64, plan: Plan<'_>) -> Fixups {
    let mut disk = image::open(path, unit);
    let table = RewritableTable::read(&mut disk).unwrap();
    let moved = moved(&table, plan, unit);
    let fixups = boot::fixups(&mut disk, &table, &moved).unwrap();
    let job = job(&mut disk, &table, &moved, &fixups.patches);
    let options = MoverOptions::default();
    let len = mover::journal_bytes(&job, &options).unwrap();
    let mut store = MemoryDisk {
        bytes: vec![0; usize::try_from(len).unwrap()],
        logical_bytes: 1,
    };
    let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
    mover::apply_with(
        &mut disk,
        &mut store,
        &job,
        &MoveOrigin::default(),
        &options,
        &mut watch,
    )
    .unwrap();
    fixups
}

fn job(disk: &mut dyn Disk, table: &RewritableTable, moved: &[Moved], fixups: &[Patch]) -> Job {
    let slot = |one: &Moved| PartitionSlot {
        number: one.number,
        start: one.to,
        size: one.bytes,
        kind: SlotKind::Primary,
    };
    let slots: Vec<_> = moved.iter().map(slot).collect();
    let groups = table.rewritten(&slots).unwrap();
    let mut layers: Vec<_> = groups.into_iter().flatten().map(layer).collect();
    layers.push(overlay::changes(fixups));
    let moves: Vec<_> = moved
        .iter()
        .map(|one| Move {
            from: one.from,
            to: one.to,
            bytes: one.bytes,
        })
        .collect();
    let patches = overlay::patches(disk, &moves, &layers).unwrap();
    let stays = |slot: &PartitionSlot| {
        slot.kind != SlotKind::Extended && !moved.iter().any(|one| one.number == slot.number)
    };
    let slots = table.slots();
    let partitions = slots.iter().filter(|slot| stays(slot));
    let reserved = boot::reserved(disk, table).unwrap();
    let keep = partitions.map(|slot| slot.start..slot.end());
    let keep = keep.chain(reserved.into_iter().map(|one| one.place));
    Job {
        keep: boot::kept(keep.collect(), &patches),
        identity: Identity::take(disk, &moves),
        moves,
        patches,
    }
}

fn layer(sectors: TableSectors) -> OverlayLayer {
    OverlayLayer::new(vec![OverlayPiece {
        at: sectors.at,
        from: ByteSource::Bytes(sectors.bytes),
    }])
}

/// Bytes of an image.
pub fn bytes(path: &Path, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    image::open(path, 512).read_at(at, &mut bytes).unwrap();
    bytes
}

/// Writes bytes into an image.
pub fn write(path: &Path, at: u64, bytes: &[u8]) {
    image::open(path, 512).write_at(at, bytes).unwrap();
}

/// An image with a table.
pub fn image_of(path: &Path, mib: u64, unit: u64, script: &str) {
    std::fs::File::create(path)
        .unwrap()
        .set_len(mib << 20)
        .unwrap();
    image::partition(path, unit, script);
}

/// Whether something of this weight was said that has these words.
pub fn says(fixups: &Fixups, weight: Weight, words: &str) -> bool {
    let mut all = fixups.consequences.iter();
    all.any(|one| one.weight == weight && one.what.contains(words))
}
