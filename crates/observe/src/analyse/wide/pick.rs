//! The rows that matter, one after the other.

use super::level::Vectors;
use crate::analyse::device::TOGETHER;

/// Rows that one word of bits tells of.
const WORD: usize = 64;

/// Numbers of rows, in their order.
pub struct Picked {
    /// With room for a whole word behind the last one.
    rows: [u8; TOGETHER + WORD],
    count: usize,
}

impl Picked {
    const NONE: Self = Self {
        rows: [0; TOGETHER + WORD],
        count: 0,
    };

    /// The rows.
    #[inline(always)]
    pub fn rows(&self) -> &[u8] {
        self.rows.get(..self.count).unwrap_or(&self.rows)
    }

    /// Room for the next word of rows.
    #[inline(always)]
    fn room(&mut self) -> Option<&mut [u8; WORD]> {
        let room = self.rows.get_mut(self.count..)?;
        room.first_chunk_mut()
    }
}

/// The rows whose flag is 1. The others have 0.
#[inline(always)]
pub fn pick<V: Vectors>(vectors: V, flags: &[u8; TOGETHER]) -> Picked {
    let mut picked = Picked::NONE;
    for (word, first) in flags.as_chunks().0.iter().zip((0..).step_by(WORD)) {
        if let Some(room) = picked.room() {
            picked.count += vectors.pick(word, first, room);
        }
    }
    picked
}
