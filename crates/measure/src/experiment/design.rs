//! How an experiment is made.

use std::time::Duration;

use crate::stats::Shares;
use crate::{Error, ErrorKind, Result};

/// The required certainty, and the time limit.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Design {
    /// The probability that all intervals of all cells contain their truths, at any time.
    pub confidence: f64,
    /// Region of practical equivalence: differences up to this share of the baseline do not matter.
    pub rope_ratio: f64,
    /// Cells of the whole run, which share the allowance of error.
    pub cells: u32,
    /// The longest that it takes, over both parts.
    pub max_time: Duration,
    /// The shortest, though everything may be clear before.
    pub min_time: Duration,
    /// Whether the queue is kept full in a second part, for throughput and processor time.
    pub saturate: bool,
    /// Seed of the order of arms.
    pub seed: u64,
    /// Size of an I/O, for bytes a second; `None`: not one size.
    pub block_bytes: Option<u64>,
    /// About how long a micro-round takes, all arms together.
    pub round_time: Duration,
    /// Closed batches of an arm in a micro-round; `None`: as many as fit.
    pub batches: Option<u32>,
    /// How long the queue of an arm is kept full at a time.
    pub block_time: Duration,
    /// How often the caller is shown how it stands.
    pub watch_every: Duration,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            rope_ratio: 0.005,
            cells: 1,
            max_time: Duration::from_secs(10),
            min_time: Duration::from_millis(500),
            saturate: false,
            seed: 1,
            block_bytes: None,
            round_time: Duration::from_millis(4),
            batches: None,
            block_time: Duration::from_millis(80),
            watch_every: Duration::from_millis(100),
        }
    }
}

impl Design {
    /// The edge of the region of practical equivalence, as a logarithm.
    pub(super) fn rope(&self) -> f64 {
        self.rope_ratio.ln_1p()
    }

    /// The error allowance of one cell that compares this many arms with a baseline.
    pub(super) fn shares(&self, compared: usize) -> Shares {
        let compared = u32::try_from(compared).unwrap_or(u32::MAX);
        Shares::new(self.confidence, self.cells, compared, self.saturate)
    }

    /// When the first part has to end: half the time is left for the second.
    pub(super) fn latency_time(&self) -> Duration {
        if self.saturate {
            self.max_time / 2
        } else {
            self.max_time
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::new(ErrorKind::Unsupported, what));
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return wrong("a confidence lies between 0 and 1");
        }
        if !(self.rope_ratio >= 0.0 && self.rope_ratio < 1.0) {
            return wrong("a region of practical equivalence is at least 0 and less than 100 %");
        }
        Ok(())
    }
}
