//! NTFS, and BitLocker, whose boot sector is made like it: hidden sectors as FAT has them. NTFS has a copy of
//! its boot sector behind its last sector, which is the last one of the partition.

use super::hidden::BootSector;
use super::survey::Survey;
use super::{Consequence, Moved};
use crate::tables::{le32, le64};

const NTFS: &[u8] = b"NTFS    ";
const BITLOCKER: &[u8] = b"-FVE-FS-";

/// Reads a partition that moves; whether it is one of these.
pub fn read(survey: &mut Survey<'_>, moved: &Moved, boot: &[u8]) -> bool {
    let Some(sector) = bytes_per_sector(boot) else {
        return false;
    };
    let own = |name| BootSector {
        name,
        at: moved.from,
        bytes: boot,
        sector,
    };
    match boot.get(3..11) {
        Some(NTFS) => ntfs(survey, moved, &own("NTFS")),
        Some(BITLOCKER) => bitlocker(survey, moved, &own("BitLocker")),
        _ => return false,
    }
    true
}

fn bytes_per_sector(boot: &[u8]) -> Option<u64> {
    let bytes = u64::from(le32(boot, 0x0b) & 0xffff);
    (bytes.is_power_of_two() && (256..=4096).contains(&bytes)).then_some(bytes)
}

fn ntfs(survey: &mut Survey<'_>, moved: &Moved, own: &BootSector<'_>) {
    let verdict = own.place(survey, moved, None);
    let total = le64(own.bytes, 0x28).checked_mul(own.sector);
    let copy = total.and_then(|total| copy(survey, moved, total, own.sector));
    let Some((at, bytes)) = copy else {
        let what = "NTFS: there is no copy of the boot sector behind its last sector";
        survey.add(Consequence::told(Some(moved.number), what));
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
fn copy(survey: &mut Survey<'_>, moved: &Moved, total: u64, sector: u64) -> Option<(u64, Vec<u8>)> {
    let last = moved.bytes.checked_sub(sector)?;
    for skip in [total, last] {
        if skip == 0 || skip > last {
            continue;
        }
        let at = moved.from.checked_add(skip)?;
        let copy = survey.sector(at)?;
        if copy.get(3..11) == Some(NTFS) && bytes_per_sector(&copy) == Some(sector) {
            return Some((at, copy));
        }
    }
    None
}

fn bitlocker(survey: &mut Survey<'_>, moved: &Moved, own: &BootSector<'_>) {
    own.place(survey, moved, None);
    let what =
        "BitLocker measures what it starts from: a volume that moved can ask for its recovery key";
    let advice =
        "suspend protection before (manage-bde -protectors -disable) and have the key at hand";
    survey.add(Consequence::warned(Some(moved.number), what).advised(advice));
}
