//! What was not recognised, not readable, or decided by a policy.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const NOTHING_RECOGNISED: &str = "nothing-recognised";
pub const NOTHING_JUDGED: &str = "nothing-judged";
pub const START_UNKNOWN: &str = "start-unknown";
pub const START_NOT_EXACT: &str = "start-not-exact";
pub const BLOCK_SIZE_UNPROVEN: &str = "block-size-unproven";
pub const CAPTURES_DISAGREE: &str = "captures-disagree";
pub const TEXT_NOT_RECOGNISED: &str = "text-not-recognised";
pub const TEXT_CUT_OFF: &str = "text-cut-off";
pub const BUNDLE_INCOMPLETE: &str = "bundle-incomplete";
pub const BUNDLE_ENTRY_REFUSED: &str = "bundle-entry-refused";
pub const BUNDLE_FILE_CUT_OFF: &str = "bundle-file-cut-off";
pub const DAMAGED_METADATA: &str = "damaged-metadata";
pub const NOT_READABLE: &str = "not-readable";
pub const EXTENTS_NOT_PLACED: &str = "extents-not-placed";
pub const WAIVER_EXPIRED: &str = "waiver-expired";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "What could not be known",
    rules: &[
        Rule {
            id: NOTHING_RECOGNISED,
            severity: Severity::Unknown,
            title: "Nothing is recognised",
            means: "No partition table, volume or file system was found, so nothing can be \
            judged. Beside disks that were judged it is a note.",
            costs: "Nothing is known: this is never an ok.",
            source: "Encrypted or raw data, an unknown format, or an empty disk.",
            fix: "Name what lies there: --sector-size for a table of another sector size, \
            --database for raw data files.",
            ignore: "For disks that are known to be empty.",
        },
        Rule {
            id: NOTHING_JUDGED,
            severity: Severity::Unknown,
            title: "Nothing could be compared with a grid",
            means: "There are data, but no path leads from them to any unit of the devices \
            below: a mapping that is not followed, or a device that cannot be read.",
            costs: "Nothing is known: this is never an ok.",
            source: "The layer that is not followed is named.",
            fix: "Run as root, or check the device below by itself.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: START_UNKNOWN,
            severity: Severity::Unknown,
            title: "A partition without a known start",
            means: "The text names the partition but not its start.",
            costs: "Nothing is known of its alignment.",
            source: "lsblk before util-linux 2.38, Insights archives and others print no START.",
            fix: "Take a text that has the start: fdisk -l, sfdisk -d, parted unit s print.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: START_NOT_EXACT,
            severity: Severity::Unknown,
            title: "A start that is printed rounded",
            means: "The number was rounded for people (5370MB), and the possible starts are on \
            and off the grid.",
            costs: "Nothing is known of its alignment.",
            source: "parted prints decimal units with few digits by default; diskpart rounds to \
            MB.",
            fix: "Print it in sectors: parted DISK unit s print, fdisk -l, sfdisk -d.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: BLOCK_SIZE_UNPROVEN,
            severity: Severity::Unknown,
            title: "512-byte blocks that nothing proves",
            means: "The text says that the disk has blocks of 512 bytes, and names neither its model nor \
            that it rotates. Virtual disks, USB bridges, RAID controllers and flash say 512 for larger blocks, \
            and data lie off 4 KiB.",
            costs: "Nothing on a disk that has 512-byte blocks; on any other one every small write becomes a \
            read-modify-write.",
            source: "fdisk before util-linux 2.32, blkid, and rows that lost the lines about their disk.",
            fix: "Name the disk: lsblk -o NAME,MODEL,ROTA,TRAN,PHY-SEC, smartctl -i or hdparm -I beside the text.",
            ignore: "If you know the disk: --grid 4k:physical:rmw judges it as one with blocks of 4 KiB.",
        },
        Rule {
            id: CAPTURES_DISAGREE,
            severity: Severity::Unknown,
            title: "Texts that contradict each other",
            means: "Two texts of the same host name different values; the more exact one is \
            taken.",
            costs: "The verdict may be that of an older state of the machine.",
            source: "Texts taken at different times, or of different machines.",
            fix: "Take them again, together.",
            ignore: "When you know which one is right.",
        },
        Rule {
            id: TEXT_NOT_RECOGNISED,
            severity: Severity::Unknown,
            title: "A text of unknown format",
            means: "It has no output of a known program.",
            costs: "Nothing is known of what it describes.",
            source: "ioalign check --help lists what is read.",
            fix: "Name the program with --as, or paste the whole output.",
            ignore: "When it was not meant as input.",
        },
        Rule {
            id: TEXT_CUT_OFF,
            severity: Severity::Unknown,
            title: "A text that is too long",
            means: "Only its beginning was read.",
            costs: "The rest was not read.",
            source: "A limit of this program, to bound its memory.",
            fix: "Cut out the important part.",
            ignore: "If the important part is at the beginning.",
        },
        Rule {
            id: BUNDLE_INCOMPLETE,
            severity: Severity::Unknown,
            title: "A support bundle without starts",
            means: "The bundle shows disks, partitions or volumes, but not their starts.",
            costs: "Their alignment is not known: this is never an ok.",
            source: "sosreports with lsblk before util-linux 2.38 and without fdisk, Insights archives.",
            fix: "Ask for `blockdev --report`, `fdisk -l` or `parted DISK unit s print`, `pvs -o +pe_start`, \
            `mdadm -E` of the members, or a capture of the host.",
            ignore: "If the devices in it do not matter.",
        },
        Rule {
            id: BUNDLE_ENTRY_REFUSED,
            severity: Severity::Note,
            title: "An entry of a tarball that was left out",
            means: "Its name leads out of the bundle or is not UTF-8, it is a hard link to a file that is \
            not there, a device, or lies in something that is no folder. Absolute names are taken \
            from the top.",
            costs: "Its contents were not read.",
            source: "A rule of this program: a bundle is untrusted, and nothing outside of it is looked at.",
            fix: "Create the bundle again, with tar and relative names.",
            ignore: "When the entries named are of no interest: devices in a copy of /dev, for example.",
        },
        Rule {
            id: BUNDLE_FILE_CUT_OFF,
            severity: Severity::Unknown,
            title: "A file of a tarball that is too large",
            means: "Only the beginning of a text was read; the copy of a device was left out.",
            costs: "The rest was not read.",
            source: "A limit of this program, to bound its memory: 4 MiB a text, 32 MiB a device.",
            fix: "Unpack the bundle and name the file by itself, or copy less of the device.",
            ignore: "If the file is not about disks.",
        },
        Rule {
            id: DAMAGED_METADATA,
            severity: Severity::Broken,
            title: "A structure that could not be read",
            means: "A format was recognised and its own fields contradict it; the file, byte and \
            field are named.",
            costs: "The system that uses it fails too, or takes something else for it.",
            source: "The format's specification.",
            fix: "Restore the structure with the format's own tool, or report a bug if that \
            tool finds no error.",
            ignore: "When it is a remnant of another system.",
        },
        Rule {
            id: NOT_READABLE,
            severity: Severity::Unknown,
            title: "A device that could not be read",
            means: "The device is there and could not be opened or read, mostly for lack of \
            permission. It is a note where the kernel shows all that could be wrong (a mounted file \
            system, swap), where a drive is empty, and where a captured tree has no copy.",
            costs: "Its contents are not judged: a table, a volume or a file system in it may be \
            misaligned.",
            source: "The error of the operating system is quoted.",
            fix: "Run as root or as a member of the group that is named, or capture the host as root.",
            ignore: "For devices that are not used.",
        },
        Rule {
            id: EXTENTS_NOT_PLACED,
            severity: Severity::Note,
            title: "Extents of an image file that have no place yet",
            means: "With --chain, the file system names no address for some extents of an image file: they \
            are not written out yet, compressed, or inside metadata.",
            costs: "Only the other extents are judged.",
            source: "FIEMAP: FIEMAP_EXTENT_DELALLOC, ENCODED, DATA_INLINE, linux/fiemap.h.",
            fix: "sync, and check again.",
            ignore: "When the file is still being written.",
        },
        Rule {
            id: WAIVER_EXPIRED,
            severity: Severity::Note,
            title: "A waiver that has expired",
            means: "The policy file waives a finding until a day that is over, so the finding \
            counts again.",
            costs: "The build fails if the finding is one that fails builds.",
            source: "ioalign.toml, expires.",
            fix: "Repair what was waived, or set a new date with a reason.",
            ignore: "Never: the date was set for this.",
        },
    ],
};
