//! What is wrong with a GUID partition table, by the UEFI specification.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const GPT_PRIMARY_DAMAGED: &str = "gpt-primary-damaged";
pub const GPT_HEADER_DAMAGED: &str = "gpt-header-damaged";
pub const GPT_ENTRIES_CRC: &str = "gpt-entries-crc";
pub const GPT_ENTRY_IMPOSSIBLE: &str = "gpt-entry-impossible";
pub const GPT_BACKUP_MISSING: &str = "gpt-backup-missing";
pub const GPT_BACKUP_DAMAGED: &str = "gpt-backup-damaged";
pub const GPT_BACKUP_DIFFERS: &str = "gpt-backup-differs";
pub const GPT_BACKUP_NOT_AT_END: &str = "gpt-backup-not-at-end";
pub const GPT_TWO_SECTOR_SIZES: &str = "gpt-two-sector-sizes";
pub const GPT_OTHER_TABLE_DAMAGED: &str = "gpt-other-table-damaged";
pub const GPT_TABLES_DISAGREE: &str = "gpt-tables-disagree";
pub const GPT_MISSING: &str = "gpt-missing";
pub const GPT_BESIDE_MBR: &str = "gpt-beside-mbr";
pub const GPT_MBR_DISAGREE: &str = "gpt-mbr-disagree";
pub const HYBRID_MBR: &str = "hybrid-mbr";
pub const PROTECTIVE_MBR_MISSING: &str = "protective-mbr-missing";
pub const PROTECTIVE_MBR_DOUBLE: &str = "protective-mbr-double";
pub const PROTECTIVE_MBR_EXTENT: &str = "protective-mbr-extent";
pub const PROTECTIVE_MBR_ACTIVE: &str = "protective-mbr-active";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "GPT",
    rules: &[
        Rule {
            id: GPT_PRIMARY_DAMAGED,
            severity: Severity::Broken,
            title: "The first GPT is damaged, the backup is used",
            means: "Header or entries at the start of the disk fail their CRC; a good copy was \
            found at the end.",
            costs: "Linux uses the backup only with gpt on its command line, firmware varies: \
            the machine may see no partitions.",
            source: "UEFI 5.3.2: the backup is to be used only when the primary is invalid.",
            fix: "Restore it from the backup: gdisk, then r, b, w; or sgdisk --load-backup of a \
            saved copy.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_HEADER_DAMAGED,
            severity: Severity::Broken,
            title: "The GPT header is damaged and there is no good backup",
            means: "The header fails its CRC or contradicts itself; its entries are shown as far \
            as they can be read.",
            costs: "Systems see no partitions.",
            source: "UEFI 5.3.2, Linux block/partitions/efi.c is_gpt_valid.",
            fix: "Compare the entries with what lies on the disk (file-system superblocks), then \
            let gdisk write a new table.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_ENTRIES_CRC,
            severity: Severity::Broken,
            title: "The entries of the GPT fail their CRC and there is no good backup",
            means: "The header is valid, but the array of entries does not match its CRC.",
            costs: "Systems refuse the table.",
            source: "UEFI 5.3.2, PartitionEntryArrayCRC32.",
            fix: "Compare the entries with what lies on the disk, then let gdisk write a new \
            table.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_ENTRY_IMPOSSIBLE,
            severity: Severity::Broken,
            title: "An entry that ends before it starts",
            means: "The last LBA of the entry lies before its first, or the numbers do not fit \
            in 64 bits of bytes.",
            costs: "The partition has no bytes; programs disagree on what to do with it.",
            source: "UEFI 5.3.3.",
            fix: "Delete the entry or correct its end with gdisk.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_BACKUP_MISSING,
            severity: Severity::DataRisk,
            title: "There is no backup GPT",
            means: "There is no backup at the place that the primary header names: the image \
            was cut off, or the disk was enlarged and the header rewritten.",
            costs: "Nothing today. With the primary damaged, the table is lost.",
            source: "UEFI 5.3.2; images written with dd to a larger disk have it in the middle.",
            fix: "sgdisk --move-second-header DEVICE writes a new one at the end.",
            ignore: "On images that are grown on first boot (cloud images): their tools write it \
            then.",
        },
        Rule {
            id: GPT_BACKUP_DAMAGED,
            severity: Severity::DataRisk,
            title: "The backup GPT is damaged",
            means: "The backup header or its entries fail their CRC.",
            costs: "Nothing today. With the primary damaged, the table is lost.",
            source: "UEFI 5.3.2.",
            fix: "sgdisk --move-second-header DEVICE writes a new one.",
            ignore: "Never for long: it costs one command.",
        },
        Rule {
            id: GPT_BACKUP_DIFFERS,
            severity: Severity::DataRisk,
            title: "The backup GPT describes another table",
            means: "Both copies are valid and list different partitions: one of them is old.",
            costs: "A system that reads the backup sees partitions at the wrong places.",
            source: "UEFI 5.3.2.",
            fix: "Check that the primary is the right one, then sgdisk --move-second-header \
            DEVICE.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_BACKUP_NOT_AT_END,
            severity: Severity::Note,
            title: "The backup GPT is not at the end of the disk",
            means: "The disk has grown, or the table was copied from a smaller one. The space \
            behind the backup cannot be used until it is moved.",
            costs: "Nothing but the space; some firmware complains.",
            source: "UEFI 5.3.2: the backup is in the last LBA.",
            fix: "sgdisk --move-second-header DEVICE, or let growpart or systemd-repart do it.",
            ignore: "On images that are grown on first boot.",
        },
        Rule {
            id: GPT_TWO_SECTOR_SIZES,
            severity: Severity::Note,
            title: "GPT headers for two sector sizes",
            means: "There is a header at byte 512 and one at byte 4096: one is a remnant, or the \
            image is made to work on both kinds of disk.",
            costs: "A system with the other sector size sees the other table.",
            source: "util-linux issue 2023 (a GPT for several sector sizes).",
            fix: "Wipe the remnant: sgdisk --zap on a system with that sector size, or wipefs.",
            ignore: "If it is on purpose (ioalign fix --universal): both tables name the same bytes, or \
            there is another finding.",
        },
        Rule {
            id: GPT_OTHER_TABLE_DAMAGED,
            severity: Severity::DataRisk,
            title: "One of two tables is damaged",
            means: "The image has a GPT for sectors of 512 bytes and one for 4096. One of them is \
            whole; the other has a copy that is damaged or missing.",
            costs: "On disks with the other sectors the partitions are not found, or are lost with the \
            next damage.",
            source: "UEFI 5.3.2; each system reads the table of its own sectors. A partitioner that \
            writes the last block of 4096 bytes takes the backup header for 512 with it.",
            fix: "ioalign fix IMAGE --universal makes both tables again from the one that is whole.",
            ignore: "If the image is for one kind of disk alone.",
        },
        Rule {
            id: GPT_TABLES_DISAGREE,
            severity: Severity::DataRisk,
            title: "GPTs for two sector sizes that name different bytes",
            means: "The image has a good table for each of two sector sizes, and their partitions \
            do not lie at the same bytes.",
            costs: "On one of the two kinds of disk the partitions are not where their data are.",
            source: "UEFI 5.3.1 (each system reads the header at its own LBA 1).",
            fix: "ioalign fix IMAGE --universal --sector-size N makes both from the one for N bytes.",
            ignore: "Never: wipe the one that is a remnant.",
        },
        Rule {
            id: GPT_MISSING,
            severity: Severity::Broken,
            title: "A protective MBR without a GPT",
            means: "The MBR says that the disk has a GPT, and no header is found for any sector \
            size.",
            costs: "Systems see no partitions.",
            source: "UEFI 5.2.3.",
            fix: "Look for the backup with gdisk; if there never was a GPT, write a plain table.",
            ignore: "Never.",
        },
        Rule {
            id: GPT_BESIDE_MBR,
            severity: Severity::DataRisk,
            title: "A GPT beside an MBR that does not protect it",
            means: "There are two tables, and systems that prefer one see something else than \
            systems that prefer the other.",
            costs: "A tool that uses the wrong one overwrites data.",
            source: "util-linux issues 699 and 850; Linux takes a GPT only behind a protective \
            entry.",
            fix: "Remove the wrong one: sgdisk --zap for the GPT, or a new protective MBR.",
            ignore: "Never, unless the GPT is empty (then it is a note).",
        },
        Rule {
            id: GPT_MBR_DISAGREE,
            severity: Severity::DataRisk,
            title: "MBR entries that match no GPT partition",
            means: "The hybrid MBR has an entry that is not one of the GPT's partitions.",
            costs: "A system that reads the MBR writes where the GPT has something else.",
            source: "gdisk's manual on hybrid MBRs.",
            fix: "Create the hybrid MBR again from the GPT (gdisk, r, h), or replace it by a \
            protective one.",
            ignore: "Never.",
        },
        Rule {
            id: HYBRID_MBR,
            severity: Severity::Note,
            title: "A hybrid MBR",
            means: "The MBR has real entries beside the protective one. Systems that read it see \
            those, all others the GPT.",
            costs: "Nothing while both agree; a tool that changes one of them makes them differ.",
            source: "gdisk's manual; used for Raspberry Pi firmware and old Macs.",
            fix: "Replace it by a protective MBR where nothing needs it.",
            ignore: "When the firmware needs it.",
        },
        Rule {
            id: PROTECTIVE_MBR_MISSING,
            severity: Severity::Broken,
            title: "A GPT without a protective MBR",
            means: "No entry of type EE stands before the GPT.",
            costs: "Linux and Windows do not see the GPT's partitions.",
            source: "UEFI 5.2.3; Linux block/partitions/efi.c is_pmbr_valid.",
            fix: "Let sgdisk or gdisk write a new protective MBR.",
            ignore: "If every system that uses the disk is configured to read the GPT (Linux: \
            gpt on the command line).",
        },
        Rule {
            id: PROTECTIVE_MBR_DOUBLE,
            severity: Severity::Note,
            title: "Several protective entries",
            means: "The MBR has more than one entry of type EE.",
            costs: "Strict firmware may refuse the disk.",
            source: "UEFI 5.2.3 has one.",
            fix: "Let gdisk write a new protective MBR.",
            ignore: "When everything boots.",
        },
        Rule {
            id: PROTECTIVE_MBR_EXTENT,
            severity: Severity::Note,
            title: "A protective entry that does not cover the disk",
            means: "It should reach from sector 1 to the end (or to 2^32 - 1). If the numbers \
            fit the other sector size, the table was written for another disk.",
            costs: "Old tools see free space behind it; some firmware refuses it.",
            source: "UEFI 5.2.3; Linux accepts it with a message.",
            fix: "Let gdisk write a new protective MBR.",
            ignore: "On images that are grown on first boot.",
        },
        Rule {
            id: PROTECTIVE_MBR_ACTIVE,
            severity: Severity::Note,
            title: "A protective entry marked active",
            means: "The boot flag of the EE entry is set, which the specification forbids, some \
            BIOSes need and some UEFI firmware refuses.",
            costs: "The machine may not boot.",
            source: "UEFI 5.2.3 (BootIndicator shall be 0); syslinux and GRUB on GPT under BIOS.",
            fix: "Clear it (parted DEVICE disk_set pmbr_boot off) when the firmware does not ask \
            for it.",
            ignore: "When the machine boots.",
        },
    ],
};
