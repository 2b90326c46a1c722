//! Pages that are to be written once: `check --atomic`.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const ATOMIC_WRITE_REFUSED: &str = "atomic-write-refused";
pub const ATOMIC_WRITE_UNKNOWN: &str = "atomic-write-unknown";
pub const ATOMIC_WRITE_DIFFERS: &str = "atomic-write-differs";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Atomic writes",
    rules: &[
        Rule {
            id: ATOMIC_WRITE_REFUSED,
            severity: Severity::Suboptimal,
            title: "A page that is not written in one piece",
            means: "Some layer below the pages has no atomic writes of their size, or the database does not ask for them. \
            The finding names the layer.",
            costs: "Each page is written twice (doublewrite), or whole into the log (full-page writes): without that, a \
            power failure in the middle of a write loses it.",
            source: "Linux: block/blk-settings.c, fs/read_write.c, fs/ext4/super.c, fs/xfs/xfs_iops.c; statx(2), \
            STATX_WRITE_ATOMIC; docs/atomic.md.",
            fix: "Leave the protection of the database on, or put the pages where --atomic says certified: XFS with reflink \
            on Linux 6.16, ext4 with bigalloc on a device with atomic writes.",
            ignore: "When the protection stays on, which is what every database does unless it is changed.",
        },
        Rule {
            id: ATOMIC_WRITE_UNKNOWN,
            severity: Severity::Unknown,
            title: "Not known whether a page is written in one piece",
            means: "The limits of some layer were not to be had, or nothing promises that the writes of the database arrive \
            whole. The finding names the layer.",
            costs: "Nothing, while the protection against torn pages stays on.",
            source: "Linux: block/blk-settings.c, fs/ext4/super.c, fs/xfs/xfs_iops.c; docs/atomic.md.",
            fix: "Ask on the machine itself, for a file in the file system: statx says what no capture has.",
            ignore: "Never before the protection is turned off.",
        },
        Rule {
            id: ATOMIC_WRITE_DIFFERS,
            severity: Severity::Broken,
            title: "Atomic writes that end otherwise than predicted",
            means: "The kernel accepted a write on the scratch file that should be refused, or refused one that should be \
            accepted.",
            costs: "The certificate is wrong here: nothing that it says may be relied upon.",
            source: "ioalign check --atomic --prove.",
            fix: "Leave the protection of the database on, and report the differences with the output of ioalign capture.",
            ignore: "Never.",
        },
    ],
};
