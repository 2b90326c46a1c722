//! From a disk to a conversion.

use super::follow::{FollowedPartition, follow};
use super::place::{self, Placed};
use super::{
    Conversion, ConversionAnswer, ConversionWish, PartitionChange, Rebuilt, both, consequences,
    fat, starts,
};
use crate::boot::{self, Arrival, Consequence, Moved};
use crate::content::{self, PartitionContent};
use crate::fix::Sectored;
use crate::overlay::{self, OverlayLayer};
use crate::tables::{Ground, PartitionSlot, RewritableTable, Type, refused};
use crate::{Disk, Error, ErrorKind, Move, Result};

/// Plans a conversion. The disk is only read.
pub fn plan(disk: &mut dyn Disk, wish: ConversionWish) -> Result<ConversionAnswer> {
    let ConversionWish { from, to, .. } = wish;
    for unit in [from, to] {
        if unit != 512 && unit != 4096 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("a logical block has 512 or 4096 bytes, not {unit}"),
            ));
        }
    }
    if !wish.both && (from == to || is_there(disk, to)) {
        return Ok(ConversionAnswer::Nothing);
    }
    let table = RewritableTable::read_anywhere(&mut Sectored::new(&mut *disk, from))?;
    table.can_be_remade()?;
    let placed = place::placed(&table, disk.size_bytes(), wish)?;
    let contents = contents(disk, &table)?;
    if !wish.both {
        known(disk, &table, &contents, (from, to))?;
    }
    let conversion = Planner {
        disk,
        table: &table,
        placed: &placed,
        contents,
    }
    .conversion(from)?;
    if wish.both && both::is_done(disk, &conversion)? {
        return Ok(ConversionAnswer::Nothing);
    }
    Ok(ConversionAnswer::Convert(Box::new(conversion)))
}

/// Whether there is a GPT in blocks of this size already.
fn is_there(disk: &mut dyn Disk, unit: u64) -> bool {
    let table = RewritableTable::read_anywhere(&mut Sectored::new(&mut *disk, unit));
    matches!(table, Ok(RewritableTable::Gpt(_)))
}

fn contents(disk: &mut dyn Disk, table: &RewritableTable) -> Result<Vec<PartitionContent>> {
    let slots = table.slots();
    let inside = |slot: &&PartitionSlot| slot.end() <= disk.size_bytes();
    if let Some(slot) = slots.iter().find(|slot| !inside(slot)) {
        let number = slot.number;
        return Err(refused(format!("partition {number} ends past the disk")));
    }
    let probe = |slot: &PartitionSlot| content::probe(disk, slot.start, slot.size);
    slots.iter().map(probe).collect()
}

/// An MBR does not say in which blocks it counts: something has to be found where it points.
fn known(
    disk: &mut dyn Disk,
    table: &RewritableTable,
    contents: &[PartitionContent],
    (from, to): (u64, u64),
) -> Result<()> {
    let nothing = |content: &PartitionContent| {
        matches!(content, PartitionContent::Unknown | PartitionContent::Empty)
    };
    if matches!(table, RewritableTable::Gpt(_)) || !contents.iter().all(nothing) {
        return Ok(());
    }
    let other = RewritableTable::read(&mut Sectored::new(&mut *disk, to))?;
    let found = self::contents(disk, &other).is_ok_and(|all| !all.iter().all(nothing));
    Err(refused(if found {
        format!("the MBR counts in sectors of {to} bytes already")
    } else {
        format!(
            "nothing is found at the places of the MBR in sectors of {from} bytes: its sector size is unknown"
        )
    }))
}

struct Planner<'a> {
    disk: &'a mut dyn Disk,
    table: &'a RewritableTable,
    placed: &'a Placed,
    contents: Vec<PartitionContent>,
}

impl Planner<'_> {
    fn conversion(mut self, from: u64) -> Result<Conversion> {
        let Ground {
            unit: to,
            size,
            both,
        } = self.placed.ground;
        let mut layers = Vec::new();
        let mut consequences = Vec::new();
        let mut partitions = Vec::new();
        let contents = std::mem::take(&mut self.contents);
        let slots = self.table.slots();
        for ((old, new), content) in slots.iter().zip(&self.placed.slots).zip(contents) {
            let followed = FollowedPartition {
                number: old.number,
                content: &content,
                kind: match self.table.kind_of(old.number) {
                    Some(Type::Gpt(kind)) => Some(kind),
                    _ => None,
                },
                to,
                resized: old.size != new.size,
            };
            consequences.extend(match both {
                true => both::follow(&followed, from),
                false => follow(&followed),
            });
            let rebuilt = match content {
                PartitionContent::Fat { sector } if sector != to => {
                    let (layer, rebuilt, stated) = self.fat(old, new)?;
                    layers.push(layer);
                    consequences.extend(stated);
                    Some(rebuilt)
                }
                _ => None,
            };
            partitions.push(PartitionChange {
                old: *old,
                new: *new,
                content,
                rebuilt,
            });
        }
        let fixups = self.fixups(&partitions, from)?;
        consequences.extend(fixups.consequences);
        let mut remade = self.table.remade(self.placed.ground, &self.placed.slots)?;
        if both {
            remade.stale.extend(both::other_places(self.disk, from));
        }
        both::kept_free(self.disk, from, &remade, &slots)?;
        layers.extend(overlay::table(&remade, &self.placed.slots));
        layers.push(overlay::changes(&fixups.patches));
        let loader = boot::bios_loader(&mut Sectored::new(&mut *self.disk, from), self.table);
        consequences.extend(match both {
            true => both::boots(self.table, &partitions, loader.as_deref()),
            false => Vec::from_iter(starts::after(
                self.table,
                &partitions,
                to,
                loader.as_deref(),
            )),
        });
        let moves = self.placed.shifts.iter().map(|shift| Move {
            from: shift.from,
            to: shift.to,
            bytes: shift.size,
        });
        Ok(Conversion {
            from,
            to,
            both,
            old_bytes: self.disk.size_bytes(),
            bytes: size.max(self.disk.size_bytes()),
            partitions,
            consequences,
            moves: moves.collect(),
            layers,
        })
    }

    fn fat(
        &mut self,
        old: &PartitionSlot,
        new: &PartitionSlot,
    ) -> Result<(OverlayLayer, Rebuilt, Vec<Consequence>)> {
        let wish = fat::FatWish {
            sector: self.placed.ground.unit,
            start: new.start,
        };
        let before = fat::geometry(self.disk, old.start)?;
        let remade = fat::remade(self.disk, old.start, old.size, wish)
            .map_err(|error| refused(format!("partition {}: {error}", old.number)))?;
        let mut stated: Vec<_> = consequences::few_clusters(old.number, &before, &remade.geometry)
            .into_iter()
            .collect();
        stated.extend(consequences::syslinux(
            self.disk,
            old,
            &remade,
            self.placed.ground.both,
        )?);
        let pieces = remade.pieces.into_iter();
        let layer = OverlayLayer::new(
            pieces
                .map(|piece| piece.based(new.start, old.start))
                .collect(),
        );
        let rebuilt = Rebuilt {
            kept: remade.kept,
            lost_clusters: remade.lost,
            cluster_bytes: (before.cluster, remade.geometry.cluster),
            written_bytes: layer.bytes(wish.sector),
        };
        Ok((layer, rebuilt, stated))
    }

    /// What moves, and files that go elsewhere, ask of boot code and contents. File systems that are rebuilt know
    /// their places.
    fn fixups(&mut self, partitions: &[PartitionChange], from: u64) -> Result<boot::Fixups> {
        let moved: Vec<_> = partitions.iter().filter_map(moved).collect();
        boot::fixups(
            &mut Sectored::new(&mut *self.disk, from),
            self.table,
            &moved,
        )
    }
}

fn moved(one: &PartitionChange) -> Option<Moved> {
    let arrival = match one.rebuilt {
        None => Arrival::Same,
        Some(rebuilt) if rebuilt.kept => Arrival::Kept,
        Some(_) => Arrival::LaidOut,
    };
    let stays = one.old.start == one.new.start && arrival != Arrival::LaidOut;
    (!stays).then_some(Moved {
        number: one.old.number,
        from: one.old.start,
        to: one.new.start,
        bytes: one.old.size,
        arrival,
    })
}
