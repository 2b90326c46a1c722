//! What lies before the tables: the boot sector with the new numbers, and the counts of FAT32.

use ioalign_core::on_disk::bytes::{has, le16, put, u8_at};

use super::{ByteSource, FatWish, Old, OverlayPiece};
use crate::Result;
use crate::content::fat::{FatGeometry, FatKind};

/// Sector of the counts of FAT32.
const INFO: u64 = 1;
/// Where the copy of the boot sector is wanted.
const COPY: u64 = 6;

/// The reserved sectors, all of them.
pub fn reserved_area(
    old: &mut Old<'_>,
    new: &FatGeometry,
    before: &FatGeometry,
    boot: &[u8],
    wish: FatWish,
) -> Result<Vec<OverlayPiece>> {
    let counts = match before.kind {
        FatKind::Fat32 => counts_of(old, before, boot)?,
        _ => None,
    };
    Ok(vec![OverlayPiece {
        at: 0,
        from: ByteSource::Bytes(sectors(new, boot, wish, counts)),
    }])
}

/// Free clusters and where to look for one, as they stand in the old file system.
fn counts_of(old: &mut Old<'_>, before: &FatGeometry, boot: &[u8]) -> Result<Option<[u8; 8]>> {
    let sector = u64::from(le16(boot, 48));
    if sector == 0 || sector >= before.reserved {
        return Ok(None);
    }
    let info = old.read(sector * before.sector, 512)?;
    let signed = has(&info, 0, b"RRaA") && has(&info, 484, b"rrAa");
    let counts = info.get(488..496).and_then(|counts| counts.try_into().ok());
    Ok(counts.filter(|_| signed))
}

/// The reserved sectors with these counts.
pub fn sectors(new: &FatGeometry, boot: &[u8], wish: FatWish, counts: Option<[u8; 8]>) -> Vec<u8> {
    let length = usize::try_from(new.reserved * new.sector).unwrap_or(0);
    let unit = usize::try_from(new.sector).unwrap_or(512);
    let mut area = vec![0; length];
    let is_32 = new.kind == FatKind::Fat32;
    let copy = match new.reserved {
        _ if !is_32 => 0,
        reserved if reserved > COPY + 1 => COPY,
        _ => 2,
    };
    let boot = boot_sector(new, boot, wish, copy);
    put(&mut area, 0, &boot);
    if is_32 {
        let info = info_sector(counts.unwrap_or([0xff; 8]));
        let copy = usize::try_from(copy).unwrap_or(0);
        put(&mut area, unit, &info);
        put(&mut area, copy * unit, &boot);
        put(&mut area, (copy + 1) * unit, &info);
    }
    area
}

fn info_sector(counts: [u8; 8]) -> Vec<u8> {
    let mut info = vec![0; 512];
    put(&mut info, 0, b"RRaA");
    put(&mut info, 484, b"rrAa");
    put(&mut info, 488, &counts);
    put(&mut info, 510, &[0x55, 0xaa]);
    info
}

/// The old boot sector with the new numbers: volume id, label and code are kept.
fn boot_sector(new: &FatGeometry, old: &[u8], wish: FatWish, copy: u64) -> Vec<u8> {
    let mut boot = old.get(..512).unwrap_or_default().to_vec();
    let is_32 = new.kind == FatKind::Fat32;
    if !is_32 && le16(&boot, 22) == 0 {
        boot = narrowed(&boot);
    }
    let short = |number: u64| u16::try_from(number).unwrap_or(0).to_le_bytes();
    let long = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let each = u8::try_from(new.cluster / new.sector.max(1)).unwrap_or(0);
    put(&mut boot, 11, &short(new.sector));
    put(&mut boot, 13, &[each]);
    put(&mut boot, 14, &short(new.reserved));
    put(&mut boot, 17, &short(new.root_entries));
    let small = !is_32 && u16::try_from(new.sectors).is_ok();
    put(&mut boot, 19, &short(if small { new.sectors } else { 0 }));
    put(&mut boot, 32, &long(if small { 0 } else { new.sectors }));
    put(&mut boot, 28, &long(wish.start / new.sector.max(1)));
    if is_32 {
        put(&mut boot, 22, &[0, 0]);
        put(&mut boot, 36, &long(new.fat_sectors));
        put(&mut boot, 40, &[0, 0]);
        put(&mut boot, 44, &new.root.to_le_bytes());
        put(&mut boot, 48, &short(INFO));
        put(&mut boot, 50, &short(copy));
    } else {
        put(&mut boot, 22, &short(new.fat_sectors));
        name(&mut boot, new.kind);
    }
    boot
}

/// The boot sector of a FAT32 as that of a FAT16: drive, volume id and label stand 28 bytes before, and the
/// code, which is for the other kind, gives up at once.
fn narrowed(old: &[u8]) -> Vec<u8> {
    let mut boot = vec![0; 512];
    put(&mut boot, 0, &[0xeb, 0x3c, 0x90]);
    put(&mut boot, 3, old.get(3..36).unwrap_or_default());
    put(&mut boot, 36, old.get(64..90).unwrap_or_default());
    put(&mut boot, 54, b"FAT16   ");
    // int 18h; hlt; jmp -3
    put(&mut boot, 62, &[0xcd, 0x18, 0xf4, 0xeb, 0xfd]);
    put(&mut boot, 510, &[0x55, 0xaa]);
    boot
}

/// The name of the kind, where there is one. It decides nothing, but is read by people.
fn name(boot: &mut [u8], kind: FatKind) {
    let named = u8_at(boot, 38) == 0x29 && has(boot, 54, b"FAT1");
    if named {
        let name = match kind {
            FatKind::Fat12 => b"FAT12   ",
            _ => b"FAT16   ",
        };
        put(boot, 54, name);
    }
}
