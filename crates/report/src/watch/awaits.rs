//! iostat's latencies beside those of the events, and which of them misleads.

use std::fmt::Write;

use ioalign_core::watch_document::{DeviceFigures, IostatColumn, WatchedOp};

use crate::text::wrap::plain;
use crate::words::numbers::time;
use crate::words::rmw::{misleading_await, overwrites};

/// How far they may be apart, and by how many microseconds, before one of them misleads.
const APART: f64 = 1.1;
const LEAST: f64 = 10.0;
/// Columns of the summary.
const WIDTH: usize = 78;

/// For the summary.
pub fn put(page: &mut String, device: &DeviceFigures) {
    let columns = [&device.iostat.read, &device.iostat.write];
    let all: Vec<_> = device.ops.iter().zip(columns).filter_map(row).collect();
    if all.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "\n  {:<14}{:>12}{:>22}",
        "", "iostat", "issue to completion"
    );
    for row in &all {
        let _ = writeln!(
            page,
            "  {:<14}{:>12}{:>22}",
            row.name,
            time(row.await_us),
            time(row.latency_us)
        );
    }
    let above = device.read_before_overwrite.filter(|found| found.seen);
    if let Some(found) = &above {
        let text = format!("Read-modify-write by a layer above: {}.", overwrites(found));
        paragraph(page, &text);
    }
    let text = match (above, all.as_slice()) {
        (Some(_), [read, write]) => misleading_await(read.latency_us, write.latency_us),
        (_, rows) => apart(rows),
    };
    paragraph(page, &text);
}

struct AwaitRow {
    name: &'static str,
    await_us: f64,
    latency_us: f64,
}

fn row((op, column): (&WatchedOp, &IostatColumn)) -> Option<AwaitRow> {
    Some(AwaitRow {
        name: if op.name == "read" {
            "r_await"
        } else {
            "w_await"
        },
        await_us: column.await_ms * 1000.0,
        latency_us: op.counted.latency_us.filter(|_| column.ios > 0.0)?.mean,
    })
}

/// Without read-modify-write: what lies between both is the queue.
fn apart(rows: &[AwaitRow]) -> String {
    let off = |row: &&AwaitRow| {
        row.await_us > row.latency_us * APART && row.await_us - row.latency_us > LEAST
    };
    let names: Vec<_> = rows.iter().filter(off).map(|row| row.name).collect();
    if names.is_empty() {
        return "Neither misleads: both are the time that the device takes.".to_owned();
    }
    let verb = if names.len() == 1 {
        "misleads"
    } else {
        "mislead"
    };
    format!(
        "{} {verb} about the device: iostat counts from the creation of a request, its wait in the queue included.",
        names.join(" and ")
    )
}

/// Text of the summary, indented.
pub(super) fn paragraph(page: &mut String, text: &str) {
    for line in plain(text, [WIDTH - 2; 2]) {
        let _ = writeln!(page, "  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::profile::{Latency, OpProfile, ReadBeforeOverwrite};

    fn device(await_ms: f64, latency_us: f64, seen: bool) -> String {
        let op = |name| WatchedOp {
            name,
            counted: OpProfile {
                latency_us: Some(Latency {
                    mean: latency_us,
                    ..Latency::default()
                }),
                ..OpProfile::default()
            },
            ..WatchedOp::default()
        };
        let column = IostatColumn {
            ios: 1.0,
            await_ms,
            ..IostatColumn::default()
        };
        let mut device = DeviceFigures {
            ops: vec![op("read"), op("write")],
            read_before_overwrite: Some(ReadBeforeOverwrite {
                seen,
                small_reads: 600,
                ..ReadBeforeOverwrite::default()
            }),
            ..DeviceFigures::default()
        };
        (device.iostat.read, device.iostat.write) = (column, column);
        let mut page = String::new();
        put(&mut page, &device);
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_sentence_says_which_misleads() {
        assert!(device(0.2, 200.0, false).contains("Neither misleads"));
        assert!(device(3.0, 200.0, false).contains("r_await and w_await mislead about the device"));
        let seen = device(0.2, 200.0, true);
        assert!(
            seen.contains("600 small reads") && seen.contains("w_await misleads here"),
            "{seen}"
        );
    }
}
