//! Discards as a device saw them, and what of them it can free.

use serde::{Deserialize, Serialize};

/// Discards of one device, cut at its units. Head, tail and whole units add up to `bytes`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscardCounts {
    /// The unit in which the device frees (`discard_granularity`).
    pub granularity_bytes: u64,
    /// Its first boundary.
    pub alignment_bytes: u64,
    /// Ranges that were discarded; a request may have several.
    pub discards: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes of whole units.
    pub whole_bytes: u64,
    /// Bytes before the first boundary, and all of a discard that has no whole unit.
    pub head_bytes: u64,
    /// Bytes behind the last boundary.
    pub tail_bytes: u64,
    /// Discards without a whole unit.
    pub nothing_freed: u64,
}

impl DiscardCounts {
    /// Of both; `None` where the units differ.
    #[must_use]
    pub fn plus(self, more: Self) -> Option<Self> {
        let unit = |one: &Self| (one.granularity_bytes, one.alignment_bytes);
        let sum = u64::saturating_add;
        (unit(&self) == unit(&more)).then(|| Self {
            discards: sum(self.discards, more.discards),
            bytes: sum(self.bytes, more.bytes),
            whole_bytes: sum(self.whole_bytes, more.whole_bytes),
            head_bytes: sum(self.head_bytes, more.head_bytes),
            tail_bytes: sum(self.tail_bytes, more.tail_bytes),
            nothing_freed: sum(self.nothing_freed, more.nothing_freed),
            ..self
        })
    }
}
