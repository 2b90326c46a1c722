//! Discards that the layer below drops.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const DISCARD_OFF_UNIT: &str = "discard-off-unit";
pub const DISCARD_NOT_WHOLE_UNITS: &str = "discard-not-whole-units";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Discards",
    rules: &[
        Rule {
            id: DISCARD_OFF_UNIT,
            severity: Severity::Suboptimal,
            title: "A start off the units in which the layer below frees space",
            means: "A discard (TRIM, UNMAP) frees whole units of the layer below: qcow2 clusters, thin-pool chunks, \
            discard_granularity of a device. The layer begins between two boundaries of these units.",
            costs: "The head and the tail of each discard stay allocated, without an error. What is freed in pieces of \
            one unit is never freed. A note where the unit is 4 KiB or less, where a piece of sixteen units or more \
            loses one, and where blocks smaller than a unit can still begin on one: extents lose their ends then \
            wherever the layer starts.",
            source: "Linux block/blk-settings.c (queue_limit_discard_alignment), drivers/md/dm-thin.c, \
            drivers/block/loop.c; QEMU block/qcow2.c (qcow2_co_pdiscard); SBC-4, UNMAP GRANULARITY ALIGNMENT; lxc/incus \
            pull request 3922.",
            fix: "Move the start to a multiple of the unit, as suggested. For a guest on qcow2 set discard_granularity \
            of its disk to the cluster as well, so that the guest knows.",
            ignore: "When nothing is discarded (no fstrim, no discard mount option, QEMU without discard=unmap), or \
            when only large extents are.",
        },
        Rule {
            id: DISCARD_NOT_WHOLE_UNITS,
            severity: Severity::Note,
            title: "An allocation unit that is no multiple of the one below",
            means: "A thin pool or an image frees one chunk or cluster at a time, and that is no whole number of the \
            units in which the layer below frees.",
            costs: "A piece that is freed alone gives back nothing, or not all, to the layer below, until its neighbours \
            are freed in the same discard.",
            source: "Linux drivers/md/dm-thin.c (process_discard_cell_passdown); QEMU block/qcow2-refcount.c \
            (qcow2_process_discards).",
            fix: "Choose chunks or clusters that are a multiple of the unit below when the pool or the image is made.",
            ignore: "When the layer below need not get space back: it is not thin itself.",
        },
    ],
};
