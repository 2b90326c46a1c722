//! Counters of `watch`, in base units, beside the gauges of `check`.
//!
//! Series are named by device, operation and boundary: their number is that of the devices. Processes and addresses are
//! in no label.

use std::fmt::Write as _;

use ioalign_core::profile::{GridProfile, OpProfile};
use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, WatchLosses, WatchedOp};

use super::families::Family;
use super::series::{Labels, harmless, shown};

const REQUESTS: Family = Family {
    name: "ioalign_io_requests_total",
    help: "I/Os that were issued to a device.",
};
const BYTES: Family = Family {
    name: "ioalign_io_bytes_total",
    help: "Bytes of the I/Os that were issued to a device.",
};
const LATENCY: Family = Family {
    name: "ioalign_io_latency_seconds",
    help: "Time from issue to completion; the end of a class is right within 3 percent.",
};
const OFF: Family = Family {
    name: "ioalign_io_off_boundary_total",
    help: "I/Os that do not begin at a boundary of the unit.",
};
const CROSSING: Family = Family {
    name: "ioalign_io_crossing_total",
    help: "I/Os that would fit into one unit and lie in two.",
};
const OVERWRITES: Family = Family {
    name: "ioalign_io_read_modify_write",
    help: "1 when small reads of pages that are overwritten later show read-modify-write above the device.",
};
const DROPPED: Family = Family {
    name: "ioalign_watch_dropped_total",
    help: "Events that the watch has lost.",
};

/// Ends of the classes of latency, in microseconds.
const ENDS_US: [u64; 16] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000, 5_000_000,
];

/// A line: what follows the name, the labels, the value.
type SeriesRow = (&'static str, Labels, String);

/// The counters since the watch began, of each device with I/O.
pub fn counters(devices: &[DeviceFigures], losses: &WatchLosses) -> String {
    let mut out = String::new();
    let ops = || {
        devices.iter().flat_map(|device| {
            let ops = device.busy_ops();
            ops.map(move |op| (device, op))
        })
    };
    let each = |of: fn(&OpProfile) -> u64| -> Vec<SeriesRow> {
        ops()
            .map(|(device, op)| ("", of_op(device, op), of(&op.counted).to_string()))
            .collect()
    };
    let boundaries = |of: fn(&GridProfile) -> u64| -> Vec<SeriesRow> {
        let rows = ops().flat_map(|(device, op)| {
            let grids = op.grids.iter();
            grids.map(move |grid| ("", of_grid(device, op, grid), of(grid).to_string()))
        });
        rows.collect()
    };
    put(&mut out, &REQUESTS, "counter", &each(|op| op.ios));
    put(&mut out, &BYTES, "counter", &each(|op| op.bytes));
    let off = boundaries(|grid| grid.start_off_grid);
    put(&mut out, &OFF, "counter", &off);
    let crossing = boundaries(|grid| grid.straddling);
    put(&mut out, &CROSSING, "counter", &crossing);
    let latencies: Vec<_> = ops()
        .flat_map(|(device, op)| histogram(device, op))
        .collect();
    put(&mut out, &LATENCY, "histogram", &latencies);
    let named = devices.iter().filter_map(|device| {
        let seen = u8::from(device.read_before_overwrite?.seen);
        Some(("", of_device(device), seen.to_string()))
    });
    put(&mut out, &OVERWRITES, "gauge", &named.collect::<Vec<_>>());
    let dropped = ("", Vec::new(), losses.dropped.to_string());
    put(&mut out, &DROPPED, "counter", &[dropped]);
    out
}

/// A family with series.
fn put(out: &mut String, family: &Family, kind: &str, rows: &[SeriesRow]) {
    let Family { name, help } = family;
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (suffix, labels, value) in rows {
        let _ = writeln!(out, "{name}{suffix}{} {value}", shown(labels));
    }
}

fn of_device(device: &DeviceFigures) -> Labels {
    vec![("device", harmless(&device.name))]
}

fn of_op(device: &DeviceFigures, op: &WatchedOp) -> Labels {
    let mut labels = of_device(device);
    labels.push(("op", op.name.to_owned()));
    labels
}

fn of_grid(device: &DeviceFigures, op: &WatchedOp, grid: &GridProfile) -> Labels {
    let mut labels = of_op(device, op);
    labels.push(("kind", harmless(&grid.kind)));
    labels.push(("phase_bytes", grid.phase_bytes.to_string()));
    labels.push(("unit_bytes", grid.size_bytes.to_string()));
    labels
}

fn histogram(device: &DeviceFigures, op: &WatchedOp) -> Vec<SeriesRow> {
    let classes = &op.counted.latency_histogram_ns;
    let with = |end: String| {
        let mut labels = of_op(device, op);
        labels.push(("le", end));
        labels
    };
    let mut rows: Vec<SeriesRow> = ENDS_US
        .iter()
        .map(|end| {
            let below: u64 = classes.range(..end * 1000).map(|(_, ios)| ios).sum();
            (
                "_bucket",
                with(ratio(*end, 1_000_000).to_string()),
                below.to_string(),
            )
        })
        .collect();
    let all: u64 = classes.values().sum();
    rows.push(("_bucket", with("+Inf".to_owned()), all.to_string()));
    rows.push(("_sum", of_op(device, op), op.in_flight_s.to_string()));
    rows.push(("_count", of_op(device, op), all.to_string()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_base_units_and_one_type_each() {
        let grid = GridProfile {
            kind: "raid-chunk".to_owned(),
            size_bytes: 65536,
            straddling: 3,
            start_off_grid: 5,
            ..GridProfile::default()
        };
        let mut read = WatchedOp {
            name: "read",
            grids: vec![grid],
            in_flight_s: 0.25,
            ..WatchedOp::default()
        };
        (read.counted.ios, read.counted.bytes) = (7, 28672);
        read.counted.latency_histogram_ns =
            [(40_000, 4), (3_000_000, 2), (9_000_000_000, 1)].into();
        let device = DeviceFigures {
            name: "sda\"\n".to_owned(),
            ops: vec![read],
            ..DeviceFigures::default()
        };
        let losses = WatchLosses {
            dropped: 2,
            ..WatchLosses::default()
        };
        let text = counters(&[device], &losses);
        let name = "device=\"sda\\\"\u{fffd}\",op=\"read\"";
        for line in [
            format!("ioalign_io_requests_total{{{name}}} 7"),
            format!("ioalign_io_bytes_total{{{name}}} 28672"),
            format!(
                "ioalign_io_crossing_total{{{name},kind=\"raid-chunk\",phase_bytes=\"0\",unit_bytes=\"65536\"}} 3"
            ),
            format!("ioalign_io_latency_seconds_bucket{{{name},le=\"0.00005\"}} 4"),
            format!("ioalign_io_latency_seconds_bucket{{{name},le=\"0.005\"}} 6"),
            format!("ioalign_io_latency_seconds_bucket{{{name},le=\"5\"}} 6"),
            format!("ioalign_io_latency_seconds_bucket{{{name},le=\"+Inf\"}} 7"),
            format!("ioalign_io_latency_seconds_sum{{{name}}} 0.25"),
            "ioalign_watch_dropped_total 2".to_owned(),
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
        assert_eq!(
            text.matches("# TYPE ioalign_io_latency_seconds histogram")
                .count(),
            1
        );
        assert!(!text.contains("read_modify_write"), "nothing to say of it");
    }
}
