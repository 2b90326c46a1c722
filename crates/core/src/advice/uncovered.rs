//! The I/O of a workload that no measured cell speaks for.

use serde::Serialize;

use super::Unmatched;

/// More of them than this say no more.
const MOST: usize = 8;

/// I/O of one operation, size and order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncovered {
    /// `read` or `write`.
    pub op: &'static str,
    /// Size of an I/O.
    pub bytes: u64,
    /// `None`: the profile does not tell.
    pub sequential: Option<bool>,
    /// I/Os in flight, of the whole workload; `None`: the profile does not tell.
    pub queue_depth: Option<f64>,
    /// Share of the crossing I/O.
    pub crossing_ratio: f64,
    /// In which respect the measured cells are unlike.
    pub unlike: Unmatched,
}

impl Uncovered {
    /// Whether there is enough of it to be spoken of.
    pub(super) fn matters(&self) -> bool {
        self.crossing_ratio >= 0.005
    }
}

/// The most first, as many as can be read.
pub(super) fn list(all: impl Iterator<Item = Uncovered>) -> Vec<Uncovered> {
    let mut list: Vec<_> = all.collect();
    list.sort_by(|a, b| b.crossing_ratio.total_cmp(&a.crossing_ratio));
    list.truncate(MOST);
    list
}
