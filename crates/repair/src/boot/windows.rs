//! Windows: on an MBR disk its boot store (BCD) and its drive letters name a partition by the signature of
//! the disk and the byte where the partition starts; on a GPT disk by GUID, which stays.

use super::survey::Survey;
use super::{Consequence, Moved};
use crate::tables::Table;

/// In the boot sectors that Windows writes, since Vista and before.
const LOADERS: [&[u8]; 2] = [b"BOOTMGR", b"NTLDR"];

/// Looks at a partition with NTFS, FAT or exFAT that moves.
pub fn read(survey: &mut Survey<'_>, moved: &Moved, boot: &[u8]) {
    let Table::Dos(dos) = survey.table else {
        return;
    };
    let (signature, active) = (dos.signature(), dos.active());
    let number = Some(moved.number);
    let letters = format!(
        "Windows knows the drive letter by disk {signature:08X} and byte {}: it may give another one",
        moved.from
    );
    survey.add(Consequence::told(number, letters));
    let written_by_windows = LOADERS
        .iter()
        .any(|name| boot.windows(name.len()).any(|part| part == *name));
    if !written_by_windows {
        return;
    }
    let what = format!(
        "if Windows is in this partition or starts from it, it does not start after the move: its boot store \
         (BCD) names partitions of this disk by signature {signature:08X} and byte, here {} (0x{:x}){}",
        moved.from,
        moved.from,
        if active == number {
            "; the partition is active"
        } else {
            ""
        }
    );
    let advice = "after the move start Windows Setup or its recovery, Command Prompt: `bcdboot C:\\Windows /s S:` \
                  (S: the active partition), or `bootrec /rebuildbcd`";
    survey.add(Consequence::warned(number, what).advised(advice));
}
