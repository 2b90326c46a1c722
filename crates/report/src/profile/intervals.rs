//! Rates over time in the columns of pt-diskstats.

use ioalign_core::profile::{DeviceProfile, Interval, IntervalOp};
use ioalign_core::units::ratio;

use super::heading;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{three, time};

/// Rows, unless everything is wanted.
const ROWS: usize = 40;

pub fn table(page: &mut TextPage, device: &DeviceProfile) {
    let Some(intervals) = &device.intervals else {
        return;
    };
    let width = time(ratio(intervals.interval_us, 1));
    let why = match intervals.interval_us == intervals.asked_us {
        true => String::new(),
        false => " (doubled until all fit)".to_owned(),
    };
    heading(page, &format!("Every {width}{why}"));
    let head = format!(
        "{:>6} {} {} busy prg",
        "s",
        columns("rd_s"),
        columns("wr_s")
    );
    page.line(&[TextSpan::new(Style::Dim, head)]);
    let used = |row: &&Interval| row.read.ios + row.write.ios > 0 || row.in_progress > Some(0);
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        ROWS
    };
    let rows: Vec<_> = intervals.rows.iter().filter(used).collect();
    for row in rows.iter().take(shown) {
        line(page, row);
    }
    let text = match rows.len().saturating_sub(shown) {
        0 => "  intervals without I/O are left out".to_owned(),
        more => format!("  and {more} more with -v; intervals without I/O are left out"),
    };
    page.line(&[TextSpan::new(Style::Dim, text)]);
}

const WIDTHS: [usize; 6] = [5, 5, 5, 3, 3, 4];

fn columns(first: &str) -> String {
    let names = [first, "avkb", "mb_s", "mrg", "cnc", "rt"];
    let padded = names.iter().zip(WIDTHS);
    let padded = padded.map(|(name, width)| format!("{name:>width$}"));
    padded.collect::<Vec<_>>().join(" ")
}

fn line(page: &mut TextPage, row: &Interval) {
    let start = three(ratio(row.start_us, 1_000_000));
    let busy = row
        .busy_ratio
        .map_or_else(|| "-".to_owned(), |busy| format!("{:.0}%", busy * 100.0));
    let flight = row
        .in_progress
        .map_or_else(|| "-".to_owned(), |n| n.to_string());
    let text = format!(
        "{start:>6} {} {} {busy:>4} {flight:>3}",
        op(&row.read),
        op(&row.write)
    );
    page.line(&[TextSpan::plain(text)]);
}

/// Reads or writes: a second, mean KiB, MiB a second, merged, concurrency, response time in ms.
fn op(op: &IntervalOp) -> String {
    let or = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    let cells = [
        short(op.iops),
        or(op.mean_bytes.map(|bytes| bytes / 1024.0)),
        short(op.throughput_bytes_per_s / 1_048_576.0),
        op.merged_ratio
            .map_or_else(|| "-".to_owned(), |part| format!("{:.0}%", part * 100.0)),
        or(op.concurrency),
        or(op.latency_mean_us.map(|us| us / 1000.0)),
    ];
    let padded = cells
        .iter()
        .zip(WIDTHS)
        .map(|(cell, width)| format!("{cell:>width$}"));
    padded.collect::<Vec<_>>().join(" ")
}

/// At most four characters, five for large numbers.
fn short(value: f64) -> String {
    match value {
        v if v < 9.95 => format!("{v:.1}"),
        v if v < 99_999.5 => format!("{v:.0}"),
        v if v < 9_999_500.0 => format!("{:.0}k", v / 1e3),
        v => format!("{:.0}M", v / 1e6),
    }
}
