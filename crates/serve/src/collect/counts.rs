//! What became of pushes, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the start of the server.
#[derive(Debug, Default)]
pub(super) struct PushCounts {
    pub(super) acknowledged: AtomicU64,
    pub(super) duplicates: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) unavailable: AtomicU64,
    pub(super) bytes: AtomicU64,
}

impl PushCounts {
    /// Each with the label that it has.
    pub(super) fn all(&self) -> [(&'static str, u64); 4] {
        let value = |count: &AtomicU64| count.load(Ordering::Relaxed);
        [
            ("acknowledged", value(&self.acknowledged)),
            ("duplicate", value(&self.duplicates)),
            ("refused", value(&self.refused)),
            ("unavailable", value(&self.unavailable)),
        ]
    }
}

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
