//! Each operation on each grid: what is off, what straddles, and what that costs.

use ioalign_core::Bytes;
use ioalign_core::profile::{DeviceProfile, GridProfile, LatencyRatio};
use ioalign_core::units::ratio;

use super::heading;
use super::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::discards::discards as words;
use crate::words::kinds;
use crate::words::numbers::{percent, share, three, time, times};
use crate::words::rmw::{misleading_await, overwrites};

/// Comparisons that are listed, unless everything is wanted.
const LATENCIES: usize = 4;
/// A difference of less is none.
const SAME: f64 = 0.05;
/// Grids that are listed, unless everything is wanted.
const ROWS: usize = 16;

/// `4 KiB physical block of sda`: a layer's id begins with its kind.
fn name(grid: &GridProfile) -> String {
    let phase = match grid.phase_bytes {
        0 => String::new(),
        phase => format!(" at {}", Bytes::new(phase)),
    };
    let layer = grid.layer.as_ref();
    let of = layer.map(|id| {
        format!(
            " of {}",
            id.split_once(':').map_or(id.as_str(), |(_, name)| name)
        )
    });
    let size = Bytes::new(grid.size_bytes);
    format!(
        "{size}{phase} {}{}",
        kinds::cell(&grid.kind),
        of.unwrap_or_default()
    )
}

pub fn table(page: &mut TextPage, device: &DeviceProfile) {
    let head = ["grid", "", "start off", "length off", "straddle", "cells"];
    let mut table = TextTable::new(2, &head);
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        ROWS
    };
    let judged: Vec<_> = match page.options().verbose() {
        true => device.grids.iter().map(|grid| (grid.clone(), 1)).collect(),
        false => alike(&device.grids),
    };
    let judged = judged.iter().filter(|(grid, _)| grid.pieces > 0);
    let count = judged.clone().count();
    for (grid, layers) in judged.take(shown) {
        table.row(style(grid), row(grid, *layers));
    }
    if table.is_empty() {
        return;
    }
    heading(page, "On grids");
    table.put(page);
    if count > shown {
        let text = format!("  and {} more with -v", count - shown);
        page.line(&[TextSpan::new(Style::Dim, text)]);
    }
}

fn style(grid: &GridProfile) -> Style {
    let off = ratio(grid.straddling.max(grid.start_off_grid), grid.pieces.max(1));
    match (grid.tier.as_str(), off > 0.1) {
        (_, false) => Style::Plain,
        ("preference", true) => Style::Warn,
        (_, true) => Style::Bad,
    }
}

/// The members of an array have the same grids: one row for all, with the number of layers.
fn alike(grids: &[GridProfile]) -> Vec<(GridProfile, usize)> {
    let kind = |grid: &GridProfile| {
        let layer = grid.layer.as_ref()?;
        Some(layer.split_once(':')?.0.to_owned())
    };
    let mut all: Vec<(GridProfile, usize)> = Vec::new();
    for grid in grids {
        let same = |other: &GridProfile| {
            (&other.op, &other.kind, &other.tier) == (&grid.op, &grid.kind, &grid.tier)
                && (other.size_bytes, other.phase_bytes) == (grid.size_bytes, grid.phase_bytes)
                && kind(other).is_some_and(|one| Some(one) == kind(grid))
        };
        match all.iter_mut().find(|(other, _)| same(other)) {
            Some((sum, layers)) => {
                sum.pieces += grid.pieces;
                sum.start_off_grid += grid.start_off_grid;
                sum.length_not_multiple += grid.length_not_multiple;
                sum.straddling += grid.straddling;
                sum.cells_touched += grid.cells_touched;
                sum.cells_minimum += grid.cells_minimum;
                *layers += 1;
            }
            None => all.push((grid.clone(), 1)),
        }
    }
    all
}

fn row(grid: &GridProfile, layers: usize) -> Vec<String> {
    let more = match layers {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let of = |part| share(part, grid.pieces);
    let cells = match grid.cells_minimum {
        0 => "-".to_owned(),
        least => times(ratio(grid.cells_touched, least)),
    };
    vec![
        name(grid) + &more,
        grid.op.clone(),
        of(grid.start_off_grid),
        of(grid.length_not_multiple),
        of(grid.straddling),
        cells,
    ]
}

/// Straddling against clean I/O.
pub fn latency(page: &mut TextPage, device: &DeviceProfile) {
    let split = device
        .grids
        .iter()
        .filter_map(|grid| Some((grid, grid.latency_ratio.as_ref()?)));
    let mut split: Vec<_> = split
        .filter(|(_, ratio)| ratio.straddling_ios > 0)
        .collect();
    if !page.options().verbose() {
        split.sort_by_key(|(_, ratio)| std::cmp::Reverse(ratio.straddling_ios));
        split.truncate(LATENCIES);
    }
    if split.is_empty() {
        return;
    }
    heading(page, "Latency of straddling I/O");
    for (grid, found) in split {
        let style = match found.verdict.as_str() {
            "slower" => Style::Bad,
            _ => Style::Plain,
        };
        let text = format!(
            "{}s across a {}: {}",
            grid.op,
            name(grid),
            sentence(grid, found)
        );
        page.put("  ", "  ", 2, &[TextSpan::new(style, text)]);
    }
}

fn sentence(grid: &GridProfile, found: &LatencyRatio) -> String {
    let medians = grid.straddling_latency_us.zip(grid.clean_latency_us);
    let medians = medians.map_or_else(String::new, |(slow, clean)| {
        format!(
            " (median {}, of all others {})",
            time(slow.p50),
            time(clean.p50)
        )
    });
    let interval = found.ratio.zip(found.ratio_low.zip(found.ratio_high));
    match interval {
        // Known well enough, and no cost: a factor in three digits would show nothing.
        Some((_, (low, high)))
            if found.verdict == "undecided" && low > 1.0 - SAME && high < 1.0 + SAME =>
        {
            format!(
                "no difference of {} or more: {} to {} at 95 %{medians}",
                percent(SAME),
                difference(low),
                difference(high)
            )
        }
        Some((factor, (low, high))) => format!(
            "{}: {}× that of clean ones of their size, 95 % interval {}× to {}×{medians}",
            found.verdict,
            three(factor),
            three(low),
            three(high)
        ),
        None => format!("undecided, too few of both kinds and of one size{medians}"),
    }
}

/// `+0.12 %`.
fn difference(factor: f64) -> String {
    format!("{:+.2} %", (factor - 1.0) * 100.0)
}

/// What the device can free of its discards, where that was counted.
pub fn discards(page: &mut TextPage, device: &DeviceProfile) {
    if let Some(found) = &device.discards {
        heading(page, "Discards");
        let text = format!("{}.", words(found));
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Plain, text)]);
    }
}

/// Read-modify-write, where it shows.
pub fn read_before_write(page: &mut TextPage, device: &DeviceProfile) {
    let found = device
        .grids
        .iter()
        .filter_map(|grid| Some((grid, grid.read_before_write?)));
    let seen: Vec<_> = found
        .filter(|(_, one)| one.seen || page.options().verbose())
        .collect();
    let above = device.read_before_overwrite.filter(|above| above.seen);
    if seen.is_empty() && above.is_none() {
        return;
    }
    heading(page, "Read-modify-write");
    if let Some(above) = above {
        let text = format!("seen, by a layer above: {}.", overwrites(&above));
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Bad, text)]);
    }
    let named = above.is_some() || seen.iter().any(|(_, one)| one.seen);
    for (grid, one) in seen {
        let verdict = if one.seen { "seen" } else { "not seen" };
        let text = format!(
            "{verdict} on {}: {} of the writes that cover a cell in part come within {} after a small read \
             of that cell, {} of the writes of whole cells.",
            name(grid),
            share(one.partial_after_read, one.partial_writes),
            time(ratio(one.within_us, 1)),
            share(one.whole_after_read, one.whole_writes)
        );
        let style = if one.seen { Style::Bad } else { Style::Plain };
        page.put("  ", "  ", 2, &[TextSpan::new(style, text)]);
    }
    if named && let Some(text) = awaits(device) {
        page.put("  ", "  ", 2, &[TextSpan::plain(text)]);
    }
}

/// What iostat's columns leave out: the read that a write waits for is another I/O there.
fn awaits(device: &DeviceProfile) -> Option<String> {
    let mean = |op: &str| Some(device.by_op.get(op)?.latency_us?.mean);
    let (read, write) = (mean("read")?, mean("write")?);
    Some(misleading_await(read, write))
}
