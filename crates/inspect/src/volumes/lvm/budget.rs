//! Memory that a group may take.

use super::text::Flaw;

/// Memory that the names, volumes and segments of one group may take, about: 20 000 volumes.
const MOST_BYTES: usize = 12 << 20;
/// What a small allocation costs beyond its bytes.
const OVERHEAD: usize = 32;

/// The rest of [`MOST_BYTES`].
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub fn new() -> Self {
        Self { left: MOST_BYTES }
    }

    /// Takes room for a `T` in a growing vector, which may be twice as large as what is in it,
    /// and for `text` bytes on the heap.
    pub fn spend<T>(&mut self, text: usize) -> Result<(), Flaw> {
        let cost = (2 * size_of::<T>() + OVERHEAD).saturating_add(text);
        match self.left.checked_sub(cost) {
            Some(left) => self.left = left,
            None => return Err(Flaw::new(0, "more volumes and segments than are read")),
        }
        Ok(())
    }
}
