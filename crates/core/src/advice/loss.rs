//! How much longer the I/O takes because of a defect: a range, and what it rests on.

use serde::Serialize;

use super::defect::Defect;
use super::load::{IoKind, LoadSummary};
use super::matching;
use super::price::{Price, Prices};
use super::uncovered::{self, Uncovered};
use super::weigh::{self, LossTerm};

/// The highest cost of a crossing without a measurement, as a share of the I/O's time. The lowest is zero: a flash
/// cache answers, or the second request runs beside the first. A read waits for two requests one after the other. The
/// published measurement on a disk array has 2 to 62 % less throughput for 6 to 100 % of the I/O crossing, 12 % on
/// average.
const ASSUMED: f64 = 1.0;
/// A write that covers two blocks in part reads both first and writes both: four requests for one.
/// (Where writes are cached and reads are not, factors up to fifteen were measured.)
const ASSUMED_REWRITE: f64 = 3.0;
/// Times of I/O that was not measured, beside those of the other operation.
const OTHER_OPERATION: f64 = 4.0;
/// The share of the crossing I/O that cells must speak for before a loss is called measured.
pub const COVERED: f64 = 0.9;

/// Sizes that applications use; smaller ones hardly reach a device.
const USUAL_SIZES: [u64; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The basis of a range.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Measured cells, weighed by the workload: they speak for nine tenths of the crossing I/O or more.
    MeasuredAndWeighed,
    /// The same, and they speak for less than that: of the rest what a crossing may cost.
    PartlyMeasured,
    /// Measured cells; which of them matter is not known.
    Measured,
    /// The workload, and what a crossing may cost.
    Weighed,
    /// Arithmetic alone.
    Assumed,
}

impl Basis {
    /// Whether all of it was measured, as far as matters.
    pub const fn is_measured(self) -> bool {
        matches!(self, Self::MeasuredAndWeighed | Self::Measured)
    }
}

/// Time that I/O takes longer, as a share of what it takes on the grid: 0.12 is 12 % longer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// At least.
    pub low_ratio: f64,
    /// By the middle of what was measured; `None` where less than nine tenths were, or the cells have no verdict.
    pub likely_ratio: Option<f64>,
    /// At most.
    pub high_ratio: f64,
    /// The basis of the range.
    pub basis: Basis,
    /// Share of the I/O that touches a cell more because of the defect; `None` without a profile.
    pub crossing_ratio: Option<f64>,
    /// Share of the crossing I/O that a measured cell speaks for, by count or by time, whichever is less; `None` unless
    /// both are known.
    pub covered_ratio: Option<f64>,
    /// Share of the crossing I/O whose cells have an interval and no verdict.
    pub undecided_ratio: Option<f64>,
    /// Share of the crossing I/O that is priced by cells of other sizes, depths or mixes on both sides of it, or near it.
    pub interpolated_ratio: Option<f64>,
    /// The I/O that no cell speaks for, most first.
    pub uncovered: Vec<Uncovered>,
    /// Share of all time that is lost, at least: the device would be idle in it; `None`: the profile has no times.
    pub lost_time_low_ratio: Option<f64>,
    /// The same at most.
    pub lost_time_high_ratio: Option<f64>,
}

impl Loss {
    fn new(low: f64, high: f64, basis: Basis) -> Self {
        Self {
            low_ratio: low,
            likely_ratio: None,
            high_ratio: high,
            basis,
            crossing_ratio: None,
            covered_ratio: None,
            undecided_ratio: None,
            interpolated_ratio: None,
            uncovered: Vec::new(),
            lost_time_low_ratio: None,
            lost_time_high_ratio: None,
        }
    }

    /// Whether a tenth of the crossing I/O or more has cells without a verdict.
    pub fn is_undecided(&self) -> bool {
        self.undecided_ratio
            .is_some_and(|share| share > 1.0 - COVERED)
    }

    /// The loss of all time, on a device that is busy for this share of the time.
    fn of_time(&mut self, busy: Option<f64>) {
        let lost = |loss: f64| busy.map(|busy| busy * loss / (1.0 + loss).max(f64::EPSILON));
        self.lost_time_low_ratio = lost(self.low_ratio);
        self.lost_time_high_ratio = lost(self.high_ratio);
    }
}

/// The loss of a defect; `None` where it is not one of boundaries.
pub(super) fn of(
    defect: &Defect,
    load: Option<&LoadSummary>,
    prices: Option<&Prices<'_>>,
) -> Option<Loss> {
    let unit = defect.unit_bytes.filter(|_| defect.is_of_a_grid())?;
    let prices = prices.map(|prices| prices.all(defect)).unwrap_or_default();
    let Some(load) = load.filter(|load| !load.kinds.is_empty()) else {
        return Some(if prices.is_empty() {
            assumed(defect)
        } else {
            unweighed(defect, &prices)
        });
    };
    let case = LossCase {
        defect,
        load,
        prices: &prices,
        unit,
    };
    Some(case.loss())
}

/// A workload with a defect and what was measured of it.
struct LossCase<'a> {
    defect: &'a Defect,
    load: &'a LoadSummary,
    prices: &'a [Price],
    unit: u64,
}

impl LossCase<'_> {
    /// Wide enough for all depths that the workload is priced at.
    fn loss(&self) -> Loss {
        let depths = matching::depths(self.prices, self.load.queue_depth);
        let each = depths.iter().map(|depth| self.at(Some(*depth)));
        let mut loss = each.reduce(wider).unwrap_or_else(|| self.at(None));
        if depths.len() > 1 {
            // A depth other than the workload's, even if the cells have everything else in common
            // with it.
            loss.interpolated_ratio = loss.covered_ratio;
        }
        loss.of_time(self.load.busy_ratio);
        loss
    }

    /// At one of the measured depths; at none of them nothing is priced.
    fn at(&self, depth: Option<u32>) -> Loss {
        let kinds = self.load.kinds.iter();
        let terms: Vec<LossTerm> = kinds.map(|kind| self.term(kind, depth)).collect();
        let covered = weigh::share(&terms, |term| term.likely.is_some());
        let undecided = weigh::share(&terms, |term| term.likely.is_some() && !term.decided);
        let basis = match covered {
            Some(covered) if covered <= 0.0 => Basis::Weighed,
            Some(covered) if covered < COVERED => Basis::PartlyMeasured,
            None if self.prices.is_empty() => Basis::Weighed,
            _ => Basis::MeasuredAndWeighed,
        };
        let [low, high] = weigh::ends(&terms);
        let mut loss = Loss::new(low, high, basis);
        loss.crossing_ratio = Some(weigh::crossing(&terms));
        if self.prices.is_empty() {
            return loss;
        }
        loss.covered_ratio = covered;
        loss.undecided_ratio = undecided;
        loss.interpolated_ratio = weigh::share(&terms, |term| term.likely.is_some() && !term.exact);
        loss.uncovered = self.uncovered(&terms);
        if basis.is_measured() && !loss.is_undecided() {
            let likely = weigh::likely(&terms).or(covered.is_none().then_some(0.0));
            loss.likely_ratio = likely.map(|likely| likely.clamp(low, high));
        }
        loss
    }

    fn term(&self, kind: &IoKind, depth: Option<u32>) -> LossTerm {
        let share = self.crossing(kind);
        let found = depth.and_then(|depth| matching::find(self.prices, kind, depth, self.unit));
        let assumed = if kind.write && self.defect.rewrites {
            ASSUMED_REWRITE
        } else {
            ASSUMED
        };
        let most = assumed.max(matching::dearest(self.prices, kind.write));
        LossTerm {
            ios: kind.ios,
            share,
            price: found.map_or([0.0, most], |one| [one.crossing.low, one.crossing.high]),
            likely: found.map(|one| one.crossing.likely),
            decided: found.is_some_and(|one| one.decided),
            exact: found.is_some_and(|one| one.exact),
            time: self.time(kind, depth, found.and_then(|one| one.clean_us)),
        }
    }

    /// Times count only where every cell has them: a mix of times and counts means nothing.
    fn time(&self, kind: &IoKind, depth: Option<u32>, found: Option<[f64; 2]>) -> [f64; 2] {
        if self.prices.iter().any(|price| price.clean_us.is_none()) {
            return [1.0, 1.0];
        }
        let own = matching::times(self.prices, Some(kind.write), depth);
        let any = matching::times(self.prices, None, depth);
        let any = any.map(|[least, most]| [least / OTHER_OPERATION, most * OTHER_OPERATION]);
        found.or(own).or(any).unwrap_or([1.0, 1.0])
    }

    /// The crossing share that the profile counted, or the computed one for I/O at multiples of its
    /// size.
    fn crossing(&self, kind: &IoKind) -> f64 {
        let seen = kind.seen_crossing(self.unit);
        seen.unwrap_or_else(|| self.defect.crossing(kind.bytes, kind.write))
    }

    fn uncovered(&self, terms: &[LossTerm]) -> Vec<Uncovered> {
        let all: f64 = terms.iter().map(|term| term.ios * term.share).sum();
        let open = self.load.kinds.iter().zip(terms);
        let open = open.filter(|(_, term)| term.likely.is_none() && term.share > 0.0);
        uncovered::list(open.map(|(kind, term)| Uncovered {
            op: if kind.write { "write" } else { "read" },
            bytes: kind.bytes,
            sequential: kind.sequential,
            queue_depth: self.load.queue_depth,
            crossing_ratio: term.ios * term.share / all.max(f64::MIN_POSITIVE),
            unlike: matching::why_not(self.prices, kind, self.unit),
        }))
    }
}

/// The one that knows less speaks, with a range that holds both.
fn wider(a: Loss, b: Loss) -> Loss {
    let covered = |loss: &Loss| loss.covered_ratio.unwrap_or(1.0);
    let likely = a.likely_ratio.zip(b.likely_ratio);
    let (low, high) = (a.low_ratio.min(b.low_ratio), a.high_ratio.max(b.high_ratio));
    let more =
        |of: fn(&Loss) -> Option<f64>| [of(&a), of(&b)].into_iter().flatten().reduce(f64::max);
    let undecided = more(|loss| loss.undecided_ratio);
    let less = if covered(&b) < covered(&a) { b } else { a };
    Loss {
        low_ratio: low,
        likely_ratio: likely.map(|(a, b)| f64::midpoint(a, b)),
        high_ratio: high,
        undecided_ratio: undecided,
        ..less
    }
}

/// From the cheapest to the dearest measured cell: which of them matter, only a profile says.
fn unweighed(defect: &Defect, prices: &[Price]) -> Loss {
    let each = prices.iter().map(|price| {
        let share = defect.crossing(price.bytes, price.reads_ratio < 1.0);
        (price.crossing.low * share, price.crossing.high * share)
    });
    let (low, high) = each
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default();
    let undecided = prices
        .iter()
        .filter(|price| !price.decided)
        .map(|_| 1.0)
        .sum();
    let mut loss = Loss::new(low, high, Basis::Measured);
    loss.undecided_ratio = Some(over(undecided, prices.iter().map(|_| 1.0).sum()));
    loss
}

fn over(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn assumed(defect: &Defect) -> Loss {
    let most = |write: bool, price: f64| {
        let shares = USUAL_SIZES.iter().map(|size| defect.crossing(*size, write));
        shares.fold(0.0, f64::max) * price
    };
    let rewrite = if defect.rewrites {
        most(true, ASSUMED_REWRITE)
    } else {
        0.0
    };
    Loss::new(0.0, most(false, ASSUMED).max(rewrite), Basis::Assumed)
}
