//! From an md level and layout word to the place of data on each member.
//!
//! The kernel's sysfs and the superblocks on disk give the same three numbers, so the arithmetic
//! stands here once. Source: `drivers/md/raid5.h` (layouts), `raid10.c` (`setup_geo`), `md(4)`.

use ioalign_core::{Bytes, Map};

/// More members than any superblock can name (v1: 1920 with its 4 KiB limit).
const MOST_DISKS: u32 = 4096;

/// How chunks are laid on the members.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// One member after the other (linear): no stripes.
    Concatenated,
    /// All data on every member (RAID 1, multipath).
    Mirrored,
    /// Slot `s` holds column `(s − first) / copies`; slots outside hold parity.
    Fixed {
        /// The first slot that holds data.
        first: u32,
        /// Adjacent slots with the same data (RAID 10 near copies); 1 without copies.
        near: u32,
    },
    /// Parity moves from row to row (RAID 5 and 6).
    Rotating,
    /// Whole chunks, at rows that are not `chunk number / data` (RAID 10 offset, odd near).
    Irregular,
}

/// What a level, a layout and a number of members amount to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MdGeometry {
    /// Data chunks a full stripe; 1 for mirrors and linear sets.
    pub data: u64,
    /// How many copies of each chunk; 1 without mirroring.
    pub copies: u32,
    /// Parity chunks a stripe: 0, 1 or 2.
    pub parity: u32,
    /// Their place.
    pub placement: Placement,
}

/// The geometry of `raid_disks` members; `None` for impossible or unknown combinations.
///
/// `level` is md's number: 0, 1, 4, 5, 6, 10, −1 linear, −4 multipath.
pub fn geometry(level: i32, layout: u32, raid_disks: u32) -> Option<MdGeometry> {
    if raid_disks == 0 || raid_disks > MOST_DISKS {
        return None;
    }
    match level {
        -1 => Some(plain(1, Placement::Concatenated)),
        0 => Some(plain(raid_disks, Placement::Fixed { first: 0, near: 1 })),
        1 | -4 => Some(MdGeometry {
            copies: raid_disks,
            ..plain(1, Placement::Mirrored)
        }),
        4 => parity(1, raid_disks, fixed(0)),
        5 => parity(1, raid_disks, raid5_placement(layout)?),
        6 => parity(2, raid_disks, raid6_placement(layout)?),
        10 => raid10(layout, raid_disks),
        _ => None,
    }
}

/// md's number for the word in `md/level` (`raid5`, `linear`) or a dm-raid type's prefix.
pub fn level_number(word: &str) -> Option<i32> {
    match word {
        "linear" => Some(-1),
        "multipath" => Some(-4),
        _ => word
            .strip_prefix("raid")?
            .parse()
            .ok()
            .filter(|n| matches!(n, 0 | 1 | 4 | 5 | 6 | 10)),
    }
}

const fn fixed(first: u32) -> Placement {
    Placement::Fixed { first, near: 1 }
}

fn plain(data: u32, placement: Placement) -> MdGeometry {
    MdGeometry {
        data: u64::from(data),
        copies: 1,
        parity: 0,
        placement,
    }
}

fn parity(parity: u32, disks: u32, placement: Placement) -> Option<MdGeometry> {
    let data = disks.checked_sub(parity).filter(|data| *data > 0)?;
    Some(MdGeometry {
        parity,
        ..plain(data, placement)
    })
}

/// `ALGORITHM_PARITY_0` is 4, `ALGORITHM_PARITY_N` 5; 0 to 3 rotate.
const fn raid5_placement(layout: u32) -> Option<Placement> {
    match layout {
        0..=3 => Some(Placement::Rotating),
        4 => Some(fixed(1)),
        5 => Some(fixed(0)),
        _ => None,
    }
}

/// 8 to 10 are the DDF rotations, 16 to 19 RAID 5 rotations with Q last, 20 P first and Q last.
const fn raid6_placement(layout: u32) -> Option<Placement> {
    match layout {
        0..=3 | 8..=10 | 16..=19 => Some(Placement::Rotating),
        4 => Some(fixed(2)),
        5 => Some(fixed(0)),
        20 => Some(fixed(1)),
        _ => None,
    }
}

/// Bits 0 to 7 near copies, 8 to 15 far copies, bit 16 the "offset" variant of far.
fn raid10(layout: u32, disks: u32) -> Option<MdGeometry> {
    let (near, far) = (layout & 0xff, (layout >> 8) & 0xff);
    let offset = layout & (1 << 16) != 0;
    let copies = near.checked_mul(far).filter(|n| *n > 0 && *n <= disks)?;
    let even = disks.is_multiple_of(near);
    let data = if even { disks / near } else { disks };
    let placement = if even && (!offset || far == 1) {
        Placement::Fixed { first: 0, near }
    } else {
        Placement::Irregular
    };
    Some(MdGeometry {
        copies,
        ..plain(data, placement)
    })
}

impl MdGeometry {
    /// Whether a partial stripe write must read: parity has to be computed.
    pub const fn has_parity(&self) -> bool {
        self.parity > 0
    }

    /// Whether data are dealt out in chunks.
    pub const fn is_striped(&self) -> bool {
        !matches!(
            self.placement,
            Placement::Concatenated | Placement::Mirrored
        )
    }

    /// Bytes a full stripe; `None` without stripes or past 64 bits.
    pub fn full_stripe(&self, chunk: Bytes) -> Option<Bytes> {
        if !self.is_striped() || chunk.is_zero() {
            return None;
        }
        chunk.checked_mul(self.data)
    }

    /// The data column that `slot` holds; `None` where it rotates or holds parity only.
    pub fn column(&self, slot: u32) -> Option<u64> {
        let Placement::Fixed { first, near } = self.placement else {
            return None;
        };
        let column = u64::from(slot.checked_sub(first)? / near.max(1));
        (column < self.data).then_some(column)
    }

    /// The edge from the array to the member in `slot` whose data area starts at `start`.
    ///
    /// Irregular layouts keep whole chunks at multiples of the chunk: that is all that is said.
    /// Members after the first of a linear set depend on the sizes of those before: opaque here.
    pub fn map(&self, start: Bytes, chunk: Bytes, slot: u32) -> Map {
        match self.placement {
            Placement::Mirrored => Map::Mirror { start },
            Placement::Concatenated if slot == 0 => Map::Shift { start },
            Placement::Concatenated => Map::Opaque("later member of a linear array".to_owned()),
            _ if chunk.is_zero() => Map::Opaque("striped array without a chunk size".to_owned()),
            Placement::Irregular => Map::Scattered {
                start,
                granule: chunk,
            },
            Placement::Fixed { .. } | Placement::Rotating => Map::Striped {
                start,
                chunk,
                data: self.data,
                column: self.column(slot),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: Bytes = Bytes::new(64 << 10);

    fn data(level: i32, layout: u32, disks: u32) -> Option<u64> {
        geometry(level, layout, disks).map(|g| g.data)
    }

    #[test]
    fn data_chunks_by_level() {
        assert_eq!(data(0, 0, 3), Some(3));
        assert_eq!(data(1, 0, 2), Some(1));
        assert_eq!(data(4, 0, 5), Some(4));
        assert_eq!(data(5, 2, 4), Some(3));
        assert_eq!(data(6, 2, 6), Some(4));
        assert_eq!(data(-1, 0, 2), Some(1));
        assert_eq!(data(-4, 0, 2), Some(1));
        for (level, layout, disks) in [(5, 2, 1), (6, 2, 2), (5, 99, 4), (7, 0, 4), (0, 0, 0)] {
            assert_eq!(data(level, layout, disks), None, "{level} {layout} {disks}");
        }
        assert_eq!(data(0, 0, u32::MAX), None);
    }

    #[test]
    fn raid10_layouts() {
        assert_eq!(data(10, 0x102, 4), Some(2), "near 2 of 4");
        assert_eq!(data(10, 0x201, 4), Some(4), "far 2 stripes over all");
        assert_eq!(data(10, 0x1_0201, 4), Some(4), "offset 2");
        assert_eq!(
            data(10, 0x102, 3),
            Some(3),
            "odd near: the kernel's io_opt counts all"
        );
        assert_eq!(data(10, 0, 4), None);
        assert_eq!(data(10, 0x102, 1), None, "more copies than members");
        let near = geometry(10, 0x102, 4).unwrap();
        assert_eq!(near.copies, 2);
        assert_eq!(
            (0..4).map(|slot| near.column(slot)).collect::<Vec<_>>(),
            [Some(0), Some(0), Some(1), Some(1)]
        );
        let odd = geometry(10, 0x102, 3).unwrap();
        assert_eq!(
            odd.map(Bytes::MIB, CHUNK, 0),
            Map::Scattered {
                start: Bytes::MIB,
                granule: CHUNK
            }
        );
    }

    #[test]
    fn columns_of_parity_levels() {
        let raid4 = geometry(4, 0, 4).unwrap();
        assert_eq!(raid4.column(2), Some(2));
        assert_eq!(raid4.column(3), None, "the parity disk");
        let first = geometry(5, 4, 4).unwrap();
        assert_eq!((first.column(0), first.column(1)), (None, Some(0)));
        assert_eq!(geometry(5, 2, 4).unwrap().column(0), None, "rotates");
        assert_eq!(geometry(6, 4, 6).unwrap().column(2), Some(0));
        assert_eq!(geometry(6, 20, 6).unwrap().column(5), None, "Q is last");
    }

    #[test]
    fn maps_and_stripes() {
        let raid5 = geometry(5, 2, 4).unwrap();
        assert_eq!(raid5.full_stripe(CHUNK), Some(Bytes::new(192 << 10)));
        assert!(raid5.has_parity());
        let mirror = geometry(1, 0, 2).unwrap();
        assert_eq!(mirror.full_stripe(CHUNK), None);
        assert_eq!(
            mirror.map(Bytes::MIB, Bytes::ZERO, 1),
            Map::Mirror { start: Bytes::MIB }
        );
        assert!(matches!(
            raid5.map(Bytes::ZERO, Bytes::ZERO, 0),
            Map::Opaque(_)
        ));
        assert_eq!(
            geometry(10, 0x201, 4).unwrap().map(Bytes::ZERO, CHUNK, 3),
            Map::Striped {
                start: Bytes::ZERO,
                chunk: CHUNK,
                data: 4,
                column: Some(3)
            }
        );
    }

    #[test]
    fn level_words() {
        assert_eq!(level_number("raid10"), Some(10));
        assert_eq!(level_number("linear"), Some(-1));
        assert_eq!(level_number("container"), None);
        assert_eq!(level_number("raid7"), None);
    }
}
