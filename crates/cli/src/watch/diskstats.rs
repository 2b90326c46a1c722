//! Line mode in the columns of pt-diskstats. Rates, sizes, concurrency and response times come from the
//! events; merges, busy time and what is in flight are the kernel's own sums, as in pt-diskstats.

use std::time::Duration;

use ioalign_observe::Op;
use ioalign_observe::live::diskstats::IostatColumn;
use ioalign_observe::live::{DeviceTotals, OpCounters, WatchedDevice};

use super::line::in_flight;
use super::tick::Tick;

/// Names of the columns of one direction, and how wide they are.
const COLUMNS: [(&str, usize); 6] = [
    ("s", 8),
    ("avkb", 7),
    ("mb_s", 7),
    ("mrg", 6),
    ("cnc", 6),
    ("rt", 7),
];

/// The heading of the lines.
pub fn heading() -> String {
    let names = |op: &str| {
        let padded = COLUMNS.map(|(name, width)| format!(" {:>width$}", format!("{op}_{name}")));
        padded.concat()
    };
    format!("{:<8}{}{} busy in_prg", "device", names("rd"), names("wr"))
}

/// A device in an interval.
pub fn line(tick: &Tick, device: &WatchedDevice, totals: &DeviceTotals) -> String {
    let stats = tick.iostat(&device.name);
    let of = |op: Op, column: &IostatColumn| {
        let counters = totals.ops.get(op as usize);
        counters.map_or_else(String::new, |counters| {
            direction(counters, column, tick.duration)
        })
    };
    format!(
        "{:<8}{}{} {:>3.0}% {:>6}",
        device.name,
        of(Op::Read, &stats.read),
        of(Op::Write, &stats.write),
        stats.busy * 100.0,
        stats.in_flight,
    )
}

/// A second, mean KiB, MiB a second, share merged, in flight, response time in ms.
#[allow(clippy::cast_precision_loss)] // display values
fn direction(counters: &OpCounters, column: &IostatColumn, duration: Duration) -> String {
    let seconds = duration.as_secs_f64().max(1e-9);
    let (ios, bytes) = (counters.ios() as f64, counters.bytes() as f64);
    let asked = column.ios + column.merges;
    let merged = if asked > 0.0 {
        column.merges / asked * 100.0
    } else {
        0.0
    };
    let response = counters.latency().map_or(0.0, |latency| latency.mean / 1e3);
    format!(
        " {:>8.1} {:>7.1} {:>7.1} {merged:>5.0}% {:>6.1} {response:>7.3}",
        ios / seconds,
        if ios > 0.0 { bytes / 1024.0 / ios } else { 0.0 },
        bytes / 1_048_576.0 / seconds,
        in_flight(counters, duration),
    )
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn the_columns_are_those_of_pt_diskstats() {
        let names: Vec<_> = heading().split_whitespace().map(str::to_owned).collect();
        let wanted = "device rd_s rd_avkb rd_mb_s rd_mrg rd_cnc rd_rt wr_s wr_avkb wr_mb_s wr_mrg wr_cnc wr_rt \
                      busy in_prg";
        assert_eq!(names, wanted.split_whitespace().collect::<Vec<_>>());
    }
}
