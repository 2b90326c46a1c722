//! A disk for logical blocks of another size: 512 ↔ 4096 bytes.
//!
//! A GPT counts in logical blocks and lies in the second one, a FAT file system counts in sectors that may
//! not be smaller than a block: an image that was made for 512 bytes neither boots nor shows a partition
//! on a disk of 4096. The table and the FAT file systems are made anew, everything else stays where it is,
//! if it can live in the new blocks at all ([`follow`]).

pub mod fat;
mod follow;
mod place;

use std::ops::Range;

pub use fat::sector as fat_sector;
pub use follow::{Case, follow};

use crate::boot::{self, Consequence, Moved, Weight};
use crate::content::{self, Content};
use crate::fix::Sectored;
use crate::overlay::{self, Layer, Piece, Source, View};
use crate::tables::{Ground, Slot, Table};
use crate::{Disk, Error, ErrorKind, Identity, Job, Move, Result};
use place::Placed;

/// A partition before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Where it is.
    pub old: Slot,
    /// Where it will be.
    pub new: Slot,
    /// What is in it.
    pub content: Content,
    /// How its file system is made anew, if it is.
    pub rebuilt: Option<Rebuilt>,
}

/// A FAT file system made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Whether its files stay where they are.
    pub kept: bool,
    /// Clusters that belonged to no file, and are free afterwards.
    pub lost_clusters: u32,
    /// Bytes of a cluster before and after.
    pub cluster_bytes: (u64, u64),
    /// Bytes that are written for it.
    pub written_bytes: u64,
}

/// All that a conversion does.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The block that the table counts in now.
    pub from: u64,
    /// The block that it will count in.
    pub to: u64,
    /// Bytes of the disk now.
    pub old_bytes: u64,
    /// Bytes that it has to have: more than it has where the table finds no room at its end.
    pub bytes: u64,
    /// The partitions by number.
    pub partitions: Vec<Partition>,
    /// What is to be told, and what speaks against it.
    pub consequences: Vec<Consequence>,
    /// What moves.
    pub moves: Vec<Move>,
    /// What is written; the first layer is `fixups` once more, for those who read instead of patching.
    layers: Vec<Layer>,
    /// What moves ask for.
    fixups: Vec<crate::Patch>,
}

/// What a disk needs to be one of these blocks.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nothing: its table is one of these blocks.
    Nothing,
    /// This.
    Convert(Box<Conversion>),
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The block that the table counts in now.
    pub from: u64,
    /// The block that it is to count in.
    pub to: u64,
    /// Whether the disk can be made longer: it is an image.
    pub may_grow: bool,
}

/// Plans a conversion. The disk is only read.
pub fn plan(disk: &mut dyn Disk, wish: Wish) -> Result<Answer> {
    let Wish { from, to, may_grow } = wish;
    for unit in [from, to] {
        if unit != 512 && unit != 4096 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("a logical block has 512 or 4096 bytes, not {unit}"),
            ));
        }
    }
    if from == to || is_there(disk, to) {
        return Ok(Answer::Nothing);
    }
    let table = Table::read_anywhere(&mut Sectored::new(&mut *disk, from))?;
    table.can_be_remade()?;
    let placed = place::placed(&table, disk.size_bytes(), to, may_grow)?;
    let contents = contents(disk, &table)?;
    known(disk, &table, &contents, (from, to))?;
    Planner {
        disk,
        table: &table,
        placed: &placed,
        contents,
    }
    .conversion(from)
    .map(Box::new)
    .map(Answer::Convert)
}

/// Whether there is a GPT in blocks of this size already.
fn is_there(disk: &mut dyn Disk, unit: u64) -> bool {
    let table = Table::read_anywhere(&mut Sectored::new(&mut *disk, unit));
    matches!(table, Ok(Table::Gpt(_)))
}

fn contents(disk: &mut dyn Disk, table: &Table) -> Result<Vec<Content>> {
    let slots = table.slots();
    let inside = |slot: &&Slot| slot.end() <= disk.size_bytes();
    if let Some(slot) = slots.iter().find(|slot| !inside(slot)) {
        let number = slot.number;
        return Err(refused(format!("partition {number} ends past the disk")));
    }
    let probe = |slot: &Slot| content::probe(disk, slot.start, slot.size);
    slots.iter().map(probe).collect()
}

/// An MBR does not say in which blocks it counts: something has to be found where it points.
fn known(
    disk: &mut dyn Disk,
    table: &Table,
    contents: &[Content],
    (from, to): (u64, u64),
) -> Result<()> {
    let nothing = |content: &Content| matches!(content, Content::Unknown | Content::Empty);
    if matches!(table, Table::Gpt(_)) || !contents.iter().all(nothing) {
        return Ok(());
    }
    let other = Table::read(&mut Sectored::new(&mut *disk, to))?;
    let found = self::contents(disk, &other).is_ok_and(|all| !all.iter().all(nothing));
    Err(refused(if found {
        format!("the MBR counts in sectors of {to} bytes already")
    } else {
        format!(
            "nothing is found where the MBR points to in sectors of {from} bytes: in which it counts cannot be told"
        )
    }))
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why)
}

struct Planner<'a> {
    disk: &'a mut dyn Disk,
    table: &'a Table,
    placed: &'a Placed,
    contents: Vec<Content>,
}

impl Planner<'_> {
    fn conversion(mut self, from: u64) -> Result<Conversion> {
        let Ground { unit: to, size } = self.placed.ground;
        let mut layers = Vec::new();
        let mut consequences = Vec::new();
        let mut partitions = Vec::new();
        let contents = std::mem::take(&mut self.contents);
        let slots = self.table.slots();
        for ((old, new), content) in slots.iter().zip(&self.placed.slots).zip(contents) {
            consequences.extend(follow(&Case {
                number: old.number,
                content: &content,
                kind: self.table.type_of(old.number),
                to,
                resized: old.size != new.size,
            }));
            let rebuilt = match content {
                Content::Fat { sector } if sector != to => {
                    let (layer, rebuilt, told) = self.fat(old, new)?;
                    layers.push(layer);
                    consequences.extend(told);
                    Some(rebuilt)
                }
                _ => None,
            };
            partitions.push(Partition {
                old: *old,
                new: *new,
                content,
                rebuilt,
            });
        }
        let fixups = self.fixups(&partitions, from)?;
        consequences.extend(fixups.consequences);
        layers.insert(0, layer_of(&fixups.patches));
        let remade = self.table.remade(self.placed.ground, &self.placed.slots)?;
        layers.extend(overlay::table(&remade, &self.placed.slots));
        consequences.extend(self.boots());
        let moves = self.placed.shifts.iter().map(|shift| Move {
            from: shift.from,
            to: shift.to,
            bytes: shift.size,
        });
        Ok(Conversion {
            from,
            to,
            old_bytes: self.disk.size_bytes(),
            bytes: size.max(self.disk.size_bytes()),
            partitions,
            consequences,
            moves: moves.collect(),
            layers,
            fixups: fixups.patches,
        })
    }

    fn fat(&mut self, old: &Slot, new: &Slot) -> Result<(Layer, Rebuilt, Vec<Consequence>)> {
        let wish = fat::Wish {
            sector: self.placed.ground.unit,
            start: new.start,
        };
        let before = fat::geometry(self.disk, old.start)?;
        let remade = fat::remade(self.disk, old.start, old.size, wish)
            .map_err(|error| refused(format!("partition {}: {error}", old.number)))?;
        let mut told: Vec<_> = few_clusters(old.number, &before, &remade.geometry)
            .into_iter()
            .collect();
        told.extend(syslinux(self.disk, old, &remade)?);
        let pieces = remade.pieces.into_iter();
        let layer = Layer::new(
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
        Ok((layer, rebuilt, told))
    }

    /// What else a move asks for; file systems that are made anew know their places.
    fn fixups(&mut self, partitions: &[Partition], from: u64) -> Result<boot::Fixups> {
        let moved = partitions
            .iter()
            .filter(|one| one.old.start != one.new.start);
        let moved = moved.filter(|one| one.rebuilt.is_none()).map(|one| Moved {
            number: one.old.number,
            from: one.old.start,
            to: one.new.start,
            bytes: one.old.size,
        });
        let moved: Vec<_> = moved.collect();
        if moved.is_empty() {
            return Ok(boot::Fixups::default());
        }
        boot::fixups(
            &mut Sectored::new(&mut *self.disk, from),
            self.table,
            &moved,
        )
    }

    /// Boot code in an MBR asks the BIOS for sectors.
    fn boots(&self) -> Option<Consequence> {
        matches!(self.table, Table::Dos(_)).then(|| Consequence {
            partition: None,
            weight: Weight::Warned,
            what: format!(
                "boot code in the MBR and behind it lists sectors of the old size: no BIOS boots it from blocks of {} bytes",
                self.placed.ground.unit
            ),
            advice: Some(String::from("make it a GPT and boot by UEFI")),
        })
    }
}

/// Firmware counts clusters: a FAT32 with fewer than 65525 is none to it.
fn few_clusters(number: u32, before: &fat::Geometry, after: &fat::Geometry) -> Option<Consequence> {
    let was_32 = before.kind == fat::Kind::Fat32;
    let (clusters, size) = (after.clusters(), after.cluster);
    let few = was_32 && clusters < fat::FAT16_BELOW;
    let what = match after.kind {
        fat::Kind::Fat32 => format!(
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
            "where it has to be FAT32, as for Windows, make it anew with 260 MiB or more",
        )),
    })
}

/// Its boot sector lists the sectors of the loader, which goes elsewhere.
fn syslinux(disk: &mut dyn Disk, old: &Slot, remade: &fat::Remade) -> Result<Option<Consequence>> {
    let mut boot = [0; 512];
    disk.read_at(old.start, &mut boot)
        .map_err(|error| Error::io("a boot sector cannot be read", error))?;
    let found = crate::bytes::has(&boot, 3, b"SYSLINUX") && !remade.kept;
    Ok(found.then(|| Consequence {
        partition: Some(old.number),
        weight: Weight::Warned,
        what: String::from("SYSLINUX in it is found by its sectors, which are others afterwards"),
        advice: Some(String::from("install it anew (`syslinux --install`)")),
    }))
}

impl Conversion {
    /// What speaks against it so much that it is not done, unless that is accepted.
    pub fn refusal(&self, accepts: impl Fn(&Consequence) -> bool) -> Option<Error> {
        let refused = |one: &&Consequence| one.weight == Weight::Refused && !accepts(one);
        let one = self.consequences.iter().find(refused)?;
        let what = match one.partition {
            Some(number) => format!("partition {number}: {}", one.what),
            None => one.what.clone(),
        };
        let error = self::refused(what);
        Some(match &one.advice {
            Some(advice) => error.advise(advice.clone()),
            None => error,
        })
    }

    /// The work in place, to be done by the mover. The disk has its new length already.
    pub fn job(&self, disk: &mut dyn Disk) -> Result<Job> {
        if disk.size_bytes() != self.bytes {
            return Err(refused(format!(
                "the image has {} bytes and has to have {} first, for the table at its end",
                disk.size_bytes(),
                self.bytes
            )));
        }
        let mut patches = self.fixups.clone();
        let layers = self.layers.get(1..).unwrap_or_default();
        patches.extend(overlay::patches(disk, &self.moves, layers)?);
        Ok(Job {
            moves: self.moves.clone(),
            patches,
            keep: self.keep(),
            identity: Identity::take(disk, &self.moves),
        })
    }

    /// The same before the disk has its new length: for a look at it.
    pub fn job_ahead(&self, disk: &mut dyn Disk) -> Result<Job> {
        let logical = disk.logical_bytes();
        self.job(&mut View::new(disk, (self.bytes, logical), &[], &[]))
    }

    /// Whether the disk has to become longer first.
    pub const fn grows(&self) -> bool {
        self.bytes > self.old_bytes
    }

    /// Partitions in which nothing is written.
    fn keep(&self) -> Vec<Range<u64>> {
        let still = self.partitions.iter().filter(|one| {
            let moved = one.old.start != one.new.start;
            !moved && one.rebuilt.is_none()
        });
        still.map(|one| one.old.start..one.old.end()).collect()
    }

    /// The disk as it will be, for a copy to a new image.
    pub fn view<'a>(&'a self, disk: &'a mut dyn Disk) -> View<'a> {
        View::new(disk, (self.bytes, self.to), &self.moves, &self.layers)
    }
}

/// Patches as a layer.
fn layer_of(patches: &[crate::Patch]) -> Layer {
    let pieces = patches.iter().map(|patch| Piece {
        at: patch.at,
        from: Source::Bytes(patch.after.clone()),
    });
    Layer::new(pieces.collect())
}
