//! Profiles of several machines, or of parts of one trace, as one.
//!
//! Counters add up exactly. Values that do not follow from the parts are left out and named by
//! [`NOT_MERGED`]: single bursts, samplers, queue depth, Little's law and rates over time need a
//! common clock, and the latency of straddling against clean I/O needs the I/Os themselves.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ioalign_core::profile::{
    self, Bursts, DeviceProfile, GridProfile, Latency, OpProfile, ProcessProfile, Profile,
    ReadBeforeWrite, SizeCount, TimeCount, Unpaired,
};
use ioalign_core::units::ratio;

use crate::analyse::latency::Histogram;
use crate::analyse::rmw::judged;

/// The values that a merged profile does not have.
pub const NOT_MERGED: &[&str] = &[
    "single bursts",
    "samplers",
    "Little's law",
    "queue depth",
    "intervals",
    "latency by straddling",
];

/// How profiles are taken.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeSettings {
    /// The parts follow each other in time: durations add up.
    pub parts: bool,
}

/// Adds up all of them. Devices of one name are one device: name them apart before, where they are not.
pub fn merge(profiles: Vec<Profile>, settings: MergeSettings) -> Profile {
    let mut out = Profile {
        schema: profile::SCHEMA.to_owned(),
        source: "merged".to_owned(),
        ..Profile::default()
    };
    let mut devices: BTreeMap<(String, i64), DeviceProfile> = BTreeMap::new();
    for one in profiles {
        out.duration_us = match settings.parts {
            true => out.duration_us.saturating_add(one.duration_us),
            false => out.duration_us.max(one.duration_us),
        };
        sum(&mut out.events, one.events);
        sum(&mut out.dropped, one.dropped);
        unpaired(&mut out.unpaired, &one.unpaired);
        out.interrupted |= one.interrupted;
        out.files.extend(one.files);
        for device in one.devices {
            let key = (device.device.clone(), device.offset_applied_bytes);
            match devices.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(alone(device));
                }
                Entry::Occupied(mut place) => add_device(place.get_mut(), alone(device)),
            }
        }
    }
    out.devices = devices.into_values().collect();
    for device in &mut out.devices {
        let ops = device.by_op.values_mut();
        ops.filter(|op| op.latency_us.is_none())
            .for_each(|op| op.latency_histogram_ns.clear());
        device
            .processes
            .sort_by(|a, b| (b.ios, a.pid, &a.name, &a.op).cmp(&(a.ios, b.pid, &b.name, &b.op)));
    }
    out.judge();
    out
}

/// Without what cannot be added up.
fn alone(mut device: DeviceProfile) -> DeviceProfile {
    device.forget_course();
    for grid in &mut device.grids {
        grid.straddling_latency_us = None;
        grid.clean_latency_us = None;
        grid.latency_ratio = None;
    }
    device
}

fn add_device(to: &mut DeviceProfile, from: DeviceProfile) {
    if to.layer != from.layer {
        to.layer = None;
    }
    sum(&mut to.outside_ios, from.outside_ios);
    for (op, more) in from.by_op {
        match to.by_op.entry(op) {
            Entry::Vacant(place) => {
                place.insert(more);
            }
            Entry::Occupied(mut place) => add_op(place.get_mut(), &more),
        }
    }
    for grid in from.grids {
        let same = |one: &&mut GridProfile| grid_key(one) == grid_key(&grid);
        match to.grids.iter_mut().find(same) {
            Some(one) => add_grid(one, &grid),
            None => to.grids.push(grid),
        }
    }
    to.read_before_overwrite = match (to.read_before_overwrite, from.read_before_overwrite) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (one, other) => one.or(other),
    };
    add_processes(&mut to.processes, from.processes);
    bursts(&mut to.bursts_total, &from.bursts_total);
    arrivals(&mut to.inter_arrival, &from.inter_arrival);
}

type GridKey<'a> = (&'a str, Option<&'a str>, &'a str, u64, u64);

fn grid_key(grid: &GridProfile) -> GridKey<'_> {
    let layer = grid.layer.as_deref();
    (
        &grid.op,
        layer,
        &grid.kind,
        grid.size_bytes,
        grid.phase_bytes,
    )
}

fn add_op(to: &mut OpProfile, from: &OpProfile) {
    let sequential = |op: &OpProfile| Some((op.sequential_ratio?, op.ios));
    to.sequential_ratio = weighted(sequential(to), sequential(from));
    let (latency, classes) = latencies(to, from);
    to.latency_us = latency;
    to.latency_histogram_ns = classes;
    sum(&mut to.ios, from.ios);
    sum(&mut to.bytes, from.bytes);
    sizes(&mut to.size_histogram, &from.size_histogram);
    each(&mut to.start_pow2_histogram, &from.start_pow2_histogram);
    each(&mut to.length_pow2_histogram, &from.length_pow2_histogram);
    each(&mut to.straddling_pow2, &from.straddling_pow2);
    for (to, from) in to.start_mod_4096.iter_mut().zip(from.start_mod_4096) {
        sum(to, from);
    }
    let whole = to.whole_start_mod_4096.iter_mut();
    whole
        .zip(from.whole_start_mod_4096)
        .for_each(|(to, from)| sum(to, from));
}

/// Percentiles come from the classes; a profile without them (of another version) leaves none, which classes
/// without a latency tell those that come after it.
fn latencies(a: &OpProfile, b: &OpProfile) -> (Option<Latency>, BTreeMap<u64, u64>) {
    let mut classes = a.latency_histogram_ns.clone();
    let (first, second) = match (a.latency_us, b.latency_us) {
        (Some(first), Some(second)) => (first, second),
        (None, other) if classes.is_empty() => return (other, b.latency_histogram_ns.clone()),
        (other, _) => return (other, classes),
    };
    for (class, ios) in &b.latency_histogram_ns {
        sum(classes.entry(*class).or_default(), *ios);
    }
    let ios = first.ios.saturating_add(second.ios);
    if classes.values().sum::<u64>() != ios {
        classes.entry(0).or_default();
        return (None, classes);
    }
    let max = first.max.max(second.max);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // of nanoseconds
    let histogram = Histogram::of_classes(&classes, (max * 1000.0).round() as u64);
    let mean = weighted(
        Some((first.mean, first.ios)),
        Some((second.mean, second.ios)),
    );
    let latency = histogram.summary().map(|summary| Latency {
        max,
        mean: mean.unwrap_or(summary.mean),
        ..summary
    });
    (latency, classes)
}

/// The mean of two means.
fn weighted(a: Option<(f64, u64)>, b: Option<(f64, u64)>) -> Option<f64> {
    let ((a, n), (b, m)) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (one, other) => return one.or(other).map(|(value, _)| value),
    };
    let all = n.saturating_add(m);
    (all > 0).then(|| a * ratio(n, all) + b * ratio(m, all))
}

fn add_grid(to: &mut GridProfile, from: &GridProfile) {
    sum(&mut to.pieces, from.pieces);
    sum(&mut to.start_off_grid, from.start_off_grid);
    sum(&mut to.length_not_multiple, from.length_not_multiple);
    sum(&mut to.straddling, from.straddling);
    sum(&mut to.cells_touched, from.cells_touched);
    sum(&mut to.cells_minimum, from.cells_minimum);
    to.declared |= from.declared;
    to.read_before_write = match (to.read_before_write, from.read_before_write) {
        (Some(a), Some(b)) if a.within_us == b.within_us => Some(judged(ReadBeforeWrite {
            within_us: a.within_us,
            partial_writes: a.partial_writes.saturating_add(b.partial_writes),
            partial_after_read: a.partial_after_read.saturating_add(b.partial_after_read),
            whole_writes: a.whole_writes.saturating_add(b.whole_writes),
            whole_after_read: a.whole_after_read.saturating_add(b.whole_after_read),
            seen: false,
        })),
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    };
}

fn add_processes(to: &mut Vec<ProcessProfile>, from: Vec<ProcessProfile>) {
    type MergeKey = (u32, String, String);
    let key = |one: &ProcessProfile| (one.pid, one.name.clone(), one.op.clone());
    let places = to.iter().map(key).zip(0_usize..);
    let places: BTreeMap<MergeKey, usize> = places.collect();
    for more in from {
        let place = places.get(&key(&more)).and_then(|place| to.get_mut(*place));
        let Some(one) = place else {
            to.push(more);
            continue;
        };
        sum(&mut one.ios, more.ios);
        sum(&mut one.bytes, more.bytes);
        sum(&mut one.length_off_4096_ios, more.length_off_4096_ios);
        each(&mut one.start_pow2_histogram, &more.start_pow2_histogram);
    }
}

fn bursts(to: &mut Bursts, from: &Bursts) {
    if to.gap_us != from.gap_us {
        // Bursts of different definitions are no sum.
        *to = Bursts::default();
        return;
    }
    let bytes = |one: &Bursts| {
        one.throughput_bytes_per_s
            .map_or(0.0, |rate| rate * one.duration_us)
    };
    let (all, duration) = (bytes(to) + bytes(from), to.duration_us + from.duration_us);
    sum(&mut to.count, from.count);
    to.duration_us = duration;
    to.longest_us = to.longest_us.max(from.longest_us);
    to.throughput_bytes_per_s = (duration > 0.0).then(|| all / duration);
}

fn arrivals(to: &mut Vec<TimeCount>, from: &[TimeCount]) {
    for more in from {
        let same = |one: &&mut TimeCount| one.below_us.to_bits() == more.below_us.to_bits();
        match to.iter_mut().find(same) {
            Some(one) => sum(&mut one.ios, more.ios),
            None => to.push(*more),
        }
    }
    to.sort_by(|a, b| a.below_us.total_cmp(&b.below_us));
}

fn sizes(to: &mut Vec<SizeCount>, from: &[SizeCount]) {
    let mut all: BTreeMap<u64, SizeCount> = to.drain(..).map(|one| (one.bytes, one)).collect();
    for more in from {
        let one = all.entry(more.bytes).or_insert(SizeCount {
            bytes: more.bytes,
            ..SizeCount::default()
        });
        sum(&mut one.ios, more.ios);
        sum(&mut one.off_4096_ios, more.off_4096_ios);
    }
    to.extend(all.into_values());
}

fn unpaired(to: &mut Unpaired, from: &Unpaired) {
    sum(&mut to.without_completion, from.without_completion);
    sum(&mut to.without_issue, from.without_issue);
    sum(&mut to.requeued, from.requeued);
    sum(&mut to.partial, from.partial);
    sum(&mut to.late, from.late);
}

fn each(to: &mut Vec<u64>, from: &[u64]) {
    if to.len() < from.len() {
        to.resize(from.len(), 0);
    }
    to.iter_mut()
        .zip(from)
        .for_each(|(to, from)| sum(to, *from));
}

const fn sum(to: &mut u64, more: u64) {
    *to = to.saturating_add(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(ios: u64, has_classes: bool) -> Profile {
        let latency = Latency {
            ios,
            mean: 1.0,
            max: 1.0,
            ..Latency::default()
        };
        let mut read = OpProfile {
            ios,
            latency_us: Some(latency),
            ..OpProfile::default()
        };
        if has_classes {
            read.latency_histogram_ns.insert(1000, ios);
        }
        let mut device = DeviceProfile::default();
        device.by_op.insert("read".to_owned(), read);
        Profile {
            devices: vec![device],
            ..Profile::default()
        }
    }

    fn latency(parts: [bool; 3]) -> Option<u64> {
        let parts = parts.map(|has_classes| profile(7, has_classes));
        let merged = merge(parts.to_vec(), MergeSettings::default());
        let read = &merged.devices[0].by_op["read"];
        assert_eq!(read.ios, 21);
        assert_eq!(
            read.latency_us.is_none(),
            read.latency_histogram_ns.is_empty()
        );
        read.latency_us.map(|latency| latency.ios)
    }

    #[test]
    fn latencies_of_a_part_are_not_those_of_the_whole() {
        assert_eq!(latency([true; 3]), Some(21));
        for without in 0..3 {
            let mut parts = [true; 3];
            parts[without] = false;
            assert_eq!(latency(parts), None, "{without}");
        }
        assert_eq!(latency([false; 3]), None);
    }
}
