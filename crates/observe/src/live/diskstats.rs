//! `/proc/diskstats`, and what iostat makes of two readings of it.

use std::collections::BTreeMap;
use std::time::Duration;

use ioalign_core::watch_document::{Iostat, IostatColumn};

/// The counters of one device that are used here (`Documentation/admin-guide/iostats.rst`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    number: (u32, u32),
    reads: u64,
    read_merges: u64,
    read_sectors: u64,
    read_ms: u64,
    writes: u64,
    write_merges: u64,
    write_sectors: u64,
    write_ms: u64,
    in_flight: u64,
    busy_ms: u64,
    weighted_ms: u64,
}

/// All devices, by name.
pub type Disks = BTreeMap<String, DiskCounters>;

/// As it is now; empty where it cannot be read.
pub fn read() -> Disks {
    parse(&std::fs::read_to_string("/proc/diskstats").unwrap_or_default())
}

fn parse(text: &str) -> Disks {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<(String, DiskCounters)> {
    let mut words = line.split_whitespace();
    let number = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let name = words.next()?.to_owned();
    let mut next = || words.next()?.parse::<u64>().ok();
    let disk = DiskCounters {
        number,
        reads: next()?,
        read_merges: next()?,
        read_sectors: next()?,
        read_ms: next()?,
        writes: next()?,
        write_merges: next()?,
        write_sectors: next()?,
        write_ms: next()?,
        in_flight: next()?,
        busy_ms: next()?,
        weighted_ms: next()?,
    };
    Some((name, disk))
}

impl DiskCounters {
    /// Driver and device.
    pub const fn number(&self) -> (u32, u32) {
        self.number
    }

    /// The numbers of iostat for the time from `earlier` to this.
    pub fn since(&self, earlier: &Self, duration: Duration) -> Iostat {
        let seconds = duration.as_secs_f64().max(1e-9);
        let less = |now: u64, then: u64| approximate(now.saturating_sub(then));
        let column = |ios, merges, sectors, ms| IostatColumn {
            ios: ios / seconds,
            megabytes: sectors * 512.0 / 1e6 / seconds,
            merges: merges / seconds,
            await_ms: if ios > 0.0 { ms / ios } else { 0.0 },
            size_kib: if ios > 0.0 { sectors / 2.0 / ios } else { 0.0 },
        };
        Iostat {
            read: column(
                less(self.reads, earlier.reads),
                less(self.read_merges, earlier.read_merges),
                less(self.read_sectors, earlier.read_sectors),
                less(self.read_ms, earlier.read_ms),
            ),
            write: column(
                less(self.writes, earlier.writes),
                less(self.write_merges, earlier.write_merges),
                less(self.write_sectors, earlier.write_sectors),
                less(self.write_ms, earlier.write_ms),
            ),
            queue: less(self.weighted_ms, earlier.weighted_ms) / 1000.0 / seconds,
            busy: (less(self.busy_ms, earlier.busy_ms) / 1000.0 / seconds).min(1.0),
            in_flight: self.in_flight,
        }
    }
}

#[allow(clippy::cast_precision_loss)] // display values
const fn approximate(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_iostat() {
        let before =
            "   8       0 sda 100 5 8000 50 10 0 80 20 0 60 70 0 0 0 0 0 0\n   8 1 sda1 1\n";
        let after = "   8       0 sda 300 5 24000 450 20 0 160 120 3 560 570 0 0 0 0 0 0\n";
        let (before, after) = (parse(before), parse(after));
        assert_eq!((before.len(), after["sda"].number()), (1, (8, 0)));
        let shown = after["sda"].since(&before["sda"], Duration::from_secs(2));
        assert!((shown.read.ios - 100.0).abs() < 1e-9);
        assert!((shown.read.await_ms - 2.0).abs() < 1e-9);
        assert!((shown.write.await_ms - 10.0).abs() < 1e-9);
        assert!((shown.read.size_kib - 40.0).abs() < 1e-9);
        assert!((shown.queue - 0.25).abs() < 1e-9 && (shown.busy - 0.25).abs() < 1e-9);
        assert_eq!(shown.in_flight, 3);
    }
}
