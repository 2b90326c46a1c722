//! The same clusters for another sector: only the part before them is rebuilt.

use super::geometry::{Geometry, Kind};
use super::lay::reserved_area;
use super::{Old, Piece, Remade, Source, Wish};
use crate::Result;

/// Least reserved sectors of FAT32: boot sector, its numbers, the copies of both.
const RESERVED_32: u64 = 4;

/// The same file system with its clusters where they are; `None` where they are no whole new sectors, or
/// what comes before them does not fit.
pub fn kept(
    old: &mut Old<'_>,
    geometry: &Geometry,
    boot: &[u8],
    wish: Wish,
) -> Result<Option<Remade>> {
    let Some(new) = fitted(geometry, wish.sector) else {
        return Ok(None);
    };
    let mut pieces = reserved_area(old, &new, geometry, boot, wish)?;
    let used = (geometry.clusters() + 2) * geometry.kind.bits();
    let used = used.div_ceil(8).next_multiple_of(512).min(new.fat_bytes());
    let used = used.min(geometry.fat_bytes());
    let from = geometry.fat_at(geometry.active);
    for index in 0..new.fats {
        let at = new.fat_at(index);
        pieces.push(Piece {
            at,
            from: Source::Old(from..from + used),
        });
        pieces.push(Piece {
            at: at + used,
            from: Source::Zeros(new.fat_bytes() - used),
        });
    }
    pieces.retain(|piece| !piece.place().is_empty());
    Ok(Some(Remade {
        geometry: new,
        pieces,
        kept: true,
        lost: 0,
    }))
}

/// The tables end where they ended; what they leave before them is reserved.
fn fitted(old: &Geometry, sector: u64) -> Option<Geometry> {
    let whole = |bytes: u64| bytes.is_multiple_of(sector);
    let root = old.root_entries * 32;
    if !whole(old.cluster) || !whole(old.heap_at()) || !whole(root) || old.cluster / sector > 128 {
        return None;
    }
    let fat_bytes = ((old.clusters() + 2) * old.kind.bits()).div_ceil(8);
    let fat_sectors = fat_bytes.div_ceil(sector);
    let ahead = old.heap_at().checked_sub(root)? / sector;
    let reserved = ahead.checked_sub(old.fats.checked_mul(fat_sectors)?)?;
    let least = match old.kind {
        Kind::Fat32 => RESERVED_32,
        _ => 1,
    };
    let count = old.clusters() * old.cluster;
    let new = Geometry {
        sector,
        reserved,
        fat_sectors,
        sectors: (old.heap_at() + count) / sector,
        active: 0,
        ..*old
    };
    let counts = reserved <= u64::from(u16::MAX)
        && new.clusters() == old.clusters()
        && (old.kind == Kind::Fat32 || fat_sectors <= u64::from(u16::MAX));
    (reserved >= least && counts && new.heap_at() == old.heap_at()).then_some(new)
}
