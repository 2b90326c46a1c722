//! Whether what is in a partition can live on a disk of other logical blocks, and what happens if not.
//!
//! A file system reads and writes in its own smallest unit. If that is smaller than the block of the
//! disk, no driver can do it, and a larger unit cannot be set afterwards.

use crate::boot::{Consequence, Weight};
use crate::content::PartitionContent;

/// Types of GPT entries that hold no file system: boot code of GRUB, and what Windows keeps for itself.
const BIOS_BOOT: [u8; 16] = *b"Hah!IdontNeedEFI";
const RESERVED: [u8; 16] = [
    0x16, 0xe3, 0xc9, 0xe3, 0x5c, 0x0b, 0xb8, 0x4d, 0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae,
];

/// A partition in new blocks.
#[derive(Clone, Debug)]
pub struct FollowedPartition<'a> {
    /// Its number.
    pub number: u32,
    /// Its content.
    pub content: &'a PartitionContent,
    /// Its type in a GPT.
    pub kind: Option<[u8; 16]>,
    /// The new block.
    pub to: u64,
    /// Whether its length changes.
    pub resized: bool,
}

/// The consequence to report.
pub fn follow(case: &FollowedPartition<'_>) -> Vec<Consequence> {
    let mut stated = Vec::new();
    if case.resized && case.content.counts_from_end() {
        let what = format!(
            "{} is found by counting from the end of the partition, which would have to be another",
            case.content.name()
        );
        stated.push(say(case, Weight::Refused, what, None));
    }
    stated.extend(of_content(case));
    stated
}

fn say(
    case: &FollowedPartition<'_>,
    weight: Weight,
    what: String,
    advice: Option<&str>,
) -> Consequence {
    Consequence {
        partition: Some(case.number),
        weight,
        what,
        advice: advice.map(str::to_owned),
    }
}

fn of_content(case: &FollowedPartition<'_>) -> Option<Consequence> {
    let to = case.to;
    match case.content {
        PartitionContent::Ext { block } => too_small(
            case,
            "block",
            *block,
            "create it again (`mkfs.ext4 -b 4096`) and copy its files",
        ),
        PartitionContent::Xfs { sector } => too_small(
            case,
            "sector",
            *sector,
            "create it again (`mkfs.xfs -s size=4096`) and copy its files (`xfsdump`, `xfsrestore`)",
        ),
        PartitionContent::Btrfs { sector } => too_small(
            case,
            "block",
            *sector,
            "create it again (`mkfs.btrfs -s 4096`) and copy its files (`btrfs send`)",
        ),
        PartitionContent::Swap { page } => {
            too_small(case, "page", *page, "create it again (`mkswap`)")
        }
        PartitionContent::Erofs { block } => too_small(
            case,
            "block",
            *block,
            "create it again (`mkfs.erofs -b 4096`)",
        ),
        PartitionContent::Bcache { block } => too_small(
            case,
            "block",
            *block,
            "detach and create it again (`make-bcache --block 4k`)",
        ),
        PartitionContent::Ntfs { sector } | PartitionContent::BitLocker { sector } => {
            same(case, *sector)
        }
        PartitionContent::ExFat { sector } => exfat(case, *sector),
        PartitionContent::Luks { data, .. } => luks(case, *data),
        PartitionContent::Md { data, .. } => md(case, *data),
        PartitionContent::Zfs { block } => zfs(case, *block),
        PartitionContent::Lvm => Some(say(
            case,
            Weight::Warned,
            format!(
                "the logical volumes will have blocks of {to} bytes: what is in them has to be able to live with that, and LVM wants one block size in a volume group"
            ),
            Some(
                "look into each volume (`blkid`), and at `devices/allow_mixed_block_sizes` in lvm.conf if the group has other disks",
            ),
        )),
        PartitionContent::Unknown => unknown(case),
        PartitionContent::Fat { .. }
        | PartitionContent::F2fs
        | PartitionContent::Squashfs
        | PartitionContent::Empty => None,
    }
}

fn too_small(
    case: &FollowedPartition<'_>,
    unit: &str,
    has: u64,
    advice: &str,
) -> Option<Consequence> {
    let name = case.content.name();
    let what = format!(
        "its {name} has a {unit} of {has} bytes: no driver can use that on a disk with blocks of {}",
        case.to
    );
    (has < case.to).then(|| say(case, Weight::Refused, what, Some(advice)))
}

/// What Windows mounts only where the sector is that of the disk.
fn same(case: &FollowedPartition<'_>, sector: u64) -> Option<Consequence> {
    let what = format!(
        "its {} was made for sectors of {sector} bytes: Windows takes it for unformatted on a disk with blocks of {}",
        case.content.name(),
        case.to
    );
    let advice = "copy its files to a file system that is made on the new disk";
    (sector != case.to).then(|| say(case, Weight::Refused, what, Some(advice)))
}

fn exfat(case: &FollowedPartition<'_>, sector: u64) -> Option<Consequence> {
    let advice = "create it again (`mkfs.exfat`) and copy its files";
    if sector < case.to {
        return too_small(case, "sector", sector, advice);
    }
    let what = format!(
        "its exFAT has sectors of {sector} bytes: Linux mounts it on blocks of {}, Windows may not",
        case.to
    );
    (sector != case.to).then(|| say(case, Weight::Warned, what, Some(advice)))
}

fn luks(case: &FollowedPartition<'_>, data: Option<u64>) -> Option<Consequence> {
    let to = case.to;
    match data {
        Some(data) if !data.is_multiple_of(to) => {
            let what = format!(
                "its encrypted data begin at byte {data}, inside a block of {to} bytes: device-mapper refuses that"
            );
            Some(say(case, Weight::Refused, what, None))
        }
        None => Some(say(
            case,
            Weight::Warned,
            format!(
                "where its encrypted data begin is not said: that has to be a multiple of {to}"
            ),
            None,
        )),
        Some(_) if to > 512 => Some(say(
            case,
            Weight::Warned,
            format!(
                "what is encrypted cannot be seen, and will have blocks of {to} bytes: XFS, FAT, NTFS and ext4 that were made for smaller ones could not be mounted"
            ),
            Some("open it and look (`blkid --probe --output export /dev/mapper/…`)"),
        )),
        Some(_) => None,
    }
}

fn md(case: &FollowedPartition<'_>, data: u64) -> Option<Consequence> {
    let to = case.to;
    if !data.is_multiple_of(to) {
        let what = format!("its data begin at byte {data}, inside a block of {to} bytes");
        return Some(say(case, Weight::Refused, what, None));
    }
    let what = format!(
        "the array takes on blocks of {to} bytes with this member: what is on it has to be able to live with that"
    );
    (to > 512).then(|| {
        say(
            case,
            Weight::Warned,
            what,
            Some("convert all members, and look into the array"),
        )
    })
}

fn zfs(case: &FollowedPartition<'_>, block: Option<u64>) -> Option<Consequence> {
    match block {
        Some(block) => too_small(
            case,
            "smallest block (ashift)",
            block,
            "replace it in its pool by a device that was added with `-o ashift=12`",
        ),
        None => Some(say(
            case,
            Weight::Warned,
            format!(
                "the label does not say its ashift: blocks smaller than {} cannot be used",
                case.to
            ),
            Some("look with `zdb -l`"),
        )),
    }
}

fn unknown(case: &FollowedPartition<'_>) -> Option<Consequence> {
    match case.kind {
        // Who starts it is not a matter of one partition.
        Some(BIOS_BOOT | RESERVED) => None,
        _ => Some(say(
            case,
            Weight::Refused,
            String::from("its content is unknown, so it may not work with other block sizes"),
            None,
        )),
    }
}
