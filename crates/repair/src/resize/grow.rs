//! The last partition, brought to the last boundary of its disk.

use crate::boot::{Consequence, Weight};
use crate::content::{self, PartitionContent};
use crate::tables::{PartitionSlot, SlotKind};
use crate::{Disk, Result};

/// Where ends are brought to: volumes that count in larger blocks need whole ones.
const BOUNDARY: u64 = 1 << 20;

/// A partition that ends later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Its place, with its new length.
    pub slot: PartitionSlot,
    /// The length that it had.
    pub old_size: u64,
    /// What to type for what is in it, and what to know.
    pub consequence: Consequence,
}

/// The growth of the last of `slots` up to the usable end of its disk; `None` where there is no room, or
/// where its contents would be lost.
///
/// Its contents are looked at where they are now, at `old_start`.
pub fn grown(
    disk: &mut dyn Disk,
    slots: &[PartitionSlot],
    old_start: impl Fn(u32) -> u64,
    usable_end: u64,
) -> Result<Option<Growth>> {
    let data = slots.iter().filter(|slot| slot.kind != SlotKind::Extended);
    let Some(last) = data.max_by_key(|slot| slot.start) else {
        return Ok(None);
    };
    let end = usable_end - usable_end % BOUNDARY;
    if end <= last.end() {
        return Ok(None);
    }
    let content = content::probe(disk, old_start(last.number), last.size)?;
    if matches!(content, PartitionContent::Md { at_end: true, .. }) {
        return Ok(None);
    }
    Ok(Some(Growth {
        slot: PartitionSlot {
            size: end - last.start,
            ..*last
        },
        old_size: last.size,
        consequence: stated(last.number, &content),
    }))
}

fn stated(number: u32, content: &PartitionContent) -> Consequence {
    let commands = commands(content);
    let what = match content {
        PartitionContent::Empty => format!("partition {number} becomes longer"),
        _ => format!(
            "partition {number} becomes longer, the {} in it does not",
            content.name()
        ),
    };
    Consequence {
        partition: Some(number),
        weight: Weight::Told,
        what,
        advice: commands.map(|commands| format!("To use the room: {commands}")),
    }
}

/// What makes contents as long as their partition, which is called PARTITION.
pub const fn commands(content: &PartitionContent) -> Option<&'static str> {
    match content {
        PartitionContent::Ext { .. } => Some(
            "`e2fsck -f PARTITION`, `resize2fs PARTITION`, or the latter alone where it is mounted",
        ),
        PartitionContent::Xfs { .. } => Some("mount it, `xfs_growfs MOUNTPOINT`"),
        PartitionContent::Btrfs { .. } => {
            Some("mount it, `btrfs filesystem resize max MOUNTPOINT`")
        }
        PartitionContent::Ntfs { .. } => {
            Some("`ntfsresize PARTITION`, or extend the volume in Windows")
        }
        PartitionContent::Luks { .. } => {
            Some("open it, `cryptsetup resize NAME`, then what is in it")
        }
        PartitionContent::Lvm => Some("`pvresize PARTITION`"),
        PartitionContent::Md { .. } => {
            Some("`mdadm --grow ARRAY --size=max` when all members have grown")
        }
        PartitionContent::Zfs { .. } => Some("`zpool online -e POOL PARTITION`"),
        PartitionContent::F2fs => Some("`resize.f2fs PARTITION`"),
        PartitionContent::Swap { .. } => {
            Some("`mkswap --uuid UUID PARTITION` with the UUID that it has")
        }
        PartitionContent::Fat { .. } => Some("`fatresize --size max PARTITION`"),
        PartitionContent::BitLocker { .. } => Some("extend the volume in Windows"),
        _ => None,
    }
}
