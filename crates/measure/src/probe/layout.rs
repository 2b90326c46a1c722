//! The orders in which arrays deal their chunks to disks, and how often two chunks at a distance share one.

/// More columns than this are not looked for.
pub(super) const MOST_COLUMNS: u64 = 32;
/// The same of parity layouts whose reads are not a plain turn.
const MOST_PARITY: u64 = 16;

/// The order of chunks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ChunkOrder {
    /// One disk after the other: RAID 0, mirrored pairs, and left-symmetric RAID 5, in which the parity moves with the turn.
    Turn,
    /// RAID 5 that begins each stripe at disk 0 and skips the parity.
    Asymmetric,
    /// Left-symmetric RAID 6: the turn skips a disk at the end of each stripe.
    DoubleParity,
}

impl ChunkOrder {
    pub(super) const ALL: [Self; 3] = [Self::Turn, Self::Asymmetric, Self::DoubleParity];

    /// The columns with which it differs from a plain turn.
    pub(super) const fn columns(self) -> std::ops::RangeInclusive<u64> {
        match self {
            Self::Turn => 2..=MOST_COLUMNS,
            Self::Asymmetric => 3..=MOST_PARITY,
            Self::DoubleParity => 4..=MOST_PARITY,
        }
    }

    /// The disk of a chunk (`raid5_compute_sector` in the kernel).
    const fn disk(self, chunk: u64, columns: u64) -> u64 {
        match self {
            Self::Turn => chunk % columns,
            Self::Asymmetric => {
                let (stripe, at) = (chunk / (columns - 1), chunk % (columns - 1));
                let parity = columns - 1 - stripe % columns;
                if at < parity { at } else { at + 1 }
            }
            Self::DoubleParity => {
                let (stripe, at) = (chunk / (columns - 2), chunk % (columns - 2));
                let parity = columns - 1 - stripe % columns;
                (parity + 2 + at) % columns
            }
        }
    }

    /// Chunks after which the order repeats itself.
    const fn period(self, columns: u64) -> u64 {
        match self {
            Self::Turn => columns,
            Self::Asymmetric => columns * (columns - 1),
            Self::DoubleParity => columns * (columns - 2),
        }
    }
}

/// How often two chunks share a disk, by their distance in chunks.
#[derive(Clone, Debug)]
pub(super) struct SharedDisk {
    by_distance: Vec<f64>,
}

impl SharedDisk {
    pub(super) fn new(order: ChunkOrder, columns: u64) -> Self {
        let period = order.period(columns);
        let disks: Vec<u64> = (0..period)
            .map(|chunk| order.disk(chunk, columns))
            .collect();
        let share = |distance: usize| {
            let others = disks.iter().cycle().skip(distance);
            let same = disks.iter().zip(others).filter(|(one, other)| one == other);
            crate::stats::real(same.count() as u64) / crate::stats::real(period)
        };
        Self {
            by_distance: (0..disks.len()).map(share).collect(),
        }
    }

    /// Chunks after which all is repeated.
    pub(super) fn period(&self) -> u64 {
        self.by_distance.len() as u64
    }

    /// The share of pairs of chunks at this distance that share a disk.
    #[inline]
    pub(super) fn at(&self, chunks: u64) -> f64 {
        let index = usize::try_from(chunks % self.period()).unwrap_or(0);
        self.by_distance.get(index).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_meets_itself_at_its_own_length() {
        let shared = SharedDisk::new(ChunkOrder::Turn, 3);
        let seen: Vec<f64> = (0..7).map(|distance| shared.at(distance)).collect();
        assert_eq!(seen, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn every_disk_is_dealt_the_same() {
        for order in ChunkOrder::ALL {
            for columns in order.columns() {
                let shared = SharedDisk::new(order, columns);
                let sum: f64 = (0..shared.period()).map(|at| shared.at(at)).sum();
                // Any two chunks share one of `columns` disks with the chance of one in them.
                let mean = sum / crate::stats::real(shared.period());
                assert!((mean * crate::stats::real(columns) - 1.0).abs() < 1e-9);
                assert_eq!(shared.at(0), 1.0);
            }
        }
    }
}
