//! SYSLINUX and EXTLINUX: the boot sector loads `ldlinux.sys` by sectors that count from the start of the
//! partition. The start comes from the MBR code before it, else from the hidden sectors at 0x1c
//! (`core/diskboot.inc`, `extlinux/main.c`), which EXTLINUX writes for any file system. So only these
//! change.

use ioalign_core::on_disk::bytes::le32;

use super::hidden::BootSector;
use super::survey::{BootSurvey, SECTOR};
use super::{Consequence, Moved};

/// Before the signature of the boot sector.
const MAGIC: u32 = 0x3eb2_02fe;

/// Whether a boot sector is that of SYSLINUX.
pub fn is_in(boot: &[u8]) -> bool {
    let oem = boot.get(3..11);
    oem == Some(b"SYSLINUX") || oem == Some(b"EXTLINUX") || le32(boot, 0x1f8) == MAGIC
}

/// Reads a partition that moves. `known`: its hidden sectors were looked at already.
pub fn read(survey: &mut BootSurvey<'_>, moved: &Moved, boot: &[u8], known: bool) {
    if !is_in(boot) {
        return;
    }
    let what = "SYSLINUX is in its boot sector, and finds ldlinux.sys by sectors from the start of the partition";
    survey.add(Consequence::stated(Some(moved.number), what));
    if known {
        return;
    }
    let own = BootSector {
        name: "SYSLINUX",
        at: moved.from,
        bytes: boot,
        sector: SECTOR,
    };
    own.place(survey, moved, None);
}
