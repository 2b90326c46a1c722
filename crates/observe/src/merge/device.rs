//! The counters of one device in two profiles, added up.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ioalign_core::profile::part::GridPart;
use ioalign_core::profile::{
    Bursts, DeviceProfile, FileProfile, GridProfile, GroupProfile, OpProfile, ProcessProfile,
    ReadBeforeWrite, SizeCount, TimeCount, Unpaired,
};
use ioalign_core::units::ratio;

use super::doubts::Doubts;
use super::{join, latency};
use crate::analyse::rmw::judged;
use crate::record::Op;

/// Adds the counters of `from`, a device of the same name; `doubts` gets what does not add up.
pub fn add_device(to: &mut DeviceProfile, from: DeviceProfile, doubts: &mut Doubts) {
    if to.layer != from.layer {
        to.layer = None;
    }
    sum(&mut to.outside_ios, from.outside_ios);
    latency::keep_clean(to);
    let mut from = from;
    latency::keep_clean(&mut from);
    discards(to, &from, doubts);
    for (op, more) in from.by_op {
        match to.by_op.entry(op) {
            Entry::Vacant(place) => {
                place.insert(more);
            }
            Entry::Occupied(mut place) => add_op(place.get_mut(), &more, &to.device, doubts),
        }
    }
    let parts = from
        .part
        .as_mut()
        .map(|part| std::mem::take(&mut part.grids));
    let mut parts = parts.unwrap_or_default().into_iter();
    for grid in from.grids {
        add_grid_of(to, grid, parts.next(), doubts);
    }
    to.read_before_overwrite = match (to.read_before_overwrite, from.read_before_overwrite) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (one, other) => one.or(other),
    };
    add_processes(&mut to.processes, from.processes);
    add_groups(&mut to.groups, from.groups);
    add_files(&mut to.files, from.files);
    bursts(&mut to.bursts_total, &from.bursts_total);
    arrivals(&mut to.inter_arrival, &from.inter_arrival);
    match (&mut to.part, from.part) {
        (Some(part), Some(more)) => join::join(part, *more),
        (part, _) => *part = None,
    }
    sort_grids(to);
    in_order(to, doubts);
}

/// What of both can be freed: known where it is known of all discards, by the same unit.
fn discards(to: &mut DeviceProfile, from: &DeviceProfile, doubts: &mut Doubts) {
    let has_some = |one: &DeviceProfile| one.by_op.get("discard").is_some_and(|op| op.ios > 0);
    let all = match (to.discards, from.discards) {
        (Some(a), Some(b)) => a.plus(b),
        (Some(one), None) if !has_some(from) => Some(one),
        (None, Some(other)) if !has_some(to) => Some(other),
        _ => None,
    };
    if all.is_none() && to.discards.or(from.discards).is_some() {
        let why = "the unit in which the device frees is not the same in all parts, or not known";
        doubts.add("discards", why, &to.device);
    }
    to.discards = all;
}

/// By operation, as one run has them.
fn sort_grids(device: &mut DeviceProfile) {
    let place = |name: &str| Op::ALL.iter().position(|op| op.name() == name);
    if let Some(part) = &mut device.part
        && part.grids.len() == device.grids.len()
    {
        let names = device.grids.iter().map(|grid| place(&grid.op));
        let mut sorted: Vec<_> = names.zip(std::mem::take(&mut part.grids)).collect();
        sorted.sort_by_key(|(place, _)| *place);
        part.grids = sorted.into_iter().map(|(_, grid)| grid).collect();
    }
    device.grids.sort_by_key(|grid| place(&grid.op));
}

/// The values that depend on the order of all I/Os.
fn in_order(device: &DeviceProfile, doubts: &mut Doubts) {
    let has = |op: &str| device.by_op.get(op).is_some_and(|op| op.ios > 0);
    if has("read") && has("write") {
        let why = "a read in one part before a write in another does not count";
        doubts.add("grids.read_before_write", why, &device.device);
        doubts.add("read_before_overwrite", why, &device.device);
    }
}

fn add_grid_of(
    to: &mut DeviceProfile,
    grid: GridProfile,
    part: Option<GridPart>,
    doubts: &mut Doubts,
) {
    let mut both = to.grids.iter_mut().zip(0_usize..);
    let found = both.find(|(one, _)| grid_key(one) == grid_key(&grid));
    let Some((one, at)) = found else {
        to.grids.push(grid);
        if let (Some(parts), Some(part)) = (&mut to.part, part) {
            parts.grids.push(part);
        }
        return;
    };
    let mine = to.part.as_mut().and_then(|part| part.grids.get_mut(at));
    latency::add_grid((one, mine), (&grid, part), &to.device, doubts);
    add_grid(one, &grid);
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

fn add_op(to: &mut OpProfile, from: &OpProfile, device: &str, doubts: &mut Doubts) {
    if to.sequential_ratio.is_some() && from.sequential_ratio.is_some() {
        let why = "a stream that goes on in another part counts as begun there";
        doubts.add("by_op.sequential_ratio", why, device);
    }
    to.sequential_ratio = sequential(to, from);
    latency::add_op(to, from, device, doubts);
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

/// The share of both: the counts that it was made of are whole numbers.
fn sequential(a: &OpProfile, b: &OpProfile) -> Option<f64> {
    let (Some(first), Some(second)) = (a.sequential_ratio, b.sequential_ratio) else {
        return a.sequential_ratio.or(b.sequential_ratio);
    };
    let count = |share: f64, ios: u64| latency::whole(share * ratio(ios, 1));
    let all = a.ios.saturating_add(b.ios);
    let sequential = count(first, a.ios).saturating_add(count(second, b.ios));
    (all > 0).then(|| ratio(sequential, all))
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

pub fn add_processes(to: &mut Vec<ProcessProfile>, from: Vec<ProcessProfile>) {
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

/// Numbers are those of one boot of one machine: a group is the same where its path and its container are, too.
fn add_groups(to: &mut Vec<GroupProfile>, from: Vec<GroupProfile>) {
    for more in from {
        let same = |one: &&mut GroupProfile| {
            (&one.number, &one.path, &one.container, &one.io.op)
                == (&more.number, &more.path, &more.container, &more.io.op)
        };
        match to.iter_mut().find(same) {
            Some(one) => one.io.add(&more.io),
            None => to.push(more),
        }
    }
    to.sort_by_key(|group| std::cmp::Reverse(group.io.ios));
}

fn add_files(to: &mut Vec<FileProfile>, from: Vec<FileProfile>) {
    for more in from {
        let key = |one: &FileProfile| {
            let place = (one.file_system.clone(), one.inode, one.path.clone());
            (one.what, place, one.io.op.clone())
        };
        match to.iter_mut().find(|one| key(one) == key(&more)) {
            Some(one) => one.io.add(&more.io),
            None => to.push(more),
        }
    }
    to.sort_by_key(|file| std::cmp::Reverse(file.io.ios));
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

pub fn unpaired(to: &mut Unpaired, from: &Unpaired) {
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

pub const fn sum(to: &mut u64, more: u64) {
    *to = to.saturating_add(more);
}
