//! What one crossing costs, from the cells of a comparison.
//!
//! A cell says how much slower I/O of one kind is at an offset; of that I/O only a share crosses a
//! boundary of the grid in question. Slowdown by share is the price of a crossing, which holds for a
//! workload that crosses less often or more often. Undecided and invalid cells have no price.

use super::Measured;
use super::defect::{Defect, crossing_at};
use super::range::{Range, slowdown, told};
use crate::comparison::{Arm, Cell, Comparison, Estimate, Metric, Verdict};
use crate::units::ratio;

/// Cells further away than this factor in size say nothing of a size.
const NEAR: f64 = 2.0;
/// Mixes whose shares of reads are no further apart are the same mix.
const SAME_MIX: f64 = 0.1;
/// Below this share of crossing I/Os their median does not see them.
const SEEN_BY_MEDIAN: f64 = 0.9;

/// The cells that count.
pub(super) struct Prices<'a> {
    arms: &'a [Arm],
    cells: Vec<&'a Cell>,
    left_out: usize,
}

/// The price of a crossing for one kind of I/O.
#[derive(Copy, Clone)]
pub(super) struct Price {
    /// Share of the time of a clean I/O that a crossing adds.
    pub(super) crossing: Range,
    /// What a clean I/O takes; `None`: not measured.
    pub(super) clean_us: Option<f64>,
    pub(super) block_bytes: u64,
}

/// Takes the cells with a result.
pub(super) fn list(comparison: &Comparison) -> Prices<'_> {
    let (cells, out): (Vec<_>, Vec<_>) = comparison.cells.iter().partition(|cell| counts(cell));
    Prices {
        arms: &comparison.arms,
        cells,
        left_out: out.len(),
    }
}

fn counts(cell: &Cell) -> bool {
    !cell.placebo.moved && cell.estimates.iter().any(decided)
}

fn decided(estimate: &Estimate) -> bool {
    use Verdict::{Faster, NoDifference, Slower};
    matches!(estimate.verdict, Slower | Faster | NoDifference) && slowdown(estimate).is_some()
}

impl Prices<'_> {
    /// For the document.
    pub(super) fn measured(&self, comparison: &Comparison) -> Measured {
        Measured {
            target: comparison.target.clone(),
            machine: comparison.machine.host.clone(),
            cells: self.cells.len(),
            cells_left_out: self.left_out,
        }
    }

    /// Cells that do not count.
    pub(super) const fn left_out(&self) -> usize {
        self.left_out
    }

    /// All prices of crossing the grid of `defect`.
    pub(super) fn all(&self, defect: &Defect) -> Vec<(&Cell, Price)> {
        let cells = self.cells.iter();
        cells
            .filter_map(|cell| Some((*cell, self.price(cell, defect)?)))
            .collect()
    }

    /// The price of one cell: over its pairs of an arm on the grid and one off it, those as far off as
    /// the defect where there are any.
    fn price(&self, cell: &Cell, defect: &Defect) -> Option<Price> {
        let unit = defect.unit_bytes.filter(|unit| *unit > 0)?;
        let pairs = self.pairs(unit);
        let alike = |pair: &&Pair<'_>| Some(place(pair.off) % unit) == defect.offset_bytes;
        let exact: Vec<_> = pairs.iter().filter(alike).collect();
        let chosen = if exact.is_empty() {
            pairs.iter().collect()
        } else {
            exact
        };
        let prices = chosen.iter().filter_map(|pair| pair.price(cell, unit));
        Some(Price {
            crossing: prices.reduce(Range::with)?,
            clean_us: clean(cell, &chosen.first()?.on.name),
            block_bytes: cell.block_bytes,
        })
    }

    /// Estimates are against the first arm: it is on the grid and another is off it, or the other way
    /// round, where what was before is the baseline.
    fn pairs(&self, unit: u64) -> Vec<Pair<'_>> {
        let Some((baseline, others)) = self.arms.split_first() else {
            return Vec::new();
        };
        let is_on = |arm: &Arm| place(arm).is_multiple_of(unit);
        let same_target = others.iter().filter(|arm| arm.target == baseline.target);
        let differ = same_target.filter(|arm| is_on(arm) != is_on(baseline));
        let pair = |arm| {
            let (on, off) = if is_on(baseline) {
                (baseline, arm)
            } else {
                (arm, baseline)
            };
            Pair { on, off, arm }
        };
        differ.map(pair).collect()
    }
}

/// Where an arm's I/O begins: on the disk where that is known, else in a target that begins on the grid.
fn place(arm: &Arm) -> u64 {
    arm.start_bytes.unwrap_or(arm.offset_bytes)
}

/// Two arms that differ in being on the grid.
struct Pair<'a> {
    on: &'a Arm,
    off: &'a Arm,
    /// The one that is not the baseline: what estimates are about.
    arm: &'a Arm,
}

impl Pair<'_> {
    fn price(&self, cell: &Cell, unit: u64) -> Option<Range> {
        let share = crossing_at(cell.block_bytes, unit, place(self.off));
        if share <= 0.0 {
            return None;
        }
        let of_arm = cell.estimates.iter().filter(|one| one.arm == self.arm.name);
        let mut found: Vec<_> = of_arm
            .filter(|one| decided(one) && tells(one.metric))
            .collect();
        // The median of many clean I/Os and a few that cross is that of a clean one, and the median of
        // reads and a few writes that of a read.
        let others = found.iter().any(|one| one.metric != Metric::LatencyMedian);
        if cell.is_mixed() || (share < SEEN_BY_MEDIAN && others) {
            found.retain(|one| one.metric != Metric::LatencyMedian);
        }
        let slower = told(found.into_iter().filter_map(slowdown).collect())?;
        let of_off = if self.arm.name == self.off.name {
            slower
        } else {
            slower.inverse()
        };
        Some(of_off.times(1.0 / share))
    }
}

/// What is asked of prices: those of one kind of I/O.
pub(super) struct Asked {
    pub(super) write: bool,
    /// `None`: the profile does not tell.
    pub(super) sequential: Option<bool>,
    pub(super) bytes: u64,
    /// Of the whole workload.
    pub(super) reads_ratio: f64,
}

/// Of prices of many cells, what one kind of I/O pays: the nearest size of its operation and order; where
/// there is none, what cells say that send both reads and writes.
pub(super) fn near(prices: &[(&Cell, Price)], asked: &Asked) -> Vec<Price> {
    let wanted = if asked.write { 0.0 } else { 1.0 };
    let pure = nearest(prices, asked, |cell| cell.read_ratio() == Some(wanted));
    if !pure.is_empty() {
        return pure.into_iter().map(|(_, price)| *price).collect();
    }
    let mixed = nearest(prices, asked, Cell::is_mixed);
    let part = |(cell, price): &(&Cell, Price)| price.of_part(cell.read_ratio()?, asked);
    mixed.into_iter().filter_map(part).collect()
}

fn nearest<'a>(
    prices: &'a [(&'a Cell, Price)],
    asked: &Asked,
    fits: impl Fn(&Cell) -> bool,
) -> Vec<&'a (&'a Cell, Price)> {
    let distance = |(_, price): &(&Cell, Price)| {
        let (a, b) = (price.block_bytes, asked.bytes);
        ratio(a.max(b), a.min(b).max(1))
    };
    let in_order = |cell: &Cell| {
        let order = asked.sequential;
        order.is_none_or(|order| order == (cell.pattern == "sequential"))
    };
    let fitting = prices.iter();
    let mut fitting: Vec<_> = fitting
        .filter(|one| fits(one.0) && in_order(one.0) && distance(one) <= NEAR)
        .collect();
    let least = fitting.iter().map(|one| distance(one)).reduce(f64::min);
    fitting.retain(|one| least.is_some_and(|least| distance(one) <= least));
    fitting
}

impl Price {
    /// What reads or writes pay, by a cell that sends both: such a cell is a sum weighed by its parts. Of a workload
    /// of the same mix it is the measurement itself. Of another either part may have paid all of it, or nothing.
    fn of_part(&self, cell_reads: f64, asked: &Asked) -> Option<Self> {
        if (cell_reads - asked.reads_ratio).abs() <= SAME_MIX {
            return Some(*self);
        }
        let part = if asked.write {
            1.0 - cell_reads
        } else {
            cell_reads
        };
        let Range { low, likely, high } = self.crossing;
        (part > 0.0).then(|| Self {
            crossing: Range {
                low: low.min(0.0) / part,
                likely,
                high: high.max(0.0) / part,
            },
            ..*self
        })
    }
}

/// The dearest of all; nothing where there is none.
pub(super) fn dearest(prices: &[(&Cell, Price)]) -> f64 {
    let each = prices.iter().map(|(_, price)| price.crossing.high);
    each.fold(0.0, f64::max)
}

/// Wide enough for all queue depths and numbers of workers of the nearest size.
pub(super) fn widest(prices: &[Price]) -> Option<Range> {
    prices
        .iter()
        .map(|price| price.crossing)
        .reduce(Range::with)
}

/// Those that say how long I/O takes; the 99th percentile is not what the mean I/O pays.
const fn tells(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::LatencyMedian | Metric::LatencyMean | Metric::Throughput
    )
}

fn clean(cell: &Cell, baseline: &str) -> Option<f64> {
    let level = cell.level(baseline)?;
    level.latency_mean_us.or(level.latency_p50_us)
}
