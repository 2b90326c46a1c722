//! LUKS headers and bcache superblocks.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const LUKS_FIRST_HEADER_LOST: &str = "luks-first-header-lost";
pub const LUKS_HEADERS_DIFFER: &str = "luks-headers-differ";
pub const LUKS_REENCRYPT: &str = "luks-reencrypt";
pub const LUKS_DATA_PAST_END: &str = "luks-data-past-end";
pub const BCACHE_CHECKSUM: &str = "bcache-checksum";
pub const BCACHE_DATA_PAST_END: &str = "bcache-data-past-end";
pub const SWAP_HOLDS_HIBERNATION_IMAGE: &str = "swap-holds-hibernation-image";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Encryption and caching",
    rules: &[
        Rule {
            id: LUKS_FIRST_HEADER_LOST,
            severity: Severity::DataRisk,
            title: "The first LUKS2 header is damaged",
            means: "The primary header fails its checksum; the second copy is good and is used \
            here.",
            costs: "cryptsetup still opens it; one more defect and the volume is lost.",
            source: "LUKS2 on-disk format 2.3, two binary headers.",
            fix: "cryptsetup repair restores it. Make a header backup afterwards: \
            luksHeaderBackup.",
            ignore: "Never.",
        },
        Rule {
            id: LUKS_HEADERS_DIFFER,
            severity: Severity::Note,
            title: "LUKS2 headers of different age",
            means: "The two copies have different sequence numbers, or one cannot be read; the \
            newer is taken.",
            costs: "Nothing while the newer is right.",
            source: "LUKS2 on-disk format, seqid.",
            fix: "cryptsetup writes both at the next change.",
            ignore: "Mostly.",
        },
        Rule {
            id: LUKS_REENCRYPT,
            severity: Severity::DataRisk,
            title: "A re-encryption that was not finished",
            means: "The header says that the volume is being re-encrypted. Offline it cannot be \
            opened until that is done; online (LUKS2) it can.",
            costs: "Data are in two states; losing the header now loses them.",
            source: "cryptsetup-reencrypt(8).",
            fix: "cryptsetup reencrypt --resume-only.",
            ignore: "While it runs.",
        },
        Rule {
            id: LUKS_DATA_PAST_END,
            severity: Severity::Broken,
            title: "Encrypted data that do not fit on the device",
            means: "The payload starts or ends behind the device.",
            costs: "The volume cannot be opened.",
            source: "LUKS1 payload-offset in 512-byte sectors, LUKS2 segment offset in bytes.",
            fix: "Give the device its size back.",
            ignore: "When the image is only the header.",
        },
        Rule {
            id: BCACHE_CHECKSUM,
            severity: Severity::Broken,
            title: "A bcache superblock with a wrong checksum",
            means: "The superblock is there, but its checksum is wrong.",
            costs: "The kernel does not register the device.",
            source: "Linux drivers/md/bcache/super.c read_super (CRC-64).",
            fix: "make-bcache writes a new one; the data of a backing device start 8 KiB behind \
            it by default.",
            ignore: "When it is a remnant.",
        },
        Rule {
            id: BCACHE_DATA_PAST_END,
            severity: Severity::Broken,
            title: "bcache data that start behind the device",
            means: "The data offset is behind the end of the device.",
            costs: "The device cannot be registered.",
            source: "Linux drivers/md/bcache, SB data_offset.",
            fix: "Give the device its size back.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: SWAP_HOLDS_HIBERNATION_IMAGE,
            severity: Severity::Note,
            title: "Swap that holds a hibernated system",
            means: "The signature says that a system was suspended to it.",
            costs: "Creating the swap again to align it loses that session.",
            source: "Linux kernel/power/swap.c (S1SUSPEND and others).",
            fix: "Resume and shut down first.",
            ignore: "When the session is not wanted.",
        },
    ],
};
