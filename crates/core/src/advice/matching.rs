//! Which cells speak for an I/O of the workload: those of its operation, order, size and queue depth.
//!
//! Between two measured sizes, or two measured depths, the price lies between theirs. Past the last size it may differ
//! by as much as the sizes do, up to twice; past the last depth nothing is known. Nothing else is taken for anything else.

use serde::Serialize;

use super::load::IoKind;
use super::price::Price;
use super::range::LossRange;
use crate::units::ratio;

/// Sizes past the measured ones are priced up to this factor.
const NEAR: f64 = 2.0;
/// Between sizes further apart than this a price is not interpolated.
const APART: f64 = 16.0;
/// Depths whose ratio is at most this are the same.
const SAME_DEPTH: f64 = 1.25;
/// Mixes whose shares of reads are no further apart are the same mix.
const SAME_MIX: f64 = 0.1;
/// Mixes whose parts differ by a factor of at most this are the same to all ends.
const AS_GOOD_AS_ONE: f64 = 1.05;

/// The cost of an I/O of the workload.
#[derive(Copy, Clone, Debug)]
pub(super) struct Matched {
    /// Share of the time of a clean I/O that a crossing adds.
    pub(super) crossing: LossRange,
    /// The time of a clean I/O, from least to most; `None`: not measured.
    pub(super) clean_us: Option<[f64; 2]>,
    /// Whether all of it rests on verdicts.
    pub(super) decided: bool,
    /// Whether a cell is of this very size and mix: nothing was interpolated.
    pub(super) exact: bool,
}

/// Why no cell speaks for an I/O: the first of these in which all of them differ.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unmatched {
    /// None of its operation: reads are not priced by writes, nor by a mix of another kind.
    Operation,
    /// None of its order.
    Pattern,
    /// None of its size, or near it.
    Size,
    /// None with as many in flight, nor some with fewer and some with more.
    QueueDepth,
}

/// The depths at which a workload is priced: the measured one that is its own, else the nearest on both sides, and all
/// of them where its own is not known.
pub(super) fn depths(prices: &[Price], wanted: Option<f64>) -> Vec<u32> {
    let mut all: Vec<u32> = prices.iter().map(|price| price.in_flight).collect();
    all.sort_unstable();
    all.dedup();
    let Some(wanted) = wanted else {
        return all;
    };
    let distance = |depth: &u32| {
        let ratio = f64::from(*depth) / wanted;
        ratio.max(1.0 / ratio)
    };
    let nearest = all
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let Some(own) = nearest.filter(|depth| distance(depth) <= SAME_DEPTH) {
        return vec![*own];
    }
    let below = all.iter().rev().find(|depth| f64::from(**depth) < wanted);
    let above = all.iter().find(|depth| f64::from(**depth) > wanted);
    below
        .zip(above)
        .map_or_else(Vec::new, |(a, b)| vec![*a, *b])
}

/// The cost of this I/O at one depth.
pub(super) fn find(prices: &[Price], kind: &IoKind, depth: u32, unit: u64) -> Option<Matched> {
    let here: Vec<_> = at_depth(prices, depth).collect();
    match kind.sequential {
        Some(order) => in_order(&here, kind, order, unit),
        // If the profile has no order, it may be either.
        None => {
            let both = [true, false].map(|order| in_order(&here, kind, order, unit));
            both.into_iter().flatten().reduce(either)
        }
    }
}

fn at_depth(prices: &[Price], depth: u32) -> impl Iterator<Item = &Price> {
    prices.iter().filter(move |price| price.in_flight == depth)
}

/// By a cell of the same mix of reads and writes where there is one: it was measured as a whole.
fn in_order(prices: &[&Price], kind: &IoKind, order: bool, unit: u64) -> Option<Matched> {
    let ordered = prices.iter().filter(|price| price.sequential == order);
    let (mixed, pure): (Vec<_>, Vec<_>) = ordered.partition(|price| is_mixed(price));
    let is_mix = kind.reads_ratio > 0.0 && kind.reads_ratio < 1.0;
    let alike =
        |price: &&&Price| is_mix && (price.reads_ratio - kind.reads_ratio).abs() <= SAME_MIX;
    let mut same = true;
    let of_mix: Vec<_> = mixed
        .into_iter()
        .filter(alike)
        .map(|price| {
            let far = apart(price.reads_ratio, kind.reads_ratio);
            same &= far <= AS_GOOD_AS_ONE;
            Price {
                crossing: price.crossing.loosened(far),
                ..**price
            }
        })
        .collect();
    let whole = by_size(&of_mix, kind.bytes, unit).map(|found| Matched {
        exact: found.exact && same,
        ..found
    });
    whole.or_else(|| {
        let own = pure.into_iter().filter(|price| is_of(price, kind.write));
        by_size(
            &own.map(|price| **price).collect::<Vec<_>>(),
            kind.bytes,
            unit,
        )
    })
}

fn is_mixed(price: &Price) -> bool {
    price.reads_ratio > 0.0 && price.reads_ratio < 1.0
}

fn is_of(price: &Price, write: bool) -> bool {
    !is_mixed(price) && (price.reads_ratio < 0.5) == write
}

/// How far the part of reads, or of writes, of two mixes is apart, as a factor.
fn apart(a: f64, b: f64) -> f64 {
    let factor = |a: f64, b: f64| (a / b).max(b / a);
    factor(a, b).max(factor(1.0 - a, 1.0 - b))
}

/// By the cells of this size, else by those of the next smaller and the next larger one, else by the nearest.
fn by_size(prices: &[Price], bytes: u64, unit: u64) -> Option<Matched> {
    let class = |bytes: u64| (bytes.is_multiple_of(unit), bytes < unit);
    let like: Vec<_> = prices
        .iter()
        .filter(|price| class(price.bytes) == class(bytes))
        .collect();
    let of = |size: Option<u64>| {
        let size = size?;
        let same = like.iter().filter(|price| price.bytes == size);
        let found = same.map(|price| matched(price)).reduce(either)?;
        let far = ratio(size.max(bytes), size.min(bytes).max(1));
        Some((found, far))
    };
    let sizes = || like.iter().map(|price| price.bytes);
    if let Some((exact, _)) = of(Some(bytes)) {
        return Some(exact);
    }
    let below = of(sizes().filter(|size| *size < bytes).max());
    let above = of(sizes().filter(|size| *size > bytes).min());
    if let (Some((a, down)), Some((b, up))) = (below, above)
        && down * up <= APART
    {
        return Some(Matched {
            exact: false,
            ..either(a, b)
        });
    }
    let nearest = [below, above].into_iter().flatten();
    let (one, far) = nearest.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (far <= NEAR).then(|| Matched {
        crossing: one.crossing.loosened(far),
        clean_us: one.clean_us.map(|[least, most]| [least / far, most * far]),
        exact: false,
        ..one
    })
}

fn matched(price: &Price) -> Matched {
    Matched {
        crossing: price.crossing,
        clean_us: price.clean_us.map(|time| [time, time]),
        decided: price.decided,
        exact: true,
    }
}

fn either(a: Matched, b: Matched) -> Matched {
    let times = a.clean_us.zip(b.clean_us);
    Matched {
        crossing: a.crossing.with(b.crossing),
        clean_us: times.map(|(a, b)| hull(a, b)),
        decided: a.decided && b.decided,
        exact: a.exact && b.exact,
    }
}

/// The first respect in which no cell is like this I/O.
pub(super) fn why_not(prices: &[Price], kind: &IoKind, unit: u64) -> Unmatched {
    let mix = |price: &Price| {
        kind.reads_ratio > 0.0
            && kind.reads_ratio < 1.0
            && is_mixed(price)
            && (price.reads_ratio - kind.reads_ratio).abs() <= SAME_MIX
    };
    let own: Vec<_> = prices
        .iter()
        .filter(|price| is_of(price, kind.write) || mix(price))
        .collect();
    if own.is_empty() {
        return Unmatched::Operation;
    }
    let ordered = |price: &&&Price| {
        kind.sequential
            .is_none_or(|order| order == price.sequential)
    };
    let ordered: Vec<_> = own.iter().filter(ordered).map(|price| **price).collect();
    if ordered.is_empty() {
        return Unmatched::Pattern;
    }
    match by_size(&ordered, kind.bytes, unit) {
        None => Unmatched::Size,
        Some(_) => Unmatched::QueueDepth,
    }
}

/// The highest measured cost of a crossing of this operation, for any order, size and depth; zero without a
/// measurement. One operation of a mix may have paid for the whole mix.
pub(super) fn dearest(prices: &[Price], write: bool) -> f64 {
    let own = prices.iter().filter_map(|price| {
        let part = match is_mixed(price) {
            false if is_of(price, write) => 1.0,
            // In a mix, writes may have paid for the reads: pure writes cost more.
            true if write => 1.0 - price.reads_ratio,
            _ => return None,
        };
        price.decided.then(|| price.crossing.high / part)
    });
    own.fold(0.0, f64::max)
}

/// The least and the most that a clean I/O takes: of all cells, or those of one operation, at one depth where there are any.
pub(super) fn times(prices: &[Price], write: Option<bool>, depth: Option<u32>) -> Option<[f64; 2]> {
    let of_op = |price: &Price| write.is_none_or(|write| is_of(price, write));
    let span = |depth: Option<u32>| {
        let here = |price: &Price| depth.is_none_or(|depth| depth == price.in_flight);
        let times = prices.iter().filter(|price| of_op(price) && here(price));
        let times = times.filter_map(|price| price.clean_us);
        times.map(|time| [time, time]).reduce(hull)
    };
    span(depth).or_else(|| span(None))
}

fn hull([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a.min(c), b.max(d)]
}
