//! NTFS, and BitLocker, whose boot sector is made like it: hidden sectors as FAT has them. NTFS has a copy of
//! its boot sector behind its last sector, which is the last one of the partition.

use ioalign_core::on_disk::NtfsBootSector;
use ioalign_core::on_disk::bytes::{has, le16};

use super::hidden::BootSector;
use super::survey::BootSurvey;
use super::{Consequence, Moved};

/// Reads a partition that moves; whether it is one of these.
pub fn read(survey: &mut BootSurvey<'_>, moved: &Moved, boot: &[u8]) -> bool {
    let own = |name, sector| BootSector {
        name,
        at: moved.from,
        bytes: boot,
        sector,
    };
    if let Some(volume) = NtfsBootSector::read(boot).filter(NtfsBootSector::is_sector) {
        ntfs(survey, moved, &own("NTFS", volume.sector), volume.sectors);
        return true;
    }
    let sector = u64::from(le16(boot, 0x0b));
    let is_sector = sector.is_power_of_two() && (256..=4096).contains(&sector);
    if has(boot, 3, b"-FVE-FS-") && is_sector {
        bitlocker(survey, moved, &own("BitLocker", sector));
        return true;
    }
    false
}

fn ntfs(survey: &mut BootSurvey<'_>, moved: &Moved, own: &BootSector<'_>, sectors: u64) {
    let verdict = own.place(survey, moved, None);
    let total = sectors.checked_mul(own.sector);
    let copy = total.and_then(|total| copy(survey, moved, total, own.sector));
    let Some((at, bytes)) = copy else {
        let what = "NTFS: no copy of its boot sector is in what moves";
        survey.add(Consequence::stated(Some(moved.number), what));
        return;
    };
    let copy = BootSector {
        name: "NTFS, copy of the boot sector",
        at,
        bytes: &bytes,
        sector: own.sector,
    };
    copy.place(survey, moved, Some(verdict));
}

/// The copy: behind the last sector that NTFS counts, else in the last one of the partition.
fn copy(
    survey: &mut BootSurvey<'_>,
    moved: &Moved,
    total: u64,
    sector: u64,
) -> Option<(u64, Vec<u8>)> {
    let last = moved.bytes.checked_sub(sector)?;
    for skip in [total, last] {
        if skip == 0 || skip > last {
            continue;
        }
        let at = moved.from.checked_add(skip)?;
        let copy = survey.sector(at)?;
        if NtfsBootSector::read(&copy).is_some_and(|copy| copy.sector == sector) {
            return Some((at, copy));
        }
    }
    None
}

fn bitlocker(survey: &mut BootSurvey<'_>, moved: &Moved, own: &BootSector<'_>) {
    own.place(survey, moved, None);
    let what =
        "BitLocker measures what it starts from: a volume that moved can ask for its recovery key";
    let advice =
        "suspend protection before (manage-bde -protectors -disable) and have the key at hand";
    survey.add(Consequence::warned(Some(moved.number), what).advised(advice));
}
