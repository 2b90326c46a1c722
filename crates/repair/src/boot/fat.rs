//! FAT12, FAT16 and FAT32: hidden sectors in the BIOS parameter block. FAT32 has a copy of its boot sector,
//! usually in its sixth sector: the word at 0x32 says where.

use ioalign_core::on_disk::FatBootSector;

use super::Moved;
use super::hidden::BootSector;
use super::survey::BootSurvey;

/// Reads a partition that moves; whether it is FAT.
pub fn read(survey: &mut BootSurvey<'_>, moved: &Moved, boot: &[u8]) -> bool {
    let Some(block) = FatBootSector::read(boot) else {
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

fn copy(
    survey: &mut BootSurvey<'_>,
    moved: &Moved,
    block: &FatBootSector,
) -> Option<(u64, Vec<u8>)> {
    let is_there = block.is_wide && block.root_entries == 0 && block.copy < block.reserved;
    if !is_there || block.copy == 0 {
        return None;
    }
    let skip = block.copy.checked_mul(block.sector)?;
    let end = skip.checked_add(block.sector)?;
    let at = moved.from.checked_add(skip)?;
    let copy = survey.sector(at).filter(|_| end <= moved.bytes)?;
    let same = FatBootSector::read(&copy)?.sector == block.sector;
    same.then_some((at, copy))
}
