//! Line mode: like `iostat -x`, a line a device and operation, with latencies from the events beside
//! what iostat makes of the kernel's sums.

use std::io::{self, Write};
use std::time::Duration;

use ioalign_observe::Op;
use ioalign_observe::live::{OpCounters, WatchedDevice};

use super::diskstats;
use super::numbers::percent;
use super::tick::{Tick, column};
use crate::args::Columns;

/// Lines between headings.
const HEADING_EVERY: usize = 20;
const HEADING: &str =
    "device   op       IO/s    MB/s    KiB  off% cross%  mean_ms  p99_ms  depth  await aqu-sz";

/// Writes intervals.
pub struct Lines {
    columns: Columns,
    since_heading: Option<usize>,
}

impl Lines {
    /// With such columns.
    pub const fn new(columns: Columns) -> Self {
        Self {
            columns,
            since_heading: None,
        }
    }

    /// One interval; devices at rest are left out.
    pub fn write(&mut self, tick: &Tick, out: &mut impl Write) -> io::Result<()> {
        match self.columns {
            Columns::Alignment => self.alignment(tick, out)?,
            Columns::Diskstats => {
                for (device, totals) in tick.busy() {
                    self.heading(&diskstats::heading(), out)?;
                    writeln!(out, "{}", diskstats::line(tick, device, totals))?;
                }
            }
        }
        out.flush()
    }

    fn alignment(&mut self, tick: &Tick, out: &mut impl Write) -> io::Result<()> {
        for (device, totals) in tick.busy() {
            for (op, counters) in Op::ALL.iter().zip(&totals.ops) {
                if counters.ios() == 0 {
                    continue;
                }
                self.heading(HEADING, out)?;
                let stats = tick.iostat(&device.name);
                let (awaited, queue) = match column(&stats, *op) {
                    Some(column) => (
                        format!("{:.2}", column.await_ms),
                        format!("{:.1}", stats.queue),
                    ),
                    None => ("-".to_owned(), "-".to_owned()),
                };
                let figures = figures(counters, device, tick.duration);
                writeln!(
                    out,
                    "{:<8} {:<5}{figures} {awaited:>6} {queue:>6}",
                    device.name,
                    op.name()
                )?;
            }
        }
        Ok(())
    }

    fn heading(&mut self, heading: &str, out: &mut impl Write) -> io::Result<()> {
        let due = self
            .since_heading
            .is_none_or(|lines| lines >= HEADING_EVERY);
        self.since_heading = Some(if due {
            1
        } else {
            self.since_heading.unwrap_or(0) + 1
        });
        if due {
            writeln!(out, "{heading}")?;
        }
        Ok(())
    }
}

/// I/Os in flight, on average: the time that all of them took, by the time that passed.
#[allow(clippy::cast_precision_loss)] // display values
pub fn in_flight(counters: &OpCounters, duration: Duration) -> f64 {
    counters.time() as f64 / 1e9 / duration.as_secs_f64().max(1e-9)
}

#[allow(clippy::cast_precision_loss)] // display values
fn figures(counters: &OpCounters, device: &WatchedDevice, duration: Duration) -> String {
    let seconds = duration.as_secs_f64().max(1e-9);
    let (ios, bytes) = (counters.ios() as f64, counters.bytes() as f64);
    let unit = device
        .grids
        .first()
        .map(|unit| counters.grid(0, unit))
        .unwrap_or_default();
    let (mean, p99) = counters
        .latency()
        .map_or((0.0, 0.0), |l| (l.mean / 1e3, l.p99 / 1e3));
    format!(
        "{:>9.0} {:>7.1} {:>6.1} {:>5.1} {:>6.1} {mean:>8.3} {p99:>7.3} {:>6.1}",
        ios / seconds,
        bytes / seconds / 1e6,
        bytes / 1024.0 / ios,
        percent(unit.start_off, counters.ios()),
        percent(unit.straddling, counters.ios()),
        in_flight(counters, duration),
    )
}
