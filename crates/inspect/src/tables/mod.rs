//! Partition tables and disk labels: one small file a format, and the list that tries them.

use ioalign_core::{Bytes, Remark, Role, SectorSize, TableKind};

use crate::error::Result;
use crate::view::View;

mod apm;
mod bsd;
mod checks;
mod ebr;
mod gpt;
mod ldm;
mod mbr;
mod sgi;
mod unread;
mod vtoc_sparc;
mod vtoc_x86;

/// What a table may need to know besides its bytes.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The sector size that the operator or the device names; `None`: probe.
    pub sector: Option<SectorSize>,
    /// The start of the view on the disk: a BSD label in a partition may hold absolute numbers.
    pub start_on_disk: Bytes,
    /// The type of the partition that holds the label (`a5`, `bf`); `None` for a whole disk.
    pub parent_type: Option<String>,
}

/// A table, as read.
#[derive(Clone, Debug, Default)]
pub struct PartitionTable {
    /// Its kind.
    pub kind: TableKind,
    /// The sector size its numbers count in.
    pub sector: Option<SectorSize>,
    /// Other sector sizes for which there is a good table of this kind as well.
    pub also: Vec<SectorSize>,
    /// In table order. Starts are relative to the view.
    pub partitions: Vec<Partition>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
    /// First byte after the structures at the front that the format keeps for itself.
    pub first_usable: Option<Bytes>,
    /// First byte of the structures at the end (backup GPT); the end of usable space.
    pub last_usable: Option<Bytes>,
    /// Identity of the disk: GPT disk GUID, DOS disk signature in hex; empty where there is none.
    pub id: String,
    /// Entries of a second table that other systems would obey: the real ones of a hybrid MBR.
    pub rivals: Vec<Partition>,
}

/// One entry.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// As the platform numbers it: logical partitions from 5, VTOC slices from 0.
    pub number: u32,
    /// `83`, `fb`, a GUID in upper case, a VTOC tag, `Apple_HFS`.
    pub type_id: String,
    /// The type in words, where known.
    pub type_name: &'static str,
    /// The name stored in the table.
    pub label: String,
    /// Its purpose, if its type shows it.
    pub role: Role,
    /// Relative to the view that the table was read from.
    pub start: Bytes,
    /// Length.
    pub size: Bytes,
    /// The number of the extended partition or slice that contains it.
    pub inside: Option<u32>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
    /// `PARTUUID`: the GPT unique GUID, or DOS signature and number; empty where there is none.
    pub uuid: String,
    /// Marked bootable: DOS active flag, GPT legacy-boot attribute.
    pub active: bool,
    /// Where its entry is stored in the view. The EBR of a logical partition is the sector
    /// around it.
    pub entry_at: Bytes,
}

/// Tries one format.
pub type Probe = fn(&View, &Context) -> Result<Option<PartitionTable>>;

/// All formats, in the order in which they are tried; the first that answers wins.
///
/// GPT and LDM lie behind an MBR that would answer too; labels with magic and checksum come
/// before the MBR, which has nothing but two bytes; APM comes after it, because hybrid ISO images
/// carry both and everything but a Macintosh obeys the MBR.
pub const FORMATS: &[(&str, Probe)] = &[
    ("gpt", gpt::probe),
    ("vtoc-sparc", vtoc_sparc::probe),
    ("sgi", sgi::probe),
    ("ldm", ldm::probe),
    ("bsd", bsd::probe),
    ("vtoc-x86", vtoc_x86::probe),
    ("dasd", unread::probe_dasd),
    ("dos", mbr::probe),
    ("apm", apm::probe),
    ("atari", unread::probe_atari),
];

/// The table of `view`, if any format recognises one.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    for (_, format) in FORMATS {
        if let Some(table) = view.trying(|view| format(view, context))? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// What a partition is for, by its type as tables and tools write it: `83`, `0x82`, a GUID.
pub(crate) fn role_of_type(type_id: &str) -> Option<Role> {
    if let Some(guid) = gpt::canonical(type_id) {
        return Some(gpt::role(&guid));
    }
    let digits = type_id.strip_prefix("0x").unwrap_or(type_id);
    let byte = (digits.len() <= 2).then(|| u8::from_str_radix(digits, 16).ok())??;
    Some(mbr::types::role(byte))
}

/// Name and role of a slice of a Solaris label, by its tag.
pub(crate) const fn slice_type(tag: u16) -> (&'static str, Role) {
    vtoc_x86::slice_type(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_types_in_every_notation() {
        let efi = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
        for (text, role) in [
            ("82", Some(Role::Swap)),
            ("0x82", Some(Role::Swap)),
            ("5", Some(Role::Extended)),
            (efi, Some(Role::Esp)),
            ("{c12a7328f81f11d2ba4b00a0c93ec93b}", Some(Role::Esp)),
            ("C12A7328", None),
            ("linux", None),
            ("no type, and as long as a GUID..", None),
        ] {
            assert_eq!(role_of_type(text), role, "{text}");
        }
        assert_eq!(slice_type(3), ("swap", Role::Swap));
    }
}
