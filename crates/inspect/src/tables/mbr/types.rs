//! Partition type bytes of the MBR: names and roles.
//!
//! There is no standard; the names are those that fdisk and the systems themselves use.

use ioalign_core::Role;

/// The type in words; empty where unknown.
pub const fn name(kind: u8) -> &'static str {
    match kind {
        0x01 => "FAT12",
        0x04 => "FAT16 below 32 MiB",
        0x05 => "Extended",
        0x06 => "FAT16",
        0x07 => "NTFS or exFAT",
        0x0b => "FAT32",
        0x0c => "FAT32 (LBA)",
        0x0e => "FAT16 (LBA)",
        0x0f => "Extended (LBA)",
        0x11 | 0x14 | 0x16 | 0x1b | 0x1c | 0x1e => "Hidden FAT",
        0x12 => "OEM diagnostics",
        0x17 => "Hidden NTFS",
        0x27 => "Windows recovery",
        0x39 => "Plan 9",
        0x41 => "PReP boot",
        0x42 => "Windows dynamic disk (LDM)",
        0x63 => "GNU Hurd or System V",
        0x81 => "Minix",
        0x82 => "Linux swap",
        0x83 => "Linux",
        0x84 => "Hibernation",
        0x85 => "Linux extended",
        0x88 => "Linux plain text",
        0x8e => "Linux LVM",
        0xa0 => "Laptop hibernation",
        0xa5 => "FreeBSD",
        0xa6 => "OpenBSD",
        0xa8 => "Darwin UFS",
        0xa9 => "NetBSD",
        0xab => "Darwin boot",
        0xaf => "HFS or HFS+",
        0xbe => "Solaris boot",
        0xbf => "Solaris",
        0xda => "Data without file system",
        0xde => "Dell utility",
        0xea => "Boot loader specification extended boot",
        0xeb => "BeFS",
        0xee => "GPT protective",
        0xef => "EFI system",
        0xfb => "VMware VMFS",
        0xfc => "VMware VMkernel core dump",
        0xfd => "Linux RAID",
        _ => "",
    }
}

/// What a partition of this type is for.
pub const fn role(kind: u8) -> Role {
    match kind {
        0x05 | 0x0f | 0x85 => Role::Extended,
        0x82 => Role::Swap,
        0xef => Role::Esp,
        0x41 => Role::BiosBoot,
        0xfc => Role::Reserved,
        0xfb => Role::Vmfs,
        0xee => Role::Protective,
        _ => Role::Data,
    }
}
