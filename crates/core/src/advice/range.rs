//! How much longer something takes: between two ends, with a middle.

use crate::comparison::Estimate;

/// A range with its middle.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct LossRange {
    pub(super) low: f64,
    pub(super) likely: f64,
    pub(super) high: f64,
}

impl LossRange {
    /// Each crossing takes this share.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            likely: self.likely * factor,
            high: self.high * factor,
        }
    }

    /// The same seen from the other side: as much faster as this is slower.
    pub(super) fn inverse(self) -> Self {
        let turn = |slower: f64| 1.0 / (1.0 + slower) - 1.0;
        Self {
            low: turn(self.high),
            likely: turn(self.likely),
            high: turn(self.low),
        }
    }

    /// As wide as if each end might be wrong by this factor, which is at least 1.
    pub(super) fn loosened(self, factor: f64) -> Self {
        let out = |end: f64, away: bool| {
            if away { end * factor } else { end / factor }
        };
        Self {
            low: out(self.low, self.low < 0.0),
            likely: self.likely,
            high: out(self.high, self.high > 0.0),
        }
    }

    /// Wide enough for both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            likely: f64::midpoint(self.likely, other.likely),
            high: self.high.max(other.high),
        }
    }
}

/// How much longer it takes, of a throughput as much as a latency: 0.2 is 20 % longer.
pub(super) fn slowdown(estimate: &Estimate) -> Option<LossRange> {
    let (ratio, low, high) = (estimate.ratio?, estimate.ratio_low?, estimate.ratio_high?);
    let sound = [ratio, low, high]
        .iter()
        .all(|one| one.is_finite() && *one > 0.0);
    if !sound {
        return None;
    }
    let [low, likely, high] = if estimate.metric.more_is_better() {
        [1.0 / high, 1.0 / ratio, 1.0 / low]
    } else {
        [low, ratio, high]
    };
    Some(LossRange {
        low: low - 1.0,
        likely: likely - 1.0,
        high: high - 1.0,
    })
}

/// Several metrics of one quantity combined: the interval of the most exact, widened to include the middles of the
/// others. If another interval does not contain the middle of the most exact, the two contradict each other (a median
/// does not show what a mean includes), and both intervals count in full.
pub(super) fn together(ranges: &[LossRange]) -> Option<LossRange> {
    let width = |one: &LossRange| ((1.0 + one.high) / (1.0 + one.low)).abs();
    let exact = ranges.iter().copied();
    let exact = exact.min_by(|a, b| width(a).total_cmp(&width(b)))?;
    let agrees = |one: &LossRange| one.low <= exact.likely && exact.likely <= one.high;
    let counts = ranges.iter().map(|one| LossRange {
        low: if agrees(one) { one.likely } else { one.low },
        likely: one.likely,
        high: if agrees(one) { one.likely } else { one.high },
    });
    let all = counts.reduce(LossRange::with)?;
    Some(LossRange {
        likely: all.likely,
        ..exact.with(all)
    })
}
