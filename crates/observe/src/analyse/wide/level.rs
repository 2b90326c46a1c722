//! The vectors of the processor at hand. The program is built for any x86-64 (and other machines); what counts
//! many rows at once is compiled for wider vectors too, and they are taken where they run.

use super::plain::Plain;
#[cfg(target_arch = "x86_64")]
use super::x86::Avx512;

/// A set of instructions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// What the program is built for.
    Plain,
    /// AVX-512 with leading zeros and compression in vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// What a level does better than compiled loops.
pub trait Vectors: Copy {
    /// Writes `first` plus the places of the flags that are 1, and tells how many there are.
    fn pick(self, flags: &[u8; 64], first: u8, to: &mut [u8; 64]) -> usize;

    /// A bit for each that is `wanted`, the lowest for the first one.
    fn same(self, all: &[u64; 16], wanted: u64) -> u64;

    /// Moves those above `least` to the front, and tells how many they are.
    fn keep_above(self, all: &mut [u64], least: u64) -> usize;
}

/// Something that is compiled once a level. `run` and what it calls must be `inline(always)`, for only
/// what is inlined is compiled for the level.
pub trait Work {
    /// Does it.
    fn run(self, vectors: impl Vectors);
}

impl Level {
    /// All that run here, the best one last.
    pub fn all() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut all = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        all.extend(Avx512::new().map(Self::Avx512));
        all
    }

    /// The best one, where it is better than to count row by row.
    pub fn best() -> Option<Self> {
        let best = Self::all().pop();
        best.filter(|best| *best != Self::Plain)
    }

    /// Does work by its instructions.
    #[inline]
    pub fn run(self, work: impl Work) {
        match self {
            Self::Plain => work.run(Plain),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(vectors) => vectors.run(work),
        }
    }
}
