//! The figures of the full screen, as the cells of its tables and the lines of its paragraphs.

use std::collections::BTreeMap;

use ioalign_core::Bytes;
use ioalign_core::profile::{Bursts, Latency, ProcessProfile};
use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, WatchedOp};

use super::{SIGN, boundary, bursts, share_off};
use crate::words::clean;
use crate::words::numbers::{bar, share, thousands, time};

/// Powers of two from 512 bytes to 1 MiB.
const POWERS: std::ops::RangeInclusive<usize> = 9..=20;
/// Columns beside a bar.
const BESIDE_BAR: usize = 22;

/// What stands above the devices.
pub const DEVICE_COLUMNS: [&str; 11] = [
    "device", "r/s", "w/s", "MiB/s", "off%", "cross%", "r_lat", "w_lat", "r_await", "w_await",
    "aqu-sz",
];
/// What stands above the latencies.
pub const LATENCY_COLUMNS: [&str; 7] = [
    "op",
    "boundary",
    "straddle",
    "clean p50",
    "p99",
    "straddling p50",
    "p99",
];

/// A device in an interval of this many seconds.
pub fn device(device: &DeviceFigures, seconds: f64) -> [String; 11] {
    let seconds = seconds.max(1e-9);
    let rate = |at| op(device, at).map(|op| format!("{:.0}", ratio(op.counted.ios, 1) / seconds));
    let latency = |at| {
        let mean = op(device, at)?.counted.latency_us?.mean;
        Some(time(mean).replace(' ', ""))
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let (mut ios, mut bytes, mut off, mut cross) = (0, 0, 0, 0);
    for op in &device.ops {
        ios += op.counted.ios;
        bytes += op.counted.bytes;
        if let Some(unit) = op.grids.first() {
            off += unit.start_off_grid;
            cross += unit.straddling;
        }
    }
    let stats = &device.iostat;
    [
        device.name.clone(),
        or_dash(rate(0)),
        or_dash(rate(1)),
        format!("{:.1}", ratio(bytes, 1) / seconds / 1_048_576.0),
        format!("{:.1}", ratio(off, ios) * 100.0),
        format!("{:.1}", ratio(cross, ios) * 100.0),
        or_dash(latency(0)),
        or_dash(latency(1)),
        format!("{:.2}", stats.read.await_ms),
        format!("{:.2}", stats.write.await_ms),
        format!("{:.1}", stats.queue),
    ]
}

fn op(device: &DeviceFigures, at: usize) -> Option<&WatchedOp> {
    device.ops.get(at)
}

/// Starts by power of two, a line each, in `width` columns; `!`: off the unit.
pub fn starts(device: &DeviceFigures, width: usize) -> Vec<String> {
    let mut starts = [0_u64; 64];
    for op in &device.ops {
        for (sum, more) in starts.iter_mut().zip(&op.counted.start_pow2_histogram) {
            *sum += more;
        }
    }
    let ios: u64 = starts.iter().sum();
    let lines = POWERS.map(|power| {
        let is_last = power == *POWERS.end();
        let count: u64 = match is_last {
            true => starts.iter().skip(power).sum(),
            false => starts.get(power).copied().unwrap_or(0),
        };
        let size = 1_u64 << power;
        let mark = if size < device.unit_bytes { '!' } else { ' ' };
        let more = if is_last { '+' } else { ' ' };
        let label = format!("{mark}{:>8}{more}", Bytes::new(size));
        format!("{label}{}", bar_of(count, ios, width))
    });
    lines.collect()
}

/// The most frequent sizes, a line each, at most `rows`.
pub fn sizes(device: &DeviceFigures, rows: usize, width: usize) -> Vec<String> {
    let mut all = BTreeMap::<u64, u64>::new();
    let sizes = device.ops.iter().flat_map(|op| &op.counted.size_histogram);
    for one in sizes {
        *all.entry(one.bytes).or_default() += one.ios;
    }
    let ios: u64 = all.values().sum();
    let mut most: Vec<_> = all.into_iter().collect();
    most.sort_by_key(|(_, ios)| std::cmp::Reverse(*ios));
    most.truncate(rows);
    most.sort_unstable();
    let lines = most.iter().map(|(bytes, count)| {
        let size = Bytes::new(*bytes);
        format!("{size:>10} {}", bar_of(*count, ios, width))
    });
    lines.collect()
}

fn bar_of(count: u64, ios: u64, width: usize) -> String {
    let room = width.saturating_sub(BESIDE_BAR);
    format!("{:>8} {}", share(count, ios), bar(count, ios, room, SIGN))
}

/// Each operation on each grid.
pub fn latencies(device: &DeviceFigures) -> Vec<[String; 7]> {
    let rows = device.busy_ops().flat_map(|op| {
        op.grids.iter().map(|grid| {
            let [clean50, clean99] = quantiles(grid.clean_latency_us.as_ref());
            let [slow50, slow99] = quantiles(grid.straddling_latency_us.as_ref());
            let crossed = share(grid.straddling, op.counted.ios);
            let op = op.name.to_owned();
            [
                op,
                boundary(grid),
                crossed,
                clean50,
                clean99,
                slow50,
                slow99,
            ]
        })
    });
    rows.collect()
}

fn quantiles(latency: Option<&Latency>) -> [String; 2] {
    let none = || ["-".to_owned(), "-".to_owned()];
    latency.map_or_else(none, |all| [time(all.p50), time(all.p99)])
}

/// The title of the latencies; `above`: a layer above reads, merges and writes.
pub fn latency_title(all: &Bursts, above: bool) -> String {
    let above = if above {
        "; read-modify-write from above"
    } else {
        ""
    };
    format!(
        "latency, issue to completion{above}; {}",
        bursts::in_words(all)
    )
}

/// A process, and how much of its I/O is off the unit.
pub fn process(process: &ProcessProfile, unit_bytes: u64) -> String {
    format!(
        "{:>8} {:<16} {:<8}{:>12} I/Os {:>12} KiB  off {}",
        process.pid,
        clean(&process.name),
        process.op,
        thousands(process.ios),
        thousands(process.bytes >> 10),
        share_off(&process.start_pow2_histogram, unit_bytes, process.ios)
    )
}
