//! The end of a watch: issued, misaligned, mean offset, non-multiples, by size, and how far past the
//! boundary, as the DTrace script `align.d` prints them, for any unit.

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::profile::Latency;
use ioalign_core::units::ratio;
use ioalign_core::watch_document::{DeviceFigures, WatchLosses, WatchSummary, WatchedOp};

use super::{SIGN, awaits, boundary, bursts, files, groups, share_off};
use crate::words::clean;
use crate::words::discards::discards;
use crate::words::numbers::{bar, share, thousands, time, times};

const BAR: usize = 30;
/// Sizes shown; the rest is one line.
const SIZES: usize = 12;

/// What is said at the end.
pub fn render(summary: &WatchSummary) -> String {
    let mut page = String::new();
    if !summary.only.is_empty() {
        let whose = clean(&summary.only.join("; "));
        let _ = writeln!(page, "only the I/O of: {whose}");
    }
    if summary.devices.is_empty() {
        let _ = writeln!(page, "No I/O in {}.", time(summary.seconds * 1e6));
    }
    for one in &summary.devices {
        device(&mut page, one, summary.seconds);
    }
    losses(&mut page, &summary.losses);
    page
}

fn device(page: &mut String, device: &DeviceFigures, seconds: f64) {
    let _ = writeln!(
        page,
        "{}: {} I/Os in {}, by units of {}",
        device.name,
        thousands(device.ios),
        time(seconds * 1e6),
        Bytes::new(device.unit_bytes)
    );
    issued(page, device);
    shift(page, device);
    for op in device.busy_ops() {
        sizes(page, op);
        past(page, op);
    }
    crossings(page, device);
    awaits::put(page, device);
    if let Some(found) = &device.discards {
        page.push('\n');
        awaits::paragraph(page, &format!("{}.", discards(found)));
    }
    if let Some(all) = &device.bursts {
        bursts::put(page, all);
    }
    processes(page, device);
    groups::put(page, device);
    files::put(page, device);
    page.push('\n');
}

fn issued(page: &mut String, device: &DeviceFigures) {
    let _ = writeln!(
        page,
        "  {:<8}{:>10}{:>20}{:>23}{:>17}",
        "", "issued", "misaligned", "mean offset", "not a multiple"
    );
    for op in device.busy_ops() {
        let ios = op.counted.ios;
        let unit = op.grids.first();
        let off = unit.map_or(0, |unit| unit.start_off_grid);
        let length_off = unit.map_or(0, |unit| unit.length_not_multiple);
        let misaligned = format!("{} {:>7}", thousands(off), share(off, ios));
        let _ = writeln!(
            page,
            "  {:<8}{:>10}{misaligned:>20}{:>23}{:>17}",
            op.name,
            thousands(ios),
            mean(op.past_bytes, off),
            share(length_off, ios),
        );
    }
}

/// In bytes and 512-byte sectors, over those that are misaligned.
fn mean(past: u64, ios: u64) -> String {
    if ios == 0 {
        return "-".to_owned();
    }
    let mean = ratio(past, ios);
    format!("{mean:.0} B, {:.1} sectors", mean / 512.0)
}

/// A shift that most I/Os share comes from a partition, and says from which.
fn shift(page: &mut String, device: &DeviceFigures) {
    let mut sectors = [0_u64; 8];
    for op in device.busy_ops() {
        for (sum, more) in sectors.iter_mut().zip(op.counted.start_mod_4096) {
            *sum += more;
        }
    }
    let all: u64 = sectors.iter().sum();
    let most = sectors
        .iter()
        .zip(0_u64..)
        .skip(1)
        .max_by_key(|(count, _)| **count);
    let Some((count, sector)) = most.filter(|(count, _)| **count * 2 > all) else {
        return;
    };
    let mut parts = device.parts.iter();
    let guilty = parts.find(|part| part.start.get() % 4096 == sector * 512);
    let who = guilty.map(|part| {
        let first = part.start.get() / 512;
        format!(": {} begins at sector {first}", part.name)
    });
    let _ = writeln!(
        page,
        "  {} begin at sector {sector} of a 4 KiB block{}",
        share(*count, all),
        who.unwrap_or_default()
    );
}

fn sizes(page: &mut String, op: &WatchedOp) {
    let ios = op.counted.ios;
    let mut all = op.counted.size_histogram.clone();
    all.sort_by_key(|size| std::cmp::Reverse(size.ios));
    let rest: u64 = all.iter().skip(SIZES).map(|size| size.ios).sum();
    all.truncate(SIZES);
    all.sort_by_key(|size| size.bytes);
    let most = all.iter().map(|size| size.ios).max().unwrap_or(0);
    let _ = writeln!(page, "\n  {} by size", op.name);
    let mut row = |name: &str, count: u64, bar: &str| {
        let (number, part) = (thousands(count), share(count, ios));
        let line = format!("  {name:>12} {number:>12} {part:>8} {bar}");
        let _ = writeln!(page, "{}", line.trim_end());
    };
    for one in all {
        let size = Bytes::new(one.bytes).to_string();
        row(&size, one.ios, &bar(one.ios, most, BAR, SIGN));
    }
    if rest > 0 {
        row("other", rest, "");
    }
}

fn past(page: &mut String, op: &WatchedOp) {
    let all = &op.past_pow2;
    let most = all.iter().skip(1).copied().max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let _ = writeln!(page, "\n  {} past the unit's boundary by", op.name);
    let rows = all.iter().zip(0_u32..).skip(1);
    for (count, bits) in rows.filter(|(count, _)| **count > 0) {
        let from = 1_u64.checked_shl(bits.saturating_sub(1)).unwrap_or(0);
        let to = 1_u64.checked_shl(bits).map_or(u64::MAX, |to| to - 1);
        let range = format!("{from} to {to} B");
        let _ = writeln!(
            page,
            "  {range:>21} {:>10} {}",
            thousands(*count),
            bar(*count, most, BAR, SIGN)
        );
    }
}

fn crossings(page: &mut String, device: &DeviceFigures) {
    let _ = writeln!(
        page,
        "\n  {:<28}{:>9}{:>11}{:>12}{:>15}",
        "boundary", "straddle", "cells", "latency", "straddling"
    );
    for op in device.busy_ops() {
        for grid in &op.grids {
            let cells = match grid.cells_minimum {
                0 => "-".to_owned(),
                least => times(ratio(grid.cells_touched, least)),
            };
            let _ = writeln!(
                page,
                "  {:<28}{:>9}{cells:>11}{:>12}{:>15}",
                format!("{} {}", op.name, boundary(grid)),
                share(grid.straddling, op.counted.ios),
                mean_of(grid.clean_latency_us.as_ref()),
                mean_of(grid.straddling_latency_us.as_ref()),
            );
        }
    }
}

fn mean_of(latency: Option<&Latency>) -> String {
    latency.map_or_else(|| "-".to_owned(), |latency| time(latency.mean))
}

fn processes(page: &mut String, device: &DeviceFigures) {
    if !device.processes.is_empty() {
        page.push_str("\n  process               op          I/Os       bytes  misaligned\n");
    }
    for process in &device.processes {
        let _ = writeln!(
            page,
            "  {:<21} {:<6} {:>9} {:>11}  {:>10}",
            format!("{} ({})", clean(&process.name), process.pid),
            process.op,
            thousands(process.ios),
            thousands(process.bytes >> 10) + " K",
            share_off(
                &process.start_pow2_histogram,
                device.unit_bytes,
                process.ios
            ),
        );
    }
}

fn losses(page: &mut String, losses: &WatchLosses) {
    let _ = write!(page, "dropped {}", thousands(losses.dropped));
    for (count, what) in [
        (losses.requeued, "given back by the driver and issued again"),
        (losses.partial, "completions of a part"),
        (losses.unmatched, "completed that were issued before"),
        (losses.untimed, "without latency"),
        (losses.unfinished, "issued whose completion was not seen"),
        (
            losses.mixed,
            "merged from these files and others, and left out",
        ),
    ] {
        if count > 0 {
            let _ = write!(page, ", {} {what}", thousands(count));
        }
    }
    page.push('\n');
}
