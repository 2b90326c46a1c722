//! VMware disks and their extents.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const VMDK_DESCRIPTOR: &str = "vmdk-descriptor";
pub const VMDK_BARE_EXTENT: &str = "vmdk-bare-extent";
pub const VMDK_EXTENT_MISSING: &str = "vmdk-extent-missing";
pub const VMDK_EXTENT_SIZE: &str = "vmdk-extent-size";
pub const VMDK_EXTENT_SHORT: &str = "vmdk-extent-short";
pub const VMDK_RAW_DEVICE: &str = "vmdk-raw-device";
pub const VMDK_PARENT_MISSING: &str = "vmdk-parent-missing";
pub const VMDK_CID_MISMATCH: &str = "vmdk-cid-mismatch";
pub const VMDK_DIRECTORY_COPY: &str = "vmdk-directory-copy";
pub const VMDK_GRAIN_TABLE: &str = "vmdk-grain-table";
pub const VMDK_TEXT_TRANSFER: &str = "vmdk-text-transfer";
pub const VMDK_UNCLEAN_SHUTDOWN: &str = "vmdk-unclean-shutdown";
pub const VMDK_JOURNAL: &str = "vmdk-journal";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "VMDK",
    rules: &[
        Rule {
            id: VMDK_DESCRIPTOR,
            severity: Severity::Broken,
            title: "A VMDK descriptor that cannot be read",
            means: "The text that names extents and parent is damaged, so a parent would be \
            missed.",
            costs: "The result may be incomplete.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Restore it, or write a new one from the names and sizes of the extents, as \
            VMware documents it.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_BARE_EXTENT,
            severity: Severity::Note,
            title: "One extent without its descriptor",
            means: "This file is a piece of a disk; the disk may have more pieces, and a parent.",
            costs: "Data in the other pieces are not read.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Check the descriptor file instead.",
            ignore: "When the disk is known to have one extent.",
        },
        Rule {
            id: VMDK_EXTENT_MISSING,
            severity: Severity::Broken,
            title: "Extents that cannot be opened",
            means: "The descriptor names files that are not there, or outside the folder.",
            costs: "Their part reads as zeros here; the machine does not start.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Copy the missing files beside the descriptor; --allow-backing permits other \
            folders.",
            ignore: "When only the first extent matters.",
        },
        Rule {
            id: VMDK_EXTENT_SIZE,
            severity: Severity::Broken,
            title: "An extent with two sizes",
            means: "Header and descriptor name different sizes.",
            costs: "Everything behind it lies at the wrong place.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Correct the descriptor.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_EXTENT_SHORT,
            severity: Severity::Broken,
            title: "An extent that is shorter than it should be",
            means: "The flat file ends before the size that the descriptor gives it.",
            costs: "The rest is gone, or was not copied.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Copy it again.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: VMDK_RAW_DEVICE,
            severity: Severity::Unknown,
            title: "Data on a raw device",
            means: "The extent only points at a LUN (RDM): where its bytes lie is not known \
            here.",
            costs: "Nothing is known of its alignment.",
            source: "VMware raw device mapping.",
            fix: "Check the LUN from a host that sees it.",
            ignore: "Never: it is an open question.",
        },
        Rule {
            id: VMDK_PARENT_MISSING,
            severity: Severity::Broken,
            title: "A required parent that is not named",
            means: "The content id of a parent is given and no file name.",
            costs: "Data outside this file read as zeros.",
            source: "VMware Virtual Disk Format 5.0, parentCID and parentFileNameHint.",
            fix: "Add the hint, or consolidate the snapshots.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_CID_MISMATCH,
            severity: Severity::DataRisk,
            title: "A parent that was changed afterwards",
            means: "The parent's content id is not the one that this delta was made for.",
            costs: "Data read through it may be wrong.",
            source: "VMware knowledge base on CID mismatch.",
            fix: "Restore the parent; correct the CID only when you know that its data did not \
            change.",
            ignore: "When the parent was only opened for writing and not written.",
        },
        Rule {
            id: VMDK_DIRECTORY_COPY,
            severity: Severity::Broken,
            title: "A grain directory outside the file",
            means: "The first grain directory cannot be read; the redundant one is used.",
            costs: "VMware may refuse the disk.",
            source: "VMware Virtual Disk Format 5.0, rgdOffset.",
            fix: "vmware-vdiskmanager -R.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_GRAIN_TABLE,
            severity: Severity::Broken,
            title: "Grain tables that cannot be followed",
            means: "Entries point outside the file.",
            costs: "The guest data behind them cannot be read.",
            source: "VMware Virtual Disk Format 5.0.",
            fix: "Restore from a backup, or copy what can be read.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_TEXT_TRANSFER,
            severity: Severity::Broken,
            title: "A disk damaged by a text-mode transfer",
            means: "The four newline bytes of the header are changed, as FTP in text mode does \
            it to every such byte in the file.",
            costs: "The data are damaged all over.",
            source: "VMware Virtual Disk Format 5.0, the line-end test bytes 73 to 76.",
            fix: "Copy the original again in binary mode.",
            ignore: "Never.",
        },
        Rule {
            id: VMDK_UNCLEAN_SHUTDOWN,
            severity: Severity::Note,
            title: "An extent that was not closed",
            means: "The flag says that it is in use, or that the last session crashed.",
            costs: "Tables may be behind the data.",
            source: "VMware Virtual Disk Format 5.0, uncleanShutdown.",
            fix: "Shut the machine down, or vmware-vdiskmanager -R.",
            ignore: "While the machine runs.",
        },
        Rule {
            id: VMDK_JOURNAL,
            severity: Severity::Note,
            title: "A seSparse journal that was not replayed",
            means: "The journal is not empty, and a reader does not replay it.",
            costs: "Grain tables may be out of date.",
            source: "QEMU block/vmdk.c on seSparse.",
            fix: "Start and stop the machine, then check again.",
            ignore: "While the machine runs.",
        },
    ],
};
