//! Which member holds a chunk: for reading file systems on arrays without the kernel.
//!
//! Source: `raid5_compute_sector` in `drivers/md/raid5.c`, `raid0.c`, `raid10.c`.

use crate::volumes::md::geometry::{MdGeometry, Placement};

/// A layout whose chunks can be found.
#[derive(Copy, Clone, Debug)]
pub(super) struct StripedLayout {
    data: u64,
    disks: u64,
    rule: StripeRule,
}

#[derive(Copy, Clone, Debug)]
enum StripeRule {
    /// Slot = first + column × near.
    Fixed { first: u64, near: u64 },
    /// RAID 5 and 6: parity on a disk that moves with the row.
    Rotating {
        parity: u64,
        left: bool,
        symmetric: bool,
    },
}

impl StripedLayout {
    /// `None` for layouts whose chunks are not followed (DDF rotations, RAID 10 offset).
    pub(super) fn new(geometry: &MdGeometry, layout: u32, disks: u32) -> Option<Self> {
        let rule = match geometry.placement {
            Placement::Fixed { first, near } => StripeRule::Fixed {
                first: u64::from(first),
                near: u64::from(near),
            },
            Placement::Rotating if layout < 4 => StripeRule::Rotating {
                parity: u64::from(geometry.parity),
                left: layout.is_multiple_of(2),
                symmetric: layout >= 2,
            },
            _ => return None,
        };
        Some(Self {
            data: geometry.data,
            disks: u64::from(disks),
            rule,
        })
        .filter(|l| l.data > 0 && l.disks > 0)
    }

    /// The slot that holds data chunk `k`, and the row there.
    pub(super) fn locate(&self, k: u64) -> (u64, u64) {
        let (row, column) = (k / self.data, k % self.data);
        let slot = match self.rule {
            StripeRule::Fixed { first, near } => first + column * near,
            StripeRule::Rotating {
                parity,
                left,
                symmetric,
            } => {
                let turn = row % self.disks;
                let p = if left { self.disks - 1 - turn } else { turn };
                if symmetric {
                    (p + parity + column) % self.disks
                } else if parity == 2 && p == self.disks - 1 {
                    // Q wraps to disk 0.
                    column + 1
                } else if column >= p {
                    column + parity
                } else {
                    column
                }
            }
        };
        (slot, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volumes::md::geometry::geometry;

    fn layout(level: i32, layout: u32, disks: u32) -> StripedLayout {
        StripedLayout::new(&geometry(level, layout, disks).unwrap(), layout, disks).unwrap()
    }

    /// Slots of the data chunks of the first rows, in order.
    fn slots(layout: &StripedLayout, rows: u64) -> Vec<u64> {
        (0..layout.data * rows)
            .map(|k| layout.locate(k).0)
            .collect()
    }

    #[test]
    fn raid5_as_the_kernel_documents_it() {
        assert_eq!(
            slots(&layout(5, 2, 4), 4),
            [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
        );
        assert_eq!(
            slots(&layout(5, 0, 4), 4),
            [0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3]
        );
        assert_eq!(slots(&layout(5, 1, 4), 2), [1, 2, 3, 0, 2, 3]);
        assert_eq!(slots(&layout(5, 3, 4), 2), [1, 2, 3, 2, 3, 0]);
    }

    #[test]
    fn raid6_leaves_two_disks_a_row() {
        assert_eq!(slots(&layout(6, 2, 4), 2), [1, 2, 0, 1]);
        assert_eq!(slots(&layout(6, 0, 4), 2), [1, 2, 0, 1]);
    }

    #[test]
    fn raid10_near_takes_the_first_copy() {
        assert_eq!(slots(&layout(10, 0x102, 4), 2), [0, 2, 0, 2]);
        assert_eq!(slots(&layout(0, 0, 3), 2), [0, 1, 2, 0, 1, 2]);
    }
}
