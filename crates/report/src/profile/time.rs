//! Bursts, what monitoring shows of them, queue depth and Little's law.

use ioalign_core::Bytes;
use ioalign_core::profile::{Burst, DeviceProfile, Profile, Sampler};
use ioalign_core::units::ratio;

use super::heading;
use super::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{about, percent, rate, thousands, three, time};

/// A sample may be this many times longer than all I/O.
const SHORT: f64 = 100.0;
/// Bursts that are listed.
const ROWS: usize = 5;

pub fn all(page: &mut TextPage, device: &DeviceProfile, profile: &Profile) {
    if device.bursts_total.count == 0 {
        return;
    }
    heading(page, "Over time");
    summary(page, device, profile);
    for sampler in &device.samplers {
        sampled(page, sampler, device);
    }
    depth(page, device);
    if device.bursts_total.count > 1 {
        bursts(page, device);
    }
}

fn put(page: &mut TextPage, text: &str) {
    page.put("  ", "  ", 2, &[TextSpan::plain(text)]);
}

fn summary(page: &mut TextPage, device: &DeviceProfile, profile: &Profile) {
    let total = &device.bursts_total;
    let gap = time(ratio(total.gap_us, 1));
    let count = match total.count {
        1 => format!("1 burst, never idle for {gap}"),
        n => format!(
            "{} bursts, idle for {gap} or longer between them",
            thousands(n)
        ),
    };
    let busy = total.duration_us / ratio(profile.duration_us, 1).max(1.0);
    let text = match total.throughput_bytes_per_s {
        Some(moved) => format!(
            "{count}: {} of the time; {} within them",
            percent(busy.min(1.0)),
            rate(moved)
        ),
        // Whole seconds, and no latencies: all of a burst happens at one moment.
        None => format!("{count}; how long they last is not in the trace"),
    };
    put(page, &text);
}

fn sampled(page: &mut TextPage, sampler: &Sampler, device: &DeviceProfile) {
    let within = device.bursts_total.throughput_bytes_per_s;
    let latency = sampler.latency_at_highest_us;
    let latency = latency.map_or_else(String::new, |us| format!(" at {}", time(us)));
    let mut text = format!(
        "sampled every {}, the highest value is {}{latency}",
        time(ratio(sampler.interval_us, 1)),
        rate(sampler.highest_bytes_per_s)
    );
    let factor = within.map(|within| within / sampler.highest_bytes_per_s);
    // A trace that is much shorter than a sample says nothing about monitoring.
    let long = device.bursts_total.duration_us * SHORT > ratio(sampler.interval_us, 1);
    if let Some(factor) = factor.filter(|factor| *factor > 1.1 && long) {
        text.push_str(&format!(": {}× less than the bursts move", three(factor)));
    }
    put(page, &text);
}

fn depth(page: &mut TextPage, device: &DeviceProfile) {
    let Some(depth) = &device.queue_depth else {
        return;
    };
    let mut text = format!(
        "in flight: {} on average, {} while there is any ({} of the time), {} at most",
        three(depth.mean),
        three(depth.mean_while_busy),
        percent(depth.busy_ratio),
        thousands(depth.max)
    );
    if let Some(law) = &device.littles_law {
        let verdict = if law.consistent {
            "as measured"
        } else {
            "not as measured: latencies are missing"
        };
        text.push_str(&format!(
            "; Little's law: {verdict}",
            verdict = format_args!(
                "{} × {} = {}, {verdict}",
                per_second(law.iops),
                time(law.latency_mean_us),
                three(law.expected)
            )
        ));
    }
    put(page, &text);
}

fn per_second(iops: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // shown, not negative
    let whole = iops.round() as u64;
    match whole {
        0..100 => format!("{}/s", three(iops)),
        _ => format!("{}/s", thousands(whole)),
    }
}

fn bursts(page: &mut TextPage, device: &DeviceProfile) {
    let last = device
        .samplers
        .iter()
        .map(|sampler| sampler.interval_us)
        .max();
    let shows = last.map_or_else(String::new, |us| format!("in {}", time(ratio(us, 1))));
    let head = [
        "burst at",
        "lasts",
        "I/Os",
        "bytes",
        "rate",
        "latency",
        "in flight",
        &shows,
    ];
    let mut table = TextTable::new(0, &head);
    let mut largest: Vec<_> = device.bursts.iter().collect();
    largest.sort_by_key(|burst| std::cmp::Reverse(burst.bytes));
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        ROWS
    };
    largest.truncate(shown);
    largest.sort_by(|a, b| a.start_us.total_cmp(&b.start_us));
    for burst in largest {
        table.row(Style::Plain, row(burst));
    }
    page.blank();
    table.put(page);
}

fn row(burst: &Burst) -> Vec<String> {
    let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let widest = burst
        .sampled
        .iter()
        .max_by_key(|sampled| sampled.interval_us);
    vec![
        time(burst.start_us),
        time(burst.duration_us),
        thousands(burst.ios),
        about(Bytes::new(burst.bytes)),
        or(burst.throughput_bytes_per_s.map(rate)),
        or(burst.latency_mean_us.map(time)),
        or(burst
            .littles_law
            .as_ref()
            .map(|law| three(law.measured_while_busy))),
        or(widest.map(|sampled| rate(sampled.throughput_bytes_per_s))),
    ]
}
