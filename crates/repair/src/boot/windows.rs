//! Windows: on an MBR disk its boot store (BCD), its drive letters and its recovery environment name a partition
//! by the signature of the disk and the byte where the partition starts; on a GPT disk by GUID, which stays.
//!
//! Stores are registry hives of Windows and are not changed here: what will not start after the move is said, with
//! the commands that repair it.

use super::survey::BootSurvey;
use super::{Consequence, Moved};
use crate::tables::{RewritableTable, Type};

/// In the boot sectors that Windows has written since Vista, on every volume that it formats.
const LOADER: &[u8] = b"BOOTMGR";
/// Type of its recovery partition in an MBR.
const RECOVERY: u8 = 0x27;
/// The commands that write a boot store again, after the move.
const REPAIR: &str = "after the move start Windows Setup or its recovery environment, Command Prompt: \
    `bcdboot C:\\Windows /s S:` (C: the volume of Windows, S: the active or the EFI system partition), or \
    `bootrec /rebuildbcd`";

/// Looks at the partitions that move.
pub fn read(survey: &mut BootSurvey<'_>) {
    let RewritableTable::Dos(dos) = survey.table else {
        return;
    };
    let signature = dos.signature();
    for one in survey.moved.iter().filter(|one| one.goes()) {
        let boot = survey.sector(one.from).unwrap_or_default();
        if is_for_windows(&boot) {
            named_by_byte(survey, one, signature, &boot);
        }
        if survey.table.kind_of(one.number) == Some(Type::Dos(RECOVERY)) {
            let what = "Windows names its recovery partition by byte in ReAgent.xml: recovery does not start from there";
            let advice = "after the move, in Windows: `reagentc /disable`, `reagentc /enable`";
            survey.add(Consequence::warned(Some(one.number), what).advised(advice));
        }
    }
}

/// Whether Windows reads what begins with this sector.
fn is_for_windows(boot: &[u8]) -> bool {
    matches!(
        boot.get(3..11),
        Some(b"NTFS    " | b"EXFAT   " | b"-FVE-FS-")
    ) || boot.get(0x36..0x39) == Some(b"FAT")
        || boot.get(0x52..0x55) == Some(b"FAT")
}

fn named_by_byte(survey: &mut BootSurvey<'_>, moved: &Moved, signature: u32, boot: &[u8]) {
    let (number, from) = (Some(moved.number), moved.from);
    // No Windows has written to a disk without a signature: it would have given it one.
    if signature != 0 {
        let what = format!(
            "Windows knows its drive letter by disk {signature:08X} and byte {from}: it may give another one"
        );
        survey.add(Consequence::stated(number, what));
    }
    if boot.windows(LOADER.len()).any(|part| part == LOADER) {
        let what = format!(
            "if Windows is in this partition or starts from it, it does not start after the move: its boot store \
             (BCD) names partitions by signature and byte, here {signature:08X} and {from} (0x{from:x})"
        );
        survey.add(Consequence::warned(number, what).advised(REPAIR));
    }
}
