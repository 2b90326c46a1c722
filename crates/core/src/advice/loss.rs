//! How much longer the I/O takes because of a defect: a range, and what it rests on.

use serde::Serialize;

use super::defect::Defect;
use super::load::{IoKind, Load};
use super::price::{self, Asked, Price, Prices};
use super::range::Range;
use crate::comparison::Cell;

/// What a crossing costs where nothing was measured, as a share of the I/O's time. Nothing: a cache of
/// flash answers, or the second request runs beside the first. At most: a read waits for two requests
/// one after the other. The published measurement on a disk array has 2 to 62 % less throughput for
/// 6 to 100 % of the I/O crossing, 12 % on average.
const ASSUMED: Range = Range {
    low: 0.0,
    likely: 0.0,
    high: 1.0,
};
/// A write that covers two blocks in part reads both first and writes both: four requests for one.
/// (Through a cold page cache factors up to six were measured.)
const ASSUMED_REWRITE: Range = Range {
    low: 0.0,
    likely: 0.0,
    high: 3.0,
};

/// Sizes that applications use; smaller ones hardly reach a device.
const USUAL_SIZES: [u64; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// What a range rests on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Measured cells, weighed by the workload.
    MeasuredAndWeighed,
    /// Measured cells; which of them matter is not known.
    Measured,
    /// The workload, and what a crossing may cost.
    Weighed,
    /// Arithmetic alone.
    Assumed,
}

impl Basis {
    /// Whether a device was measured.
    pub const fn is_measured(self) -> bool {
        matches!(self, Self::MeasuredAndWeighed | Self::Measured)
    }
}

/// Time that I/O takes longer, as a share of what it takes on the grid: 0.12 is 12 % longer.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// At least.
    pub low_ratio: f64,
    /// By the middle of what was measured; `None` where nothing was.
    pub likely_ratio: Option<f64>,
    /// At most.
    pub high_ratio: f64,
    /// What it rests on.
    pub basis: Basis,
    /// Share of the I/O that touches a cell more because of the defect; `None` without a profile.
    pub crossing_ratio: Option<f64>,
    /// Share of the crossing I/O that a measured cell speaks for; `None` unless both are known.
    pub covered_ratio: Option<f64>,
}

/// The loss of a defect; `None` where it is not one of boundaries.
pub(super) fn of(
    defect: &Defect,
    load: Option<&Load>,
    prices: Option<&Prices<'_>>,
) -> Option<Loss> {
    if !defect.is_of_a_grid() {
        return None;
    }
    let cells = prices.map(|prices| prices.all(defect)).unwrap_or_default();
    let load = load.filter(|load| !load.kinds.is_empty());
    Some(match (load, cells.is_empty()) {
        (Some(load), false) => weighed(defect, load, &cells),
        (None, false) => unweighed(defect, &cells),
        (Some(load), true) => Sum::of(defect, load, &[]).assumed(),
        (None, true) => assumed(defect),
    })
}

/// Sums over all I/O, in units of its time on the grid.
#[derive(Default)]
struct Sum {
    /// All I/O, by count and by time.
    ios: f64,
    time: f64,
    /// I/O that crosses, by count.
    crossing: f64,
    /// Time of the crossing I/O that has a price, and what that adds.
    priced_time: f64,
    low: f64,
    likely: f64,
    high: f64,
    /// Time of the crossing I/O that has none, and the most that it may add by assumption.
    unpriced_time: f64,
    unpriced_high: f64,
    /// The dearest crossing that was measured.
    dearest: f64,
}

impl Sum {
    fn of(defect: &Defect, load: &Load, cells: &[(&Cell, Price)]) -> Self {
        // Times count only where every cell tells them: a mix of times and counts means nothing.
        let timed = cells.iter().all(|(_, price)| price.clean_us.is_some());
        let mean = cells
            .iter()
            .filter_map(|(_, price)| price.clean_us)
            .sum::<f64>();
        let mean = mean / f64::from(u32::try_from(cells.len().max(1)).unwrap_or(1));
        let mut sum = Self {
            dearest: price::dearest(cells),
            ..Self::default()
        };
        for kind in &load.kinds {
            let asked = Asked {
                write: kind.write,
                sequential: kind.sequential,
                bytes: kind.bytes,
                reads_ratio: load.reads_ratio,
            };
            let near = price::near(cells, &asked);
            let measured = near.first().and_then(|price| price.clean_us);
            let time = if timed && !cells.is_empty() {
                measured.unwrap_or(mean)
            } else {
                1.0
            };
            sum.add(defect, kind, price::widest(&near), time);
        }
        sum
    }

    fn add(&mut self, defect: &Defect, kind: &IoKind, price: Option<Range>, time: f64) {
        let share = crossing(defect, kind);
        let crossing_time = kind.ios * time * share;
        self.ios += kind.ios;
        self.time += kind.ios * time;
        self.crossing += kind.ios * share;
        if let Some(price) = price {
            self.priced_time += crossing_time;
            self.low += crossing_time * price.low;
            self.likely += crossing_time * price.likely;
            self.high += crossing_time * price.high;
        } else {
            self.unpriced_time += crossing_time;
            let most = assumed_price(defect, kind.write).high.max(self.dearest);
            self.unpriced_high += crossing_time * most;
        }
    }

    fn crossing(&self) -> f64 {
        over(self.crossing, self.ios)
    }

    /// Without a measurement: nothing is likely.
    fn assumed(&self) -> Loss {
        Loss {
            low_ratio: 0.0,
            likely_ratio: None,
            high_ratio: over(self.unpriced_high, self.time),
            basis: Basis::Weighed,
            crossing_ratio: Some(self.crossing()),
            covered_ratio: None,
        }
    }
}

/// What the profile saw, or what arithmetic says of I/O at multiples of its size.
fn crossing(defect: &Defect, kind: &IoKind) -> f64 {
    let seen = defect.unit_bytes.and_then(|unit| kind.seen_crossing(unit));
    seen.unwrap_or_else(|| defect.crossing(kind.bytes))
}

const fn assumed_price(defect: &Defect, write: bool) -> Range {
    if write && defect.rewrites {
        ASSUMED_REWRITE
    } else {
        ASSUMED
    }
}

fn weighed(defect: &Defect, load: &Load, cells: &[(&Cell, Price)]) -> Loss {
    let sum = Sum::of(defect, load, cells);
    let crossing_time = sum.priced_time + sum.unpriced_time;
    if crossing_time > 0.0 && sum.priced_time <= 0.0 {
        // The cells are of other kinds of I/O than the workload's.
        return sum.assumed();
    }
    // What no cell speaks for costs nothing at the low end, at the middle as much as the rest, and at the
    // high end as much as the dearest cell.
    let scale = over(crossing_time, sum.priced_time).max(1.0);
    let low = over(sum.low, sum.time);
    let high = over(sum.high + sum.unpriced_high, sum.time).max(low);
    Loss {
        low_ratio: low,
        likely_ratio: Some(over(sum.likely * scale, sum.time).clamp(low, high)),
        high_ratio: high,
        basis: Basis::MeasuredAndWeighed,
        crossing_ratio: Some(sum.crossing()),
        covered_ratio: (crossing_time > 0.0).then(|| over(sum.priced_time, crossing_time)),
    }
}

/// From the cheapest to the dearest measured cell: which of them matter, only a profile tells.
fn unweighed(defect: &Defect, cells: &[(&Cell, Price)]) -> Loss {
    let each = cells.iter().map(|(cell, price)| {
        let share = defect.crossing(cell.block_bytes);
        (price.crossing.low * share, price.crossing.high * share)
    });
    let (low, high) = each
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default();
    Loss {
        low_ratio: low,
        likely_ratio: None,
        high_ratio: high,
        basis: Basis::Measured,
        crossing_ratio: None,
        covered_ratio: None,
    }
}

fn assumed(defect: &Defect) -> Loss {
    let most = |write| {
        let shares = USUAL_SIZES.iter().map(|size| defect.crossing(*size));
        shares.fold(0.0, f64::max) * assumed_price(defect, write).high
    };
    Loss {
        low_ratio: 0.0,
        likely_ratio: None,
        high_ratio: most(false).max(most(true)),
        basis: Basis::Assumed,
        crossing_ratio: None,
        covered_ratio: None,
    }
}

fn over(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
