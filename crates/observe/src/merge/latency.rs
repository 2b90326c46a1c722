//! Latencies of two profiles, added up by class.
//!
//! Means and maxima are of whole nanoseconds, which 53 bits of a JSON number hold: sums are exact up to thirteen days
//! of latency, and right in fifteen digits past them.

use std::collections::BTreeMap;

use ioalign_core::profile::part::GridPart;
use ioalign_core::profile::{DeviceProfile, GridProfile, Latency, OpProfile};
use ioalign_core::units::ratio;

use super::doubts::Doubts;
use crate::analyse::latency::Histogram;

/// Latencies by class.
type Classes = BTreeMap<u64, u64>;

/// A whole number that was written as a fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
pub fn whole(value: f64) -> u64 {
    value.round() as u64
}

const NO_CLASSES: &str = "left out: a profile has no classes of latencies";

/// Adds the latencies of an operation. A profile without classes (of another version) leaves none, which classes without
/// a latency tell those that come after it.
pub fn add_op(to: &mut OpProfile, from: &OpProfile, device: &str, doubts: &mut Doubts) {
    let mine = (to.latency_us, &to.latency_histogram_ns);
    let (latency, classes) = added(mine, (from.latency_us, &from.latency_histogram_ns));
    if latency.is_none() && !classes.is_empty() {
        doubts.add("by_op.latency_us", NO_CLASSES, device);
    }
    (to.latency_us, to.latency_histogram_ns) = (latency, classes);
}

fn added(
    a: (Option<Latency>, &Classes),
    b: (Option<Latency>, &Classes),
) -> (Option<Latency>, Classes) {
    let mut classes = a.1.clone();
    let (first, second) = match (a.0, b.0) {
        (Some(first), Some(second)) => (first, second),
        (None, other) if classes.is_empty() => return (other, b.1.clone()),
        (other, _) => return (other, classes),
    };
    for (class, ios) in b.1 {
        let count = classes.entry(*class).or_default();
        *count = count.saturating_add(*ios);
    }
    let ios = first.ios.saturating_add(second.ios);
    if classes
        .values()
        .fold(0_u64, |sum, ios| sum.saturating_add(*ios))
        != ios
    {
        classes.entry(0).or_default();
        return (None, classes);
    }
    let sum = |one: Latency| whole(one.mean * 1000.0 * ratio(one.ios, 1));
    let max = whole(first.max.max(second.max) * 1000.0);
    let both = sum(first).saturating_add(sum(second));
    (Histogram::restored(&classes, both, max).summary(), classes)
}

/// Keeps the classes of clean I/Os of each grid, which follow from those of the operation only before these are added up.
pub fn keep_clean(device: &mut DeviceProfile) {
    let Some(part) = &mut device.part else { return };
    for (grid, kept) in device.grids.iter().zip(&mut part.grids) {
        let Some(op) = device.by_op.get(&grid.op) else {
            continue;
        };
        let rest = || without(&op.latency_histogram_ns, &kept.straddling_ns);
        let clean = kept.clean_ns.take().unwrap_or_else(rest);
        kept.clean_ns = Some(clean);
    }
}

fn without(all: &Classes, part: &Classes) -> Classes {
    let rest = all.iter().map(|(class, ios)| {
        let part = part.get(class).copied().unwrap_or(0);
        (*class, ios.saturating_sub(part))
    });
    rest.filter(|(_, ios)| *ios > 0).collect()
}

/// Adds the latencies on one grid. Without classes in both, there are none.
pub fn add_grid(
    (to, kept): (&mut GridProfile, Option<&mut GridPart>),
    (from, more): (&GridProfile, Option<GridPart>),
    device: &str,
    doubts: &mut Doubts,
) {
    if to.latency_ratio.is_some() || from.latency_ratio.is_some() {
        let why = "left out: it compares each I/O with those before it";
        doubts.add("grids.latency_ratio", why, device);
        to.latency_ratio = None;
    }
    let any =
        |one: &GridProfile| one.straddling_latency_us.is_some() || one.clean_latency_us.is_some();
    let (Some(kept), Some(more)) = (kept, more) else {
        if any(to) || any(from) {
            doubts.add("grids.straddling_latency_us", NO_CLASSES, device);
            doubts.add("grids.clean_latency_us", NO_CLASSES, device);
        }
        (to.straddling_latency_us, to.clean_latency_us) = (None, None);
        return;
    };
    let mine = (to.straddling_latency_us, &kept.straddling_ns);
    let (latency, classes) = added(mine, (from.straddling_latency_us, &more.straddling_ns));
    (to.straddling_latency_us, kept.straddling_ns) = (latency, classes);
    let (clean, its) = (
        kept.clean_ns.take().unwrap_or_default(),
        more.clean_ns.unwrap_or_default(),
    );
    let (latency, classes) = added((to.clean_latency_us, &clean), (from.clean_latency_us, &its));
    (to.clean_latency_us, kept.clean_ns) = (latency, Some(classes));
}
