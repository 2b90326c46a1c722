//! What `ioalign fix` refuses. `docs/fix-refusals.md` is made of these pages.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const FIX_MEMBER_OF: &str = "fix-member-of";
pub const FIX_CONTENT_PAST_END: &str = "fix-content-past-end";
pub const FIX_NO_PLAN: &str = "fix-no-plan";
pub const FIX_NEEDS_CONSENT: &str = "fix-needs-consent";
pub const FIX_IN_USE: &str = "fix-in-use";
pub const FIX_READ_ONLY: &str = "fix-read-only";
pub const FIX_NOT_A_DISK: &str = "fix-not-a-disk";
pub const FIX_NOT_IN_PLACE: &str = "fix-not-in-place";
pub const FIX_NO_SPACE: &str = "fix-no-space";
pub const FIX_OUTPUT_EXISTS: &str = "fix-output-exists";
pub const FIX_PLAN_CHANGED: &str = "fix-plan-changed";
pub const FIX_JOURNAL_MISSING: &str = "fix-journal-missing";
pub const FIX_JOURNAL_LEFT: &str = "fix-journal-left";
pub const FIX_JOURNAL_DISTRUSTED: &str = "fix-journal-distrusted";
pub const FIX_DISK_CHANGED: &str = "fix-disk-changed";
pub const FIX_SIZE_CHANGED: &str = "fix-size-changed";
pub const FIX_OTHER_DISK: &str = "fix-other-disk";
pub const FIX_STOPPED: &str = "fix-stopped";
pub const FIX_UNREADABLE: &str = "fix-unreadable";
pub const FIX_USAGE: &str = "fix-usage";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Refusals of `fix`",
    rules: &[
        Rule {
            id: FIX_MEMBER_OF,
            severity: Severity::Unknown,
            title: "A disk that belongs to something else besides its partitions",
            means: "`ioalign fix` refuses to move partitions: a superblock or signature says that the whole disk \
        is a member of an array, a volume, a pool or a firmware RAID set, or holds a file system under its \
        table. All that `wipefs` and `blkid` know is looked for, at the start and at the end.",
            costs: "Nothing was written. Partitions that are moved on one member of an array differ from those on \
        the others, and a file system over the whole disk is destroyed by any move.",
            source: "Linux md, DRBD, LVM and others keep the table of what they hold in the first sector of a member; \
        mdadm(8), wipefs(8).",
            fix: "Fix the array or volume itself (`ioalign fix /dev/md0`). If the signature is left from an \
        older life of the disk, the message names the `wipefs` call that takes it away, and keeps a backup in \
        the home folder.",
            ignore: "Never: whether a signature is stale is for a person to decide.",
        },
        Rule {
            id: FIX_CONTENT_PAST_END,
            severity: Severity::DataRisk,
            title: "Contents that are longer than their partition",
            means: "`ioalign fix` refuses to move a partition: the file system, swap space, physical volume, array \
        member or encrypted volume in it says that it is longer than the partition.",
            costs: "Nothing was written. A move takes along what the table says: the rest would stay behind and \
        be overwritten.",
            source: "Superblocks of ext4, XFS, btrfs, NTFS, FAT, exFAT and others, headers of LVM, md and LUKS.",
            fix: "`ioalign fix DISK --enlarge-partition N` makes the partition as long as its contents where \
        the space behind it is free. Where it is not, restore the table from a backup, or save the data.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_NO_PLAN,
            severity: Severity::Unknown,
            title: "No layout, or a disk that cannot be judged",
            means: "`ioalign fix` found no safe plan: `check` cannot read the disk as its table describes it, a finding makes the disk broken, or no layout has every partition on its boundaries.",
            costs: "Nothing was written.",
            source: "docs/fix.md.",
            fix: "Run the `ioalign check` or `ioalign explain` that the message names, and put that right first. Where only room is missing, `--shrink-last`, `--partition` or `--align` with a smaller boundary may help.",
            ignore: "When the disk may stay as it is.",
        },
        Rule {
            id: FIX_NEEDS_CONSENT,
            severity: Severity::Unknown,
            title: "A consequence that has to be accepted",
            means: "The plan has a consequence that `ioalign fix` does not take upon itself: a log of a file system is not empty, a boot loader stops working, or other images have this one as their backing file.",
            costs: "Nothing was written.",
            source: "docs/fix-boot.md, docs/fix-images.md.",
            fix: "Remove the cause: replay the log by mounting and unmounting, commit or flatten the overlays, reinstall the boot loader afterwards. Or repeat the command with the consent that the message names.",
            ignore: "Never by habit: each consent gives something up.",
        },
        Rule {
            id: FIX_IN_USE,
            severity: Severity::Unknown,
            title: "A disk that is in use",
            means: "The disk, one of its partitions or the image is mounted, part of an array or volume, used as swap, open for writing, or attached as a loop device.",
            costs: "Nothing was written. Moving data below their user destroys them.",
            source: "Mounts, holders, swaps and locks of the running kernel.",
            fix: "Do what the message names (unmount, stop, detach), and repeat the command.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_READ_ONLY,
            severity: Severity::Unknown,
            title: "A disk that takes no writes",
            means: "The kernel takes no writes for the device, or the file system of the image is mounted read-only.",
            costs: "Nothing was written, and no journal was made.",
            source: "BLKROGET (block/ioctl.c), access(2).",
            fix: "Make it writable (`blockdev --setrw`, `mount -o remount,rw`) if that is meant, or write a copy with `--output`.",
            ignore: "When the disk is kept read-only on purpose.",
        },
        Rule {
            id: FIX_NOT_A_DISK,
            severity: Severity::Unknown,
            title: "A partition in place of a disk",
            means: "The target is a partition; what moves are the partitions of a disk.",
            costs: "Nothing was written.",
            source: "The folder of the device in sysfs.",
            fix: "Name the disk, as the message does.",
            ignore: "Never: there is nothing to fix in a partition alone.",
        },
        Rule {
            id: FIX_NOT_IN_PLACE,
            severity: Severity::Unknown,
            title: "An image that cannot be written in place",
            means: "The format of the image, or the tools that a step needs, do not allow the change in this file.",
            costs: "Nothing was written.",
            source: "docs/fix-images.md, docs/fix-convert.md.",
            fix: "Write a new image with `--output`; the original stays as it is.",
            ignore: "When a copy has no room; then make the image raw first.",
        },
        Rule {
            id: FIX_NO_SPACE,
            severity: Severity::Unknown,
            title: "Too little space for the image or the journal",
            means: "The move makes a sparse or growing image longer, or needs a journal, and the file system has less space free.",
            costs: "Nothing was written. A file system that fills up during a move stops it.",
            source: "statvfs(3); allocation of the image as it is read.",
            fix: "Make room, name another place for the journal with `--journal-dir`, or write the new image elsewhere with `--output`.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_OUTPUT_EXISTS,
            severity: Severity::Unknown,
            title: "A file that has the name of the new image",
            means: "`--output` never replaces a file.",
            costs: "Nothing was written.",
            source: "docs/output-files.md.",
            fix: "Take the free name that the message has, or remove the old file.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_PLAN_CHANGED,
            severity: Severity::Unknown,
            title: "Another plan than the expected one",
            means: "`--expect` names the plan that was reviewed; the table or the data have changed since, so the plan is another one.",
            costs: "Nothing was written.",
            source: "The plan is named by a hash of its moves and of all bytes that it changes.",
            fix: "Review the plan again with the command that the message has.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_JOURNAL_MISSING,
            severity: Severity::Unknown,
            title: "A move without its journal",
            means: "The disk has the marker of a move, or a move is to be ended, and its journal is neither next to the target nor where the marker says, nor in the folder for journals.",
            costs: "Nothing was written. Without the journal nothing knows which bytes have moved.",
            source: "docs/fix-method.md.",
            fix: "Find the journal and name it with `--journal`. If it is lost for good, `--abandon` gives the disk back with what is there.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_JOURNAL_LEFT,
            severity: Severity::Unknown,
            title: "A journal without its move",
            means: "There is a journal of this disk, and either nothing of its move is on the disk, or it was cut off before anything was written.",
            costs: "Nothing was written. The journal blocks new plans.",
            source: "Every sector that the move covers was compared with its images in the journal.",
            fix: "`ioalign fix DISK --forget` compares again and removes the journal.",
            ignore: "Never: a journal that the disk needs is kept by `--forget` itself.",
        },
        Rule {
            id: FIX_JOURNAL_DISTRUSTED,
            severity: Severity::Unknown,
            title: "A journal that other users could have written",
            means: "A journal is an order to write to a disk, so it is obeyed only if it is a regular file of the user who runs `ioalign fix`, in a folder in which nobody else can replace it.",
            costs: "Nothing was written.",
            source: "docs/fix.md.",
            fix: "Look at owner and mode with the command that the message has; move the journal to a folder of your own, or name another place.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_DISK_CHANGED,
            severity: Severity::DataRisk,
            title: "A disk that others have written to during a move",
            means: "A place that the move covers holds neither the bytes from before the move nor those from during or after it: another program has written there, or a backup was restored over it.",
            costs: "Nothing was written. Going on writes over what is there now; the message names these places.",
            source: "Every sector that the move covers is compared with its images in the journal.",
            fix: "Save what the message names if it matters. Then end the move with `--trust-disk`, in the direction that you want.",
            ignore: "Never: until the move has ended, parts of the partitions are in two places.",
        },
        Rule {
            id: FIX_SIZE_CHANGED,
            severity: Severity::DataRisk,
            title: "A disk whose length changed during a move",
            means: "A move is on the disk, and the disk is longer or shorter than when it was begun.",
            costs: "Nothing was written. On a disk that was cut off, the end of the last partition may be lost.",
            source: "The length of the disk in the journal.",
            fix: "Give the image its length back with the command that the message has, and end the move; change the \
        length afterwards.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_OTHER_DISK,
            severity: Severity::DataRisk,
            title: "Another disk than the one that the move was begun on",
            means: "The journal belongs to another disk or file, to another move, or the target is a copy; or another file has taken the name of the target meanwhile.",
            costs: "Nothing was written. Ending a move on a copy deletes the journal that the original needs.",
            source: "Identity of the device or file, as the journal recorded it; the run number of the marker.",
            fix: "Name the disk that the journal belongs to. If the copy is the one to keep, `--adopt`.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_STOPPED,
            severity: Severity::DataRisk,
            title: "A move that stopped on an error",
            means: "An error of the disk, the journal or the file system stopped the move. The journal is whole.",
            costs: "The partitions are in flight until the move is ended.",
            source: "docs/fix-method.md.",
            fix: "Remove the cause (space, cabling, a failing disk: work on a copy), then `--resume`, or `--rollback`.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_UNREADABLE,
            severity: Severity::Unknown,
            title: "A target that cannot be opened or read",
            means: "The target, its table or a file of it cannot be opened or read; the message has the reason.",
            costs: "Nothing was written.",
            source: "The error of the system call or of the reader.",
            fix: "Remove the reason that the message names; `ioalign check` shows what can be read.",
            ignore: "Never.",
        },
        Rule {
            id: FIX_USAGE,
            severity: Severity::Unknown,
            title: "Arguments that do not go together",
            means: "The arguments of `ioalign fix` contradict each other.",
            costs: "Nothing was written.",
            source: "docs/fix.md.",
            fix: "Take the command that the message names, or read `ioalign fix --help`.",
            ignore: "Never.",
        },
    ],
};
