//! Images that are built to be uploaded and started: what the service and the firmware take.

#![expect(missing_docs, reason = "the page of each id is its documentation")]

use super::{Rule, RuleGroup};
use crate::severity::Severity;

pub const UPLOAD_SIZE_NOT_MULTIPLE: &str = "upload-size-not-multiple";
pub const UPLOAD_FORMAT: &str = "upload-format";
pub const UPLOAD_FILE_LENGTH: &str = "upload-file-length";
pub const ESP_NOT_FAT: &str = "esp-not-fat";
pub const ESP_MISSING: &str = "esp-missing";

pub(super) const GROUP: RuleGroup = RuleGroup {
    title: "Uploads and firmware",
    rules: &[
        Rule {
            id: UPLOAD_SIZE_NOT_MULTIPLE,
            severity: Severity::Broken,
            title: "A virtual size that the service refuses",
            means: "The virtual size is not a multiple of the unit of the service: whole MiB \
            for Azure, whole GiB for Google Compute Engine. The 512-byte footer of a fixed VHD \
            is not counted; the current size in the footer is what counts, not its geometry.",
            costs: "The upload is refused: \"The VHD … has an unsupported virtual size … must be \
            a whole number (in MBs)\". With --upload it is broken; on a VHD without it a note.",
            source: "Microsoft: Prepare Linux for imaging in Azure, resizing VHDs; QEMU commit \
            fb9245c2 (force_size); Google: Import boot disk images to Compute Engine manually.",
            fix: "qemu-img resize the raw image to the next multiple, sgdisk -e, then convert \
            with force_size: without it qemu-img rounds the size to a geometry again.",
            ignore: "When the image is never uploaded there.",
        },
        Rule {
            id: UPLOAD_FORMAT,
            severity: Severity::Broken,
            title: "Not the format that the service accepts",
            means: "Azure accepts only fixed VHDs, Google Compute Engine a raw image in a tar \
            file.",
            costs: "The upload is refused, or the disk does not start.",
            source: "Microsoft: Prepare Linux for imaging in Azure; Google: Import boot disk \
            images to Compute Engine manually.",
            fix: "qemu-img convert -O vpc -o subformat=fixed,force_size, or -O raw.",
            ignore: "When the tool that uploads converts it.",
        },
        Rule {
            id: UPLOAD_FILE_LENGTH,
            severity: Severity::Broken,
            title: "A fixed VHD with more or less than its disk and footer",
            means: "The file is not the virtual size and 512 bytes of footer: the footer's \
            current size and the file contradict each other.",
            costs: "The service reads the footer at the wrong place, or refuses the file.",
            source: "Microsoft VHD Image Format Specification 1.0, Hard Disk Footer Format.",
            fix: "Convert it again from the raw image.",
            ignore: "Never for an upload.",
        },
        Rule {
            id: ESP_NOT_FAT,
            severity: Severity::Note,
            title: "An EFI system partition without FAT",
            means: "The partition has the type of an EFI system partition and something else is \
            in it, or nothing. A note, and broken with --uefi.",
            costs: "UEFI firmware cannot start from it; a machine that boots by BIOS does not \
            care.",
            source: "UEFI 13.3: the file system of the ESP is FAT.",
            fix: "mkfs.fat -F 32, then install the boot loader; or give it the type that fits.",
            ignore: "When nothing boots from it by UEFI.",
        },
        Rule {
            id: ESP_MISSING,
            severity: Severity::Broken,
            title: "No EFI system partition",
            means: "With --uefi: no partition of the image is an EFI system partition.",
            costs: "UEFI firmware finds nothing to start.",
            source: "UEFI 3.5.1.1 and 13.3.",
            fix: "Make a FAT partition of type EF00 and install the boot loader in it.",
            ignore: "On data disks; do not use --uefi for them.",
        },
    ],
};
