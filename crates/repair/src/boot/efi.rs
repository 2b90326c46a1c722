//! The EFI system partition: entries in the firmware record its number, GUID, start and length. Firmware finds
//! it by the GUID (UEFI specification 10.3.5.1, short forms); some compare more.

use super::survey::BootSurvey;
use super::{Consequence, Moved};
use crate::tables::{RewritableTable, Type};

/// C12A7328-F81F-11D2-BA4B-00A0C93EC93B as on disk.
const SYSTEM: [u8; 16] = [
    0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b,
];
/// Of an MBR.
const SYSTEM_OF_DOS: u8 = 0xef;

/// Whether a partition has the type of one.
pub fn is_efi_system(table: &RewritableTable, number: u32) -> bool {
    match table.kind_of(number) {
        Some(Type::Gpt(kind)) => kind == SYSTEM,
        Some(Type::Dos(kind)) => kind == SYSTEM_OF_DOS,
        None => false,
    }
}

/// Looks at a partition that moves.
pub fn read(survey: &mut BootSurvey<'_>, moved: &Moved) {
    if is_efi_system(survey.table, moved.number) {
        let what = "EFI system partition: boot entries in the firmware record where it starts; most firmware \
                    goes by its GUID or the disk's signature, which stay";
        let advice = "if an entry is not found, start \\EFI\\BOOT\\BOOTX64.EFI and create it again \
                      (efibootmgr, bcdboot)";
        survey.add(Consequence::stated(Some(moved.number), what).advised(advice));
    }
}
