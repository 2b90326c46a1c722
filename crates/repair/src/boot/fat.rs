//! FAT12, FAT16 and FAT32: hidden sectors in the BIOS parameter block. FAT32 has a copy of its boot sector,
//! usually in its sixth sector: the word at 0x32 says where.

use super::Moved;
use super::hidden::BootSector;
use super::survey::Survey;
use crate::tables::le32;

/// What is needed of a BIOS parameter block.
struct Block {
    sector: u64,
    /// The sector of the copy; FAT32 only.
    copy: Option<u64>,
}

/// Reads a partition that moves; whether it is FAT.
pub fn read(survey: &mut Survey<'_>, moved: &Moved, boot: &[u8]) -> bool {
    let Some(block) = parse(boot) else {
        return false;
    };
    let own = BootSector {
        name: "FAT",
        at: moved.from,
        bytes: boot,
        sector: block.sector,
    };
    let verdict = own.place(survey, moved, None);
    if let Some((at, bytes)) = copy(survey, moved, &block) {
        let copy = BootSector {
            name: "FAT, copy of the boot sector",
            at,
            bytes: &bytes,
            sector: block.sector,
        };
        copy.place(survey, moved, Some(verdict));
    }
    true
}

fn parse(boot: &[u8]) -> Option<Block> {
    let word = |at: usize| le32(boot, at) & 0xffff;
    let byte = |at: usize| boot.get(at).copied().unwrap_or(0);
    let sector = word(0x0b);
    let sound = boot.get(510..512) == Some(&[0x55, 0xaa])
        && matches!(byte(0), 0xeb | 0xe9)
        && sector.is_power_of_two()
        && (512..=4096).contains(&sector)
        && byte(0x0d).is_power_of_two()
        && word(0x0e) != 0
        && (1..=4).contains(&byte(0x10));
    let is_32 = word(0x16) == 0 && word(0x11) == 0;
    let copy = u64::from(word(0x32));
    let inside = 0 < copy && copy < u64::from(word(0x0e));
    sound.then_some(Block {
        sector: u64::from(sector),
        copy: (is_32 && inside).then_some(copy),
    })
}

fn copy(survey: &mut Survey<'_>, moved: &Moved, block: &Block) -> Option<(u64, Vec<u8>)> {
    let skip = block.copy?.checked_mul(block.sector)?;
    let end = skip.checked_add(block.sector)?;
    let at = moved.from.checked_add(skip)?;
    let copy = survey.sector(at).filter(|_| end <= moved.bytes)?;
    let same = parse(&copy)?.sector == block.sector;
    same.then_some((at, copy))
}
