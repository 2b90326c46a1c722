//! Lines in the columns of pt-diskstats. Rates, sizes, concurrency and response times come from the
//! events; merges, busy time and what is in flight are the kernel's own sums, as in pt-diskstats.

use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, IostatColumn, WatchedOp};

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
pub fn line(device: &DeviceFigures, seconds: f64) -> String {
    let stats = &device.iostat;
    let mut ops = [&stats.read, &stats.write].into_iter().zip(&device.ops);
    let mut next = || {
        let of = |(column, op)| direction(op, column, seconds);
        ops.next().map_or_else(String::new, of)
    };
    format!(
        "{:<8}{}{} {:>3.0}% {:>6}",
        device.name,
        next(),
        next(),
        stats.busy * 100.0,
        stats.in_flight,
    )
}

/// A second, mean KiB, MiB a second, share merged, in flight, response time in ms.
fn direction(op: &WatchedOp, column: &IostatColumn, seconds: f64) -> String {
    let counted = &op.counted;
    let bytes = ratio(counted.bytes, 1);
    let asked = column.ios + column.merges;
    let merged = if asked > 0.0 {
        column.merges / asked * 100.0
    } else {
        0.0
    };
    let response = counted.latency_us.map_or(0.0, |latency| latency.mean / 1e3);
    format!(
        " {:>8.1} {:>7.1} {:>7.1} {merged:>5.0}% {:>6.1} {response:>7.3}",
        ratio(counted.ios, 1) / seconds,
        ratio(counted.bytes, counted.ios) / 1024.0,
        bytes / 1_048_576.0 / seconds,
        op.in_flight_s / seconds,
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
