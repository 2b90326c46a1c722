//! The sector size that an MBR counts in, which it does not say.

use ioalign_core::SectorSize;

use super::sector::BootRecord;
use crate::error::Result;
use crate::view::View;

/// Marks of what starts at a partition's first byte: offset and magic.
const SIGNS: [(u64, &[u8]); 8] = [
    (510, &[0x55, 0xAA]),
    (1080, &[0x53, 0xEF]),
    (0, b"XFSB"),
    (512, b"LABELONE"),
    (0, b"LUKS\xba\xbe"),
    (4086, b"SWAPSPACE2"),
    (4096, &[0xFC, 0x4E, 0x2B, 0xA9]),
    (0x1_0040, b"_BHRfS_M"),
];

/// 512, unless only 4096 finds something.
pub fn detect(view: &View, boot: &BootRecord) -> Result<SectorSize> {
    let other = foreign(view, boot, SectorSize::S512)?;
    Ok(other.unwrap_or(SectorSize::S512))
}

/// The other sector size, if all entries fit with it and only with it something known starts
/// where one of them points: the table was written for another disk than one of `unit`.
pub fn foreign(view: &View, boot: &BootRecord, unit: SectorSize) -> Result<Option<SectorSize>> {
    let other = match unit {
        SectorSize::S512 => SectorSize::S4096,
        _ => SectorSize::S512,
    };
    let fits = |end: u64| {
        other
            .checked_bytes(end)
            .is_some_and(|b| b.get() <= view.len())
    };
    let evident = boot.used().all(|entry| fits(entry.end()))
        && !signs(view, boot, unit)?
        && signs(view, boot, other)?;
    Ok(evident.then_some(other))
}

fn signs(view: &View, boot: &BootRecord, sector: SectorSize) -> Result<bool> {
    for entry in boot.used() {
        let start = u64::from(entry.start) * u64::from(sector.get());
        for (at, magic) in SIGNS {
            if view.has(start + at, magic)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
