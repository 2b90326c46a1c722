//! One device over time in two parts, joined: sums, unions and maxima.

use ioalign_core::profile::part::{DevicePart, SampleSums, SamplerPart};

use crate::analyse::part::total;
use crate::analyse::spans::{MOST_KEPT, joined, joined_times};
use crate::analyse::steps;

/// Joins `from` to a part of the same device.
pub fn join(to: &mut DevicePart, from: DevicePart) {
    to.stretches.extend(from.stretches);
    to.stretches.sort_unstable();
    to.known = to.known.saturating_add(from.known);
    to.latency_ns = to.latency_ns.saturating_add(from.latency_ns);
    to.late = to.late.saturating_add(from.late);
    to.most_in_flight = to.most_in_flight.max(from.most_in_flight);
    for (class, ios) in from.arrivals {
        let count = to.arrivals.entry(class).or_default();
        *count = count.saturating_add(ios);
    }
    let same_gap = to.gap_ns == from.gap_ns;
    let bursts = both(to.bursts.take(), from.bursts).filter(|_| same_gap);
    to.bursts = kept(bursts.map(|all| joined(all, to.gap_ns)));
    let busy = kept(both(to.busy.take(), from.busy).map(joined_times));
    to.busy_ns = match &busy {
        Some(busy) => total(busy),
        None => to.busy_ns.saturating_add(from.busy_ns),
    };
    to.busy = busy;
    join_samplers(&mut to.samplers, from.samplers);
    steps::add(&mut to.in_flight, &from.in_flight);
}

fn both<T>(a: Option<Vec<T>>, b: Option<Vec<T>>) -> Option<Vec<T>> {
    let (mut a, b) = a.zip(b)?;
    a.extend(b);
    Some(a)
}

/// None of them where there are too many.
fn kept<T>(all: Option<Vec<T>>) -> Option<Vec<T>> {
    all.filter(|all| all.len() <= MOST_KEPT)
}

/// Samples of intervals that only one of both has are those of a part, and no result.
fn join_samplers(to: &mut Vec<SamplerPart>, from: Vec<SamplerPart>) {
    to.retain(|one| {
        from.iter()
            .any(|other| other.interval_ns == one.interval_ns)
    });
    for sampler in from {
        let same = |one: &&mut SamplerPart| one.interval_ns == sampler.interval_ns;
        if let Some(one) = to.iter_mut().find(same) {
            let rows = both(one.rows.take(), sampler.rows);
            one.rows = kept(rows.map(joined_rows));
        }
    }
}

fn joined_rows(mut all: Vec<SampleSums>) -> Vec<SampleSums> {
    all.sort_by_key(|row| row.index);
    let mut out: Vec<SampleSums> = Vec::new();
    for row in all {
        match out.last_mut().filter(|last| last.index == row.index) {
            Some(last) => {
                last.ios = last.ios.saturating_add(row.ios);
                last.bytes = last.bytes.saturating_add(row.bytes);
                last.known = last.known.saturating_add(row.known);
                last.latency_ns = last.latency_ns.saturating_add(row.latency_ns);
            }
            None => out.push(row),
        }
    }
    out
}
