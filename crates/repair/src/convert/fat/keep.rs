//! The same clusters for another sector: only the part before them is rebuilt.

use super::lay::reserved_area;
use super::{ByteSource, FatWish, Old, OverlayPiece, RemadeFat};
use crate::Result;
use crate::content::fat::{FatGeometry, FatKind};

/// Least reserved sectors of FAT32: boot sector, its numbers, the copies of both.
const RESERVED_32: u64 = 4;

/// The same file system with its clusters where they are; `None` where they are no whole new sectors, or
/// what comes before them does not fit.
pub fn kept(
    old: &mut Old<'_>,
    geometry: &FatGeometry,
    boot: &[u8],
    wish: FatWish,
) -> Result<Option<RemadeFat>> {
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
        pieces.push(OverlayPiece {
            at,
            from: ByteSource::Old(from..from + used),
        });
        pieces.push(OverlayPiece {
            at: at + used,
            from: ByteSource::Zeros(new.fat_bytes() - used),
        });
    }
    pieces.retain(|piece| !piece.place().is_empty());
    Ok(Some(RemadeFat {
        geometry: new,
        pieces,
        kept: true,
        lost: 0,
    }))
}

/// The tables end where they ended; what they leave before them is reserved.
fn fitted(old: &FatGeometry, sector: u64) -> Option<FatGeometry> {
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
        FatKind::Fat32 => RESERVED_32,
        _ => 1,
    };
    let count = old.clusters() * old.cluster;
    let new = FatGeometry {
        sector,
        reserved,
        fat_sectors,
        sectors: (old.heap_at() + count) / sector,
        active: 0,
        ..*old
    };
    let counts = reserved <= u64::from(u16::MAX)
        && new.clusters() == old.clusters()
        && (old.kind == FatKind::Fat32 || fat_sectors <= u64::from(u16::MAX));
    (reserved >= least && counts && new.heap_at() == old.heap_at()).then_some(new)
}
