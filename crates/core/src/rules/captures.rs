//! What texts of other programs say or leave open.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const DEVICE_NOT_NAMED: &str = "device-not-named";
pub const REQUESTS_SEEN: &str = "requests-seen";
pub const RAID_DRIVE_NOT_TIED: &str = "raid-drive-not-tied";
pub const FDISK_OFF_PHYSICAL_SECTOR: &str = "fdisk-off-physical-sector";
pub const WINDOWS_PARTITION_MISALIGNED: &str = "windows-partition-misaligned";
pub const IMAGE_DATA_MISALIGNED: &str = "image-data-misaligned";
pub const SECTOR_SIZE_ASSUMED: &str = "sector-size-assumed";
pub const SEVERAL_HOSTS: &str = "several-hosts";
pub const TOO_MANY_DEVICES: &str = "too-many-devices";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Texts of other programs",
    rules: &[
        Rule {
            id: DEVICE_NOT_NAMED,
            severity: Severity::Note,
            title: "An output that does not name its device",
            means: "A text holds the output of a tool that leaves out which device it is about \
            (dumpe2fs, nvme id-ns, luksDump), and neither a command line nor the file name says \
            which.",
            costs: "Nothing by itself: its facts are not judged against any disk.",
            source: "Outputs of e2fsprogs, nvme-cli and cryptsetup; sos names its files after the \
            command.",
            fix: "Paste the command line with the output, or name the file as sos does \
            (dumpe2fs_-h_.dev.sda1).",
            ignore: "When only what the text itself says is of interest.",
        },
        Rule {
            id: REQUESTS_SEEN,
            severity: Severity::Note,
            title: "Requests that a tracer saw",
            means: "A pasted biosnoop output shows requests: how many start off 4, 16 and 64 KiB, and \
            how many touch two units though one would hold them.",
            costs: "Requests off a unit that the device has cost a read-modify-write; the text \
            does not contain that unit.",
            source: "bcc tools/biosnoop: SECTOR in 512-byte units of the disk, BYTES; bcc issues 3304 \
            and 4279.",
            fix: "Check the layout (fdisk -l, lsblk) to see whether requests or partitions are off.",
            ignore: "When the requests are those of a program that writes single sectors on purpose.",
        },
        Rule {
            id: RAID_DRIVE_NOT_TIED,
            severity: Severity::Note,
            title: "A logical drive without a known disk",
            means: "storcli, MegaCli or ssacli shows a logical drive by the controller's own \
            number, and the texts mention several disks or drives, so the match is unknown.",
            costs: "Nothing by itself: the strip and the full stripe of the drive are not judged.",
            source: "StorCLI prints \"OS Drive Name\", ssacli \"Disk Name\"; MegaCli has neither.",
            fix: "Check the drive and its disk together, without the others, or name the stripe \
            with --grid SIZE:full-stripe:preference.",
            ignore: "When the controller's drives are mirrors.",
        },
        Rule {
            id: FDISK_OFF_PHYSICAL_SECTOR,
            severity: Severity::Misaligned,
            title: "fdisk says that a partition is off the physical sector",
            means: "A pasted listing holds fdisk's own line \"Partition … does not start on \
            physical sector boundary\". It is a note where the start is in the listing too and \
            is judged by itself.",
            costs: "As start-misaligned: small writes become read-modify-write.",
            source: "util-linux disk-utils/fdisk-list.c, libfdisk; it goes by the physical \
            sector that the kernel reports.",
            fix: "Move the partition to the next multiple of the physical sector; 2048 sectors \
            always is one.",
            ignore: "When the physical sector is a hint that is not believed.",
        },
        Rule {
            id: WINDOWS_PARTITION_MISALIGNED,
            severity: Severity::Misaligned,
            title: "Windows says that a partition is off the physical sector",
            means: "fsutil fsinfo sectorinfo shows a partition alignment that is not zero.",
            costs: "As start-misaligned: small writes become read-modify-write.",
            source: "Microsoft, STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR and fsutil fsinfo \
            sectorinfo.",
            fix: "Back up, create the partition again with diskpart create partition primary \
            align=1024, restore.",
            ignore: "On volumes that are only read.",
        },
        Rule {
            id: IMAGE_DATA_MISALIGNED,
            severity: Severity::Misaligned,
            title: "A map of an image whose data are off 4 KiB",
            means: "qemu-img map shows guest data at file offsets that differ from their guest \
            addresses by no multiple of 4 KiB: the format puts them there.",
            costs: "Every 4 KiB request of the guest touches two blocks of the file below.",
            source: "VDI (data at 1024 mod 4096) and dynamic VHD (a 512-byte bitmap before each \
            block).",
            fix: "Convert the image: qemu-img convert -O qcow2, raw or vhdx. Moving partitions \
            inside does not help.",
            ignore: "When the image is only read.",
        },
        Rule {
            id: SECTOR_SIZE_ASSUMED,
            severity: Severity::Note,
            title: "A listing without its sector size",
            means: "The listing counts in sectors and does not say how large they are; 512 bytes \
            are assumed.",
            costs: "On a disk with 4096-byte sectors every start is eight times as far, and the \
            verdict may change.",
            source: "Older versions of sfdisk -d, and others, print no sector size.",
            fix: "Name it with --sector-size, or add a text that has it: lsblk -t, fdisk -l.",
            ignore: "When the disk is known to have 512-byte sectors.",
        },
        Rule {
            id: SEVERAL_HOSTS,
            severity: Severity::Note,
            title: "Facts of several hosts in one text",
            means: "One text holds facts of several machines; only the first is read.",
            costs: "The others are not judged.",
            source: "ansible -m setup prints a document a host.",
            fix: "Give each host's facts as a target of its own: ansible -m setup --tree DIR \
            writes a file each.",
            ignore: "When the first host is the one that matters.",
        },
        Rule {
            id: TOO_MANY_DEVICES,
            severity: Severity::Unknown,
            title: "A text with more devices than are read",
            means: "The text has more lines about devices than any host.",
            costs: "Lines behind the limit are not read.",
            source: "A limit of this program, to bound its memory.",
            fix: "Cut out the important part.",
            ignore: "If the important part is at the beginning.",
        },
    ],
};
