//! Conditions that all cells of a run share, so that a later run can repeat them.

use serde::{Deserialize, Serialize};

use crate::workload::Data;

/// How I/O was sent, beside what the cells say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Cached pages were dropped before every round.
    pub cold: bool,
    /// Through the page cache.
    pub buffered: bool,
    /// How much of the target was asked for; `None`: all of it.
    pub size_bytes: Option<u64>,
    /// The written data.
    pub data: Data,
}

impl Conditions {
    /// Conditions that differ from the earlier run, in words.
    pub fn other_than(&self, then: &Self) -> Vec<&'static str> {
        let all = [
            (self.cold != then.cold, "--cold"),
            (self.buffered != then.buffered, "--buffered"),
            (self.size_bytes != then.size_bytes, "--size"),
            (self.data != then.data, "what is written"),
        ];
        let differ = all.into_iter().filter(|(differs, _)| *differs);
        differ.map(|(_, what)| what).collect()
    }
}
