//! The profile of one device over time, from what a merge needs: the same for one run and for joined parts.
//!
//! Samples and steps begin at multiples of their width on the clock of the trace, as those of a monitor do, so that
//! all parts have the same.

use ioalign_core::profile::littles_law::LawInputs;
use ioalign_core::profile::part::{BurstSpan, DevicePart, PartStretch, SamplerPart};
use ioalign_core::profile::{DeviceProfile, QueueDepth, Sampler, TimeCount};
use ioalign_core::units::ratio;

use super::bursts::BurstState;
use super::steps;

/// Bursts that the profile lists.
const LISTED: usize = 32;

/// The end of a class of times between I/Os.
pub fn class_of(since: u64) -> u32 {
    (since << 1 | 1).ilog2()
}

/// Whether no part has begun before the one before it ended.
pub fn follow(stretches: &[PartStretch]) -> bool {
    stretches
        .windows(2)
        .all(|two| matches!(two, [a, b] if a.end_ns <= b.first_ns))
}

/// Since the first I/O of the profile.
fn since(time: i64, origin: i64) -> u64 {
    if time > origin {
        time.abs_diff(origin)
    } else {
        0
    }
}

/// Fills in what follows exactly, and returns the values that do not, each with the reason.
pub fn fill(
    out: &mut DeviceProfile,
    part: &DevicePart,
    origin: i64,
) -> Vec<(&'static str, &'static str)> {
    let mut missing = Vec::new();
    let follow = follow(&part.stretches);
    fill_bursts(out, part, origin, &mut missing);
    out.samplers.clear();
    let end = part.stretches.iter().map(|one| one.end_ns).max();
    for sampler in &part.samplers {
        match shown(sampler, end.unwrap_or(origin), origin) {
            Some(shown) => out.samplers.push(shown),
            None => missing.push(("samplers", "left out: more than 65,536 samples with I/O")),
        }
    }
    if part.late > 0 && part.stretches.len() > 1 {
        let why = "some latencies became known long after the issue, and count in the sample of the issue";
        missing.push(("samplers", why));
    }
    fill_depth(out, part, origin, follow, &mut missing);
    if !follow {
        missing.push(("inter_arrival", "left out: the parts overlap in time"));
    }
    out.inter_arrival = if follow { arrivals(part) } else { Vec::new() };
    missing
}

fn fill_bursts(
    out: &mut DeviceProfile,
    part: &DevicePart,
    origin: i64,
    missing: &mut Vec<(&'static str, &'static str)>,
) {
    let Some(spans) = &part.bursts else {
        missing.push(("bursts", "left out: more than 65,536 bursts in a part"));
        out.bursts.clear();
        out.bursts_total = ioalign_core::profile::Bursts::default();
        return;
    };
    let widths: Vec<_> = part.samplers.iter().map(|one| one.interval_ns).collect();
    let mut state = BurstState::new(part.gap_ns, LISTED);
    let mut busy = part.busy.as_deref();
    for span in spans {
        let within = busy_within(&mut busy, span);
        state.add_span(span, since(span.start_ns, origin), within);
    }
    (out.bursts, out.bursts_total) = state.profile(&widths);
    if part.busy.is_none() {
        out.bursts.iter_mut().for_each(|one| one.littles_law = None);
        let why = "left out: the time with I/O in flight has more than 65,536 pieces";
        missing.push(("bursts.littles_law", why));
    }
}

/// The time with any in flight within a burst; the pieces before its end are used up.
fn busy_within(busy: &mut Option<&[(i64, i64)]>, span: &BurstSpan) -> u64 {
    let Some(all) = busy else { return 0 };
    let within = all.partition_point(|(start, _)| *start <= span.end_ns);
    let (mine, rest) = all.split_at(within);
    *busy = Some(rest);
    super::part::total(mine)
}

fn shown(sampler: &SamplerPart, end: i64, origin: i64) -> Option<Sampler> {
    let rows = sampler.rows.as_ref()?;
    let rate = |bytes: u64| ratio(bytes, sampler.interval_ns.max(1)) * 1e9;
    let latency = |at: usize| {
        let row = rows.get(at)?;
        (row.known > 0).then(|| ratio(row.latency_ns, row.known) / 1e3)
    };
    let (mut highest, mut slowest) = (None, None);
    let mut bytes = 0_u64;
    for (at, row) in rows.iter().enumerate() {
        bytes = bytes.saturating_add(row.bytes);
        if row.bytes > highest.map_or(0, |(most, _)| most) {
            highest = Some((row.bytes, at));
        }
        if latency(at) > slowest.map(|(most, _)| most) {
            slowest = latency(at).map(|most| (most, at));
        }
    }
    let width = i64::try_from(sampler.interval_ns)
        .unwrap_or(i64::MAX)
        .max(1);
    let samples = end
        .div_euclid(width)
        .saturating_sub(origin.div_euclid(width));
    let active = rows.len() as u64;
    Some(Sampler {
        interval_us: sampler.interval_ns / 1000,
        samples: u64::try_from(samples).unwrap_or(0) + 1,
        active,
        highest_bytes_per_s: rate(highest.map_or(0, |(most, _)| most)),
        latency_at_highest_us: highest.and_then(|(_, at)| latency(at)),
        active_mean_bytes_per_s: rate(bytes) / ratio(active.max(1), 1),
        highest_latency_us: slowest.map(|(most, _)| most),
        throughput_at_highest_latency_bytes_per_s: slowest
            .and_then(|(_, at)| Some(rate(rows.get(at)?.bytes))),
    })
}

fn fill_depth(
    out: &mut DeviceProfile,
    part: &DevicePart,
    origin: i64,
    follow: bool,
    missing: &mut Vec<(&'static str, &'static str)>,
) {
    (out.queue_depth, out.littles_law) = (None, None);
    let first = part.stretches.iter().map(|one| one.first_ns).min();
    let end = part.stretches.iter().map(|one| one.end_ns).max();
    let duration = end.unwrap_or(0).abs_diff(first.unwrap_or(0));
    if part.busy.is_none() && !follow {
        let why = "left out: the parts overlap in time, and the time with I/O in flight has more than 65,536 pieces";
        missing.extend([("queue_depth", why), ("littles_law", why)]);
        return;
    }
    out.littles_law = LawInputs {
        duration,
        ios: out.by_op.values().map(|op| op.ios).sum(),
        known: part.known,
        latency: part.latency_ns.into(),
        area: part.latency_ns.into(),
        busy: part.busy_ns,
    }
    .check();
    if part.most_in_flight == 0 || duration == 0 {
        return;
    }
    if !follow {
        let why = "the parts overlap in time: at least this many";
        missing.push(("queue_depth.max", why));
    }
    let mut over_time = part.in_flight.clone();
    steps::reach(&mut over_time, origin, first.unwrap_or(origin));
    out.queue_depth = Some(QueueDepth {
        mean: ratio(part.latency_ns, duration),
        mean_while_busy: ratio(part.latency_ns, part.busy_ns.max(1)),
        max: part.most_in_flight,
        busy_ratio: ratio(part.busy_ns, duration).min(1.0),
        interval_us: ratio(over_time.step_ns, 1000),
        in_flight_us: over_time
            .area_ns
            .iter()
            .map(|area| ratio(*area, 1000))
            .collect(),
    });
}

/// Those within the parts, and the ones between the end of a part and the next one.
fn arrivals(part: &DevicePart) -> Vec<TimeCount> {
    let mut classes = part.arrivals.clone();
    for two in part.stretches.windows(2) {
        if let [a, b] = two {
            *classes
                .entry(class_of(b.first_ns.abs_diff(a.last_ns)))
                .or_default() += 1;
        }
    }
    let named = classes.into_iter().filter(|(class, _)| *class < 64);
    let named = named.map(|(class, ios)| TimeCount {
        below_us: ratio(1 << class, 1000),
        ios,
    });
    named.collect()
}
