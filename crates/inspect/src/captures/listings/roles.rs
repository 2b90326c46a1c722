//! What a partition is for, by the words that listings print instead of a type number.

use ioalign_core::{Role, TableKind};

use crate::tables;

/// Words, all of which must occur in the lower-case text, and what they mean; the first match counts.
const WORDS: &[(&[&str], Role)] = &[
    (&["extended"], Role::Extended),
    (&["bios", "boot"], Role::BiosBoot),
    (&["prep"], Role::BiosBoot),
    (&["freebsd-boot"], Role::BiosBoot),
    (&["solaris reserved"], Role::Reserved),
    (&["microsoft reserved"], Role::Msr),
    (&["ms-reserved"], Role::Msr),
    (&["msr"], Role::Msr),
    (&["vmkernel"], Role::Reserved),
    (&["vmkdiagnostic"], Role::Reserved),
    (&["vmware reserved"], Role::Reserved),
    (&["ldm-metadata"], Role::Reserved),
    (&["swap"], Role::Swap),
    (&["vmfs"], Role::Vmfs),
    (&["efi"], Role::Esp),
];

/// Four-digit codes of gdisk that are no byte of the MBR followed by `00`.
const GDISK: &[(&str, Role)] = &[
    ("EF00", Role::Esp),
    ("EF02", Role::BiosBoot),
    ("0C01", Role::Msr),
    ("8200", Role::Swap),
    ("8301", Role::Reserved),
    ("4100", Role::BiosBoot),
    ("4200", Role::Data),
    ("A500", Role::Data),
    ("A501", Role::BiosBoot),
    ("A502", Role::Swap),
    ("BF02", Role::Swap),
    ("BF07", Role::Reserved),
    ("FB00", Role::Vmfs),
    ("FB01", Role::Reserved),
    ("FC00", Role::Reserved),
];

/// By a byte, a GUID, or words: `82`, `EFI System`.
pub(super) fn of(type_id: &str) -> Option<Role> {
    tables::role_of_type(type_id).or_else(|| words(type_id))
}

/// By words alone: in a name, `82` is no type.
pub(super) fn words(text: &str) -> Option<Role> {
    let text = text.to_lowercase();
    WORDS
        .iter()
        .find(|(words, _)| words.iter().all(|word| text.contains(word)))
        .map(|(_, role)| *role)
}

/// By a code of gdisk; an unknown one holds data.
pub(super) fn gdisk(code: &str) -> Role {
    GDISK
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(code))
        .map_or(Role::Data, |(_, role)| *role)
}

/// The kind of table that a program calls so.
pub(super) fn table(word: &str) -> Option<TableKind> {
    match word.trim().to_ascii_lowercase().as_str() {
        "gpt" => Some(TableKind::Gpt),
        "dos" | "msdos" | "mbr" => Some(TableKind::Dos),
        "sun" | "vtoc8" => Some(TableKind::VtocSparc),
        "sgi" | "dvh" => Some(TableKind::Sgi),
        "bsd" => Some(TableKind::Bsd),
        "mac" | "apm" => Some(TableKind::Apple),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_every_spelling() {
        for (text, role) in [
            ("82", Role::Swap),
            ("0xef", Role::Esp),
            ("fb", Role::Vmfs),
            ("C12A7328F81F11D2BA4B00A0C93EC93B", Role::Esp),
            ("{e3c9e316-0b5c-4db8-817d-f92df00215ae}", Role::Msr),
            ("EFI-System", Role::Esp),
            ("BIOS boot", Role::BiosBoot),
            ("Linux swap / Solaris", Role::Swap),
        ] {
            assert_eq!(of(text), Some(role), "{text}");
        }
        assert_eq!(of("Linux filesystem"), None);
        assert_eq!(gdisk("ef02"), Role::BiosBoot);
        assert_eq!(gdisk("8300"), Role::Data);
    }
}
