//! Line mode: like `iostat -x`, a line for each device and operation, with latencies from the events beside
//! what iostat makes of the kernel's sums.

use std::fmt::Write;

use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, WatchedOp};

use super::diskstats;

/// Lines between headings.
const HEADING_EVERY: usize = 20;
const HEADING: &str =
    "device   op       IO/s   MiB/s    KiB  off% cross%  mean_ms  p99_ms  depth  await aqu-sz";

/// What lines show.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LineColumns {
    /// What is off its boundaries, and latencies beside those of iostat.
    Alignment,
    /// The columns of pt-diskstats.
    Diskstats,
}

/// Lines of one interval after the other, with headings.
#[derive(Debug)]
pub struct WatchLines {
    columns: LineColumns,
    since_heading: usize,
}

impl WatchLines {
    /// With such columns.
    pub const fn new(columns: LineColumns) -> Self {
        Self {
            columns,
            since_heading: HEADING_EVERY,
        }
    }

    /// An interval of this many seconds; devices at rest are left out.
    pub fn interval(&mut self, devices: &[DeviceFigures], seconds: f64) -> String {
        let seconds = seconds.max(1e-9);
        let mut text = String::new();
        for device in devices.iter().filter(|device| device.ios > 0) {
            match self.columns {
                LineColumns::Alignment => {
                    for op in device.busy_ops() {
                        self.put(&mut text, HEADING, &line(device, op, seconds));
                    }
                }
                LineColumns::Diskstats => {
                    let line = diskstats::line(device, seconds);
                    self.put(&mut text, &diskstats::heading(), &line);
                }
            }
        }
        text
    }

    fn put(&mut self, text: &mut String, heading: &str, line: &str) {
        if self.since_heading >= HEADING_EVERY {
            let _ = writeln!(text, "{heading}");
            self.since_heading = 0;
        }
        self.since_heading += 1;
        let _ = writeln!(text, "{line}");
    }
}

fn line(device: &DeviceFigures, op: &WatchedOp, seconds: f64) -> String {
    let stats = &device.iostat;
    let column = match op.name {
        "read" => Some(&stats.read),
        "write" => Some(&stats.write),
        _ => None,
    };
    let none = || ("-".to_owned(), "-".to_owned());
    let (awaited, queue) = column.map_or_else(none, |column| {
        (
            format!("{:.2}", column.await_ms),
            format!("{:.1}", stats.queue),
        )
    });
    let counted = &op.counted;
    let unit = op.grids.first();
    let share = |part: Option<u64>| ratio(part.unwrap_or(0), counted.ios) * 100.0;
    let latency = counted.latency_us;
    format!(
        "{:<8} {:<5}{:>9.0} {:>7.1} {:>6.1} {:>5.1} {:>6.1} {:>8.3} {:>7.3} {:>6.1} {awaited:>6} {queue:>6}",
        device.name,
        op.name,
        ratio(counted.ios, 1) / seconds,
        ratio(counted.bytes, 1) / seconds / 1_048_576.0,
        ratio(counted.bytes, counted.ios) / 1024.0,
        share(unit.map(|grid| grid.start_off_grid)),
        share(unit.map(|grid| grid.straddling)),
        latency.map_or(0.0, |latency| latency.mean / 1e3),
        latency.map_or(0.0, |latency| latency.p99 / 1e3),
        op.in_flight_s / seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::profile::OpProfile;

    fn device(ios: u64) -> DeviceFigures {
        let op = WatchedOp {
            name: "read",
            counted: OpProfile {
                ios,
                bytes: ios * 4096,
                ..OpProfile::default()
            },
            ..WatchedOp::default()
        };
        DeviceFigures {
            name: "sda".to_owned(),
            ios,
            ops: vec![op],
            ..DeviceFigures::default()
        }
    }

    #[test]
    fn headings_come_again_and_devices_at_rest_do_not() {
        let mut lines = WatchLines::new(LineColumns::Alignment);
        let text: String = (0..21)
            .map(|_| lines.interval(&[device(512), device(0)], 2.0))
            .collect();
        let all: Vec<_> = text.lines().collect();
        assert_eq!(all.len(), 23);
        assert_eq!((all[0], all[21]), (HEADING, HEADING));
        assert!(
            all[1].starts_with("sda      read       256     1.0    4.0"),
            "{}",
            all[1]
        );
    }
}
