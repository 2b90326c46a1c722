//! A statement about a layer: rule, severity, arithmetic, cost, repair.

use serde::Serialize;

use crate::cost::CostRow;
use crate::discard::DiscardLoss;
use crate::grid::Confidence;
use crate::layer_id::LayerId;
use crate::severity::Severity;
use crate::units::{Bytes, Sectors};

/// Values that would put things right.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// A start on every grid that can be satisfied together, at or after the present one.
    pub start: Option<Bytes>,
    /// The same in the native sectors of the table.
    pub start_sectors: Option<Sectors>,
    /// The nearest good start before the present one, where there is one.
    pub start_before: Option<Bytes>,
    /// A size that fits.
    pub size: Option<Bytes>,
}

/// Somebody's decision that a finding does not count for a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiver {
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it holds, `YYYY-MM-DD` in UTC.
    pub expires: String,
}

/// One thing that is worth saying about one layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable kebab-case id.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The layer whose users suffer.
    pub layer: Option<LayerId>,
    /// The first layer that left the grid.
    pub guilty: Option<LayerId>,
    /// Index into the stack's grids.
    pub grid: Option<usize>,
    /// The grid's size.
    pub unit: Option<Bytes>,
    /// How far past the boundary the layer starts.
    pub offset: Option<Bytes>,
    /// Values to use instead.
    pub suggest: Suggestion,
    /// Its cost, one row for each size.
    pub cost: Vec<CostRow>,
    /// What is lost of discards, if it is about those.
    pub discard: Option<DiscardLoss>,
    /// Whether it can be changed without copying the data elsewhere; `None` where not applicable.
    pub fixable_in_place: Option<bool>,
    /// How sure the finding is.
    pub confidence: Confidence,
    /// One sentence with the arithmetic.
    pub why: String,
    /// Commands or steps.
    pub steps: Vec<String>,
    /// Set if a policy waives it; it is still shown.
    pub waived: Option<Waiver>,
}

impl Finding {
    /// A finding that only says something.
    pub fn new(rule: &'static str, severity: Severity, why: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            layer: None,
            guilty: None,
            grid: None,
            unit: None,
            offset: None,
            suggest: Suggestion::default(),
            cost: Vec::new(),
            discard: None,
            fixable_in_place: None,
            confidence: Confidence::High,
            why: why.into(),
            steps: Vec::new(),
            waived: None,
        }
    }

    /// Whether it counts for a verdict: it is not waived.
    pub const fn counts(&self) -> bool {
        self.waived.is_none()
    }

    /// Names the layer that it is about.
    #[must_use]
    pub fn at(mut self, layer: LayerId) -> Self {
        self.layer = Some(layer);
        self.guilty = self.guilty.or(Some(layer));
        self
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, line: impl Into<String>) -> Self {
        self.steps.push(line.into());
        self
    }
}
