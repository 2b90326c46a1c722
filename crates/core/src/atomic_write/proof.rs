//! The proof: atomic writes at all residues of a page, and what each must end in.

use serde::Serialize;

use super::AtomicFileLimits;

/// The step of starts within the first page.
const SECTOR: u64 = 512;
/// The step after it.
const BLOCK: u64 = 4096;
/// Larger writes are not tried.
const LARGEST: u64 = 4 << 20;
/// A proof does not name more of its differences.
const MOST_NAMED: usize = 8;

/// What becomes of a write that is marked `RWF_ATOMIC`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteOutcome {
    /// It is written.
    Accepted,
    /// `EINVAL`: not here, or not so long.
    Invalid,
    /// `EOPNOTSUPP`: there are none.
    Unsupported,
}

impl AtomicFileLimits {
    /// What becomes of a direct write of `length` bytes at `offset` that is marked `RWF_ATOMIC`:
    /// `generic_atomic_write_valid` in fs/read_write.c, and the limits of the file system.
    pub const fn outcome(&self, offset: u64, length: u64) -> WriteOutcome {
        if self.unit_max == 0 {
            return WriteOutcome::Unsupported;
        }
        let natural = length.is_power_of_two() && offset.is_multiple_of(length);
        match natural && self.hold(length) {
            true => WriteOutcome::Accepted,
            false => WriteOutcome::Invalid,
        }
    }
}

/// One write: where, how long, and what is predicted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomicTry {
    /// Where it starts.
    pub offset_bytes: u64,
    /// Its length.
    pub length_bytes: u64,
    /// What it must end in.
    pub predicted: WriteOutcome,
}

/// The writes of a proof: sizes about the page and the limits, each at all residues of it.
pub fn planned_writes(limits: AtomicFileLimits, page: u64) -> Vec<AtomicTry> {
    let about = |size: u64| {
        [
            size / 2,
            size.saturating_sub(SECTOR),
            size,
            size + SECTOR,
            size + BLOCK,
            size * 2,
        ]
    };
    let mut sizes: Vec<_> = [page, limits.unit_min, limits.unit_max]
        .into_iter()
        .flat_map(about)
        .filter(|size| (SECTOR..=LARGEST).contains(size))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let fine = (0..page).step_by(512);
    let coarse = (page..page.saturating_mul(3)).step_by(4096);
    let starts: Vec<_> = fine.chain(coarse).collect();
    let mut planned = Vec::new();
    for length in sizes {
        // A length of its own has its own multiples too.
        for offset in starts
            .iter()
            .copied()
            .chain([length, length.saturating_mul(3)])
        {
            planned.push(AtomicTry {
                offset_bytes: offset,
                length_bytes: length,
                predicted: limits.outcome(offset, length),
            });
        }
    }
    planned
}

/// How the writes ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AtomicProof {
    /// Writes that were tried.
    pub tries: u64,
    /// Of these, written.
    pub accepted: u64,
    /// That ended otherwise than predicted.
    pub differing: u64,
    /// The first of them, in words.
    pub differences: Vec<String>,
    /// Why nothing could be tried.
    pub not_tried: Option<String>,
}

impl AtomicProof {
    /// One that could not be made.
    pub fn impossible(why: impl Into<String>) -> Self {
        Self {
            not_tried: Some(why.into()),
            ..Self::default()
        }
    }

    /// Counts one write and its end.
    pub fn count(&mut self, tried: &AtomicTry, ended: WriteOutcome) {
        self.tries += 1;
        self.accepted += u64::from(ended == WriteOutcome::Accepted);
        if ended == tried.predicted {
            return;
        }
        self.differing += 1;
        if self.differences.len() < MOST_NAMED {
            self.differences.push(format!(
                "{} bytes at {}: predicted {}, ended {}",
                tried.length_bytes,
                tried.offset_bytes,
                tried.predicted.word(),
                ended.word()
            ));
        }
    }

    /// Whether all ended as predicted; `None`: none was tried.
    pub fn holds(&self) -> Option<bool> {
        (self.tries > 0).then_some(self.differing == 0)
    }
}

impl WriteOutcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Invalid => "EINVAL",
            Self::Unsupported => "EOPNOTSUPP",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AtomicFileLimits = AtomicFileLimits {
        unit_min: 4096,
        unit_max: 1 << 20,
        unit_max_opt: 0,
    };

    #[test]
    fn a_write_is_a_power_of_two_at_a_multiple_of_itself() {
        use WriteOutcome::{Accepted, Invalid, Unsupported};
        for (offset, length, outcome) in [
            (0, 16384, Accepted),
            (16384, 16384, Accepted),
            (4096, 16384, Invalid),
            (8192, 16384, Invalid),
            (0, 12288, Invalid),
            (0, 512, Invalid),
            (512, 512, Invalid),
            (0, 2 << 20, Invalid),
            (4096, 4096, Accepted),
        ] {
            assert_eq!(
                LIMITS.outcome(offset, length),
                outcome,
                "{length} at {offset}"
            );
        }
        assert_eq!(AtomicFileLimits::default().outcome(0, 4096), Unsupported);
    }

    #[test]
    fn all_residues_and_the_sizes_about_the_page_are_tried() {
        let planned = planned_writes(LIMITS, 16384);
        for residue in (0..16384).step_by(512) {
            let tried = |one: &AtomicTry| (one.length_bytes, one.offset_bytes) == (16384, residue);
            assert!(planned.iter().any(tried), "{residue}");
        }
        for length in [
            8192,
            15872,
            16384,
            16896,
            32768,
            2048,
            4096,
            1 << 20,
            2 << 20,
        ] {
            assert!(
                planned.iter().any(|one| one.length_bytes == length),
                "{length}"
            );
        }
        let mut proof = AtomicProof::default();
        assert_eq!(proof.holds(), None);
        proof.count(&planned[0], planned[0].predicted);
        assert_eq!(proof.holds(), Some(true));
        let wrong = AtomicTry {
            predicted: WriteOutcome::Accepted,
            ..planned[0]
        };
        proof.count(&wrong, WriteOutcome::Invalid);
        assert_eq!(
            (proof.holds(), proof.differing, proof.tries),
            (Some(false), 1, 2)
        );
        assert!(proof.differences[0].contains("predicted accepted, ended EINVAL"));
    }
}
