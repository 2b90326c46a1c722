//! Disks of Hyper-V, Azure and VirtualBox.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const VHD_FOOTER_MISSING: &str = "vhd-footer-missing";
pub const VHD_FOOTER_CHECKSUM: &str = "vhd-footer-checksum";
pub const VHD_TWO_SIZES: &str = "vhd-two-sizes";
pub const VHD_HEADER_CHECKSUM: &str = "vhd-header-checksum";
pub const VHD_BLOCK_TABLE: &str = "vhd-block-table";
pub const VHD_CUT_OFF: &str = "vhd-cut-off";
pub const VHD_PARENT_ID: &str = "vhd-parent-id";
pub const VHDX_HEADER_COPY: &str = "vhdx-header-copy";
pub const VHDX_REGION_COPY: &str = "vhdx-region-copy";
pub const VHDX_DIRTY_LOG: &str = "vhdx-dirty-log";
pub const VHDX_BLOCK_TABLE: &str = "vhdx-block-table";
pub const VHDX_PARENT_ID: &str = "vhdx-parent-id";
pub const VDI_BAD_ENTRIES: &str = "vdi-bad-entries";
pub const VDI_BLOCK_COUNT: &str = "vdi-block-count";
pub const VDI_PARENT_NOT_READ: &str = "vdi-parent-not-read";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "VHD, VHDX and VDI",
    rules: &[
        Rule {
            id: VHD_FOOTER_MISSING,
            severity: Severity::Broken,
            title: "A VHD without its footer",
            means: "The footer at the end is missing or damaged; its copy at the start is used.",
            costs: "Hyper-V and Azure refuse the file: it was cut off or has grown.",
            source: "Microsoft VHD Image Format Specification 1.0.",
            fix: "qemu-img convert to a new VHD, or copy it again.",
            ignore: "Never.",
        },
        Rule {
            id: VHD_FOOTER_CHECKSUM,
            severity: Severity::Broken,
            title: "A VHD footer with a wrong checksum",
            means: "The footer is there, but its checksum is wrong.",
            costs: "Hyper-V refuses the file.",
            source: "Microsoft VHD Image Format Specification 1.0.",
            fix: "qemu-img convert to a new VHD.",
            ignore: "Never.",
        },
        Rule {
            id: VHD_TWO_SIZES,
            severity: Severity::Note,
            title: "A VHD with two sizes",
            means: "The current size and the geometry (cylinders, heads, sectors) give different sizes, \
            and the program that made the file is not one of those whose choice is known.",
            costs: "Hyper-V and QEMU show disks of different sizes: the end, with the backup of a GPT, \
            may be missing in one of them.",
            source: "QEMU block/vpc.c: the creator decides. A fixed VHD whose file holds the current \
            size is judged by that.",
            fix: "qemu-img convert -O vpc -o subformat=fixed,force_size.",
            ignore: "When only one hypervisor uses the file.",
        },
        Rule {
            id: VHD_HEADER_CHECKSUM,
            severity: Severity::Broken,
            title: "A dynamic VHD header with a wrong checksum",
            means: "The checksum of the dynamic header is wrong.",
            costs: "Hyper-V refuses the file.",
            source: "Microsoft VHD Image Format Specification 1.0.",
            fix: "Restore it, or copy what can be read with qemu-img convert.",
            ignore: "Never.",
        },
        Rule {
            id: VHD_BLOCK_TABLE,
            severity: Severity::Broken,
            title: "A VHD block table that cannot be followed",
            means: "Entries point outside the file.",
            costs: "The blocks behind them cannot be read.",
            source: "Microsoft VHD Image Format Specification 1.0, BAT.",
            fix: "Restore from a backup, or copy what can be read.",
            ignore: "Never.",
        },
        Rule {
            id: VHD_CUT_OFF,
            severity: Severity::Broken,
            title: "A fixed VHD that ends too early",
            means: "The file has fewer bytes than the disk.",
            costs: "The rest is gone, or was not copied.",
            source: "Microsoft VHD Image Format Specification 1.0.",
            fix: "Copy it again.",
            ignore: "When the image is only the beginning of a disk.",
        },
        Rule {
            id: VHD_PARENT_ID,
            severity: Severity::DataRisk,
            title: "A differencing VHD with another parent",
            means: "The parent's unique id is not the one that was recorded.",
            costs: "Data read through it may be wrong.",
            source: "Microsoft VHD Image Format Specification 1.0, Parent Unique ID.",
            fix: "Find the right parent.",
            ignore: "When the parent is known to be the same data.",
        },
        Rule {
            id: VHDX_HEADER_COPY,
            severity: Severity::Note,
            title: "One of two VHDX headers is damaged",
            means: "One header fails its CRC-32C; the other is used.",
            costs: "Nothing; the format is made for it.",
            source: "MS-VHDX 2.2.2.",
            fix: "Opening it for writing restores the pair.",
            ignore: "Mostly: it is the normal state after a crash.",
        },
        Rule {
            id: VHDX_REGION_COPY,
            severity: Severity::Note,
            title: "One of two VHDX region tables is damaged",
            means: "One table fails its CRC-32C; the other is used.",
            costs: "Nothing.",
            source: "MS-VHDX 2.2.3.",
            fix: "Copy the disk with Convert-VHD or qemu-img convert.",
            ignore: "Mostly.",
        },
        Rule {
            id: VHDX_DIRTY_LOG,
            severity: Severity::Note,
            title: "A VHDX whose log was not replayed",
            means: "The disk was not closed cleanly; its log holds changes of the tables.",
            costs: "The places of data may be out of date here.",
            source: "MS-VHDX 2.3.",
            fix: "Let Hyper-V or qemu-img check -r all replay it on a copy, then check again.",
            ignore: "While the machine runs.",
        },
        Rule {
            id: VHDX_BLOCK_TABLE,
            severity: Severity::Broken,
            title: "A VHDX block table that cannot be followed",
            means: "Entries point outside the file.",
            costs: "The blocks behind them cannot be read.",
            source: "MS-VHDX 2.5.",
            fix: "Restore from a backup, or copy what can be read.",
            ignore: "Never.",
        },
        Rule {
            id: VHDX_PARENT_ID,
            severity: Severity::DataRisk,
            title: "A differencing VHDX with another parent",
            means: "The parent was changed after this disk was made.",
            costs: "Data read through it may be wrong.",
            source: "MS-VHDX, Parent Locator, parent_linkage.",
            fix: "Restore the parent.",
            ignore: "When the parent is known to be the same data.",
        },
        Rule {
            id: VDI_BAD_ENTRIES,
            severity: Severity::DataRisk,
            title: "VDI blocks that cannot be followed",
            means: "Some entries of the block map point outside the file.",
            costs: "The blocks behind them cannot be read.",
            source: "VirtualBox Storage/VDI.cpp.",
            fix: "Restore from a backup, or copy what can be read.",
            ignore: "Never.",
        },
        Rule {
            id: VDI_BLOCK_COUNT,
            severity: Severity::Note,
            title: "A VDI that counts its blocks wrongly",
            means: "The header's number of allocated blocks is not that of the map.",
            costs: "VirtualBox may allocate a block twice.",
            source: "VirtualBox Storage/VDI.cpp.",
            fix: "VBoxManage clonemedium makes a sound copy.",
            ignore: "On images made by other programs that are only read.",
        },
        Rule {
            id: VDI_PARENT_NOT_READ,
            severity: Severity::Unknown,
            title: "A differencing VDI whose parent is not read",
            means: "VDI names its parent by id only, so it is not looked for.",
            costs: "Data in the parent are not known.",
            source: "VirtualBox Storage/VDI.cpp.",
            fix: "VBoxManage clonemedium makes a whole image.",
            ignore: "Never: it is an open question.",
        },
    ],
};
