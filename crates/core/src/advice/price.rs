//! The price of one crossing, from the cells of a comparison.
//!
//! A cell says how much slower I/O of one kind is at an offset; of that I/O only a share crosses a
//! boundary of the grid in question. Slowdown by share is the price of a crossing, which holds for a
//! workload that crosses less often or more often. An undecided estimate has an interval like any other and
//! bounds the price; of a cell whose placebo moved no number counts.

use super::UsedMeasurement;
use super::defect::{Defect, crossing_at};
use super::range::{LossRange, slowdown, together};
use crate::comparison::{Arm, Cell, Comparison, Estimate, EstimateVerdict, Metric};

/// Below this share of crossing I/Os their median does not see them.
const SEEN_BY_MEDIAN: f64 = 0.9;

/// The cells that count.
pub(super) struct Prices<'a> {
    comparison: &'a Comparison,
    cells: Vec<&'a Cell>,
}

/// The price of a crossing for one kind of I/O, by one cell.
#[derive(Copy, Clone, Debug)]
pub(super) struct Price {
    /// Share of reads: 1 of reads, 0 of writes.
    pub(super) reads_ratio: f64,
    pub(super) sequential: bool,
    pub(super) bytes: u64,
    /// I/Os in flight, of all workers.
    pub(super) in_flight: u32,
    /// Share of the time of a clean I/O that a crossing adds.
    pub(super) crossing: LossRange,
    /// Whether any of its estimates has a verdict.
    pub(super) decided: bool,
    /// The time of a clean I/O, including waiting in the queue; `None`: not measured.
    pub(super) clean_us: Option<f64>,
}

/// Takes the cells that say anything.
pub(super) fn list(comparison: &Comparison) -> Prices<'_> {
    let cells = comparison.cells.iter().filter(|cell| counts(cell));
    Prices {
        comparison,
        cells: cells.collect(),
    }
}

fn counts(cell: &Cell) -> bool {
    !cell.placebo.moved && cell.read_ratio().is_some() && cell.estimates.iter().any(bounds)
}

/// Whether it has an interval.
fn bounds(estimate: &Estimate) -> bool {
    estimate.verdict != EstimateVerdict::Invalid && slowdown(estimate).is_some()
}

/// Whether it has a verdict as well.
fn decided(estimate: &Estimate) -> bool {
    bounds(estimate) && estimate.verdict != EstimateVerdict::Undecided
}

impl<'a> Prices<'a> {
    /// For the document.
    pub(super) fn measured(&self, assumed_same: bool) -> UsedMeasurement {
        UsedMeasurement {
            target: self.comparison.target.clone(),
            simulated: self.comparison.simulated,
            machine: self.comparison.machine.host.clone(),
            assumed_same,
            cells: self.cells.len(),
            cells_undecided: self.undecided(),
            cells_left_out: self.left_out(),
        }
    }

    pub(super) const fn comparison(&self) -> &'a Comparison {
        self.comparison
    }

    /// Cells that do not count.
    pub(super) fn left_out(&self) -> usize {
        self.comparison.cells.len() - self.cells.len()
    }

    /// Cells that count and have no verdict.
    pub(super) fn undecided(&self) -> usize {
        let open = |cell: &&&Cell| !cell.estimates.iter().any(decided);
        self.cells.iter().filter(open).count()
    }

    /// Whether an arm is as far off the grid as the defect.
    pub(super) fn has_offset_of(&self, defect: &Defect) -> bool {
        let unit = defect.unit_bytes.filter(|unit| *unit > 0);
        unit.is_some_and(|unit| {
            let mut arms = self.comparison.arms.iter();
            arms.any(|arm| Some(place(arm) % unit) == defect.offset_bytes)
        })
    }

    /// All prices of crossing the grid of `defect`.
    pub(super) fn all(&self, defect: &Defect) -> Vec<Price> {
        let cells = self.cells.iter();
        cells.filter_map(|cell| self.price(cell, defect)).collect()
    }

    /// The price of one cell: over its pairs of an arm on the grid and one off it, those as far off as
    /// the defect where there are any.
    fn price(&self, cell: &Cell, defect: &Defect) -> Option<Price> {
        let unit = defect.unit_bytes.filter(|unit| *unit > 0)?;
        let pairs = self.pairs(unit);
        let alike = |pair: &&ArmPair<'_>| Some(place(pair.off) % unit) == defect.offset_bytes;
        let exact: Vec<_> = pairs.iter().filter(alike).collect();
        let chosen = if exact.is_empty() {
            pairs.iter().collect()
        } else {
            exact
        };
        let prices = chosen
            .iter()
            .filter_map(|pair| pair.price(cell, unit, defect.rewrites));
        let (crossing, decided) = prices.reduce(|(a, one), (b, two)| (a.with(b), one && two))?;
        Some(Price {
            reads_ratio: cell.read_ratio()?,
            sequential: cell.pattern == "sequential",
            bytes: cell.block_bytes,
            in_flight: in_flight(cell),
            crossing,
            decided,
            clean_us: clean(cell, &chosen.first()?.on.name),
        })
    }

    /// Estimates are against the first arm: it is on the grid and another is off it, or the other way
    /// round, where what was before is the baseline.
    fn pairs(&self, unit: u64) -> Vec<ArmPair<'_>> {
        let Some((baseline, others)) = self.comparison.arms.split_first() else {
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
            ArmPair { on, off, arm }
        };
        differ.map(pair).collect()
    }
}

/// The start of an arm's I/O: on the disk if that is known, else in a target that begins on the grid.
fn place(arm: &Arm) -> u64 {
    arm.start_bytes.unwrap_or(arm.offset_bytes)
}

fn in_flight(cell: &Cell) -> u32 {
    cell.queue_depth.max(1).saturating_mul(cell.workers.max(1))
}

/// Two arms that differ in being on the grid.
struct ArmPair<'a> {
    on: &'a Arm,
    off: &'a Arm,
    /// The one that is not the baseline: what estimates are about.
    arm: &'a Arm,
}

impl ArmPair<'_> {
    /// The price, and whether it rests on a verdict.
    fn price(&self, cell: &Cell, unit: u64, rewrites: bool) -> Option<(LossRange, bool)> {
        let writes = cell.read_ratio() != Some(1.0);
        let share = crossing_at(cell.block_bytes, unit, place(self.off), writes && rewrites);
        if share <= 0.0 {
            return None;
        }
        let found: Vec<_> = self.estimates(cell, share).collect();
        let ranges: Vec<_> = found.iter().filter_map(|one| slowdown(one)).collect();
        let slower = together(&ranges)?;
        let of_off = if self.arm.name == self.off.name {
            slower
        } else {
            slower.inverse()
        };
        let batches =
            in_flight(cell) > 1 && found.iter().all(|one| one.metric != Metric::Throughput);
        let mut price = of_off.times(1.0 / share);
        if batches && share < SEEN_BY_MEDIAN {
            // A closed batch takes as long as its slowest I/O: it pays for one crossing of several.
            price.low = price.low.min(of_off.low);
            price.likely = f64::midpoint(price.likely, of_off.likely);
        }
        // Numbers of a document: what no f64 holds is no price.
        let sound = price.low.is_finite() && price.likely.is_finite() && price.high.is_finite();
        sound.then(|| (price, found.iter().any(|one| decided(one))))
    }

    /// The metrics that say how long I/O takes. With a queue that is the throughput of the full queue, if it was
    /// measured: a closed batch is another load. The median of many clean I/Os and a few crossing ones is that of a
    /// clean one, and the median of reads and a few writes is that of a read. The 99th percentile is not the cost of
    /// the mean I/O.
    fn estimates<'c>(&self, cell: &'c Cell, share: f64) -> impl Iterator<Item = &'c Estimate> {
        let name = self.arm.name.clone();
        let of_arm = move |one: &&Estimate| one.arm == name && bounds(one);
        let full = cell.estimates.iter().filter(of_arm.clone());
        let full = full.into_iter().any(|one| one.metric == Metric::Throughput);
        let queued = in_flight(cell) > 1 && full;
        let median = !cell.is_mixed() && share >= SEEN_BY_MEDIAN;
        let says = move |one: &&Estimate| match one.metric {
            Metric::Throughput => true,
            Metric::LatencyMean => !queued,
            Metric::LatencyMedian => !queued && median,
            Metric::LatencyP99 | Metric::CpuPerIo => false,
        };
        cell.estimates.iter().filter(of_arm).filter(says)
    }
}

/// The mean time of an I/O on the grid: by Little's law where the queue was full.
fn clean(cell: &Cell, baseline: &str) -> Option<f64> {
    let level = cell.level(baseline)?;
    let latency = level.latency_mean_us.or(level.latency_p50_us);
    let queued = level.iops.filter(|iops| *iops > 0.0);
    let queued = queued.map(|iops| f64::from(in_flight(cell)) * 1e6 / iops);
    if in_flight(cell) > 1 {
        queued.or(latency)
    } else {
        latency.or(queued)
    }
    .filter(|time| time.is_finite() && *time > 0.0)
}
