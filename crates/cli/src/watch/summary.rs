//! The end of a watch: issued, misaligned, mean offset, non-multiples, by size, and how far past the
//! boundary, as the DTrace script `align.d` prints them, for any unit.

use std::io::{self, Write};

use ioalign_core::GridClaim;
use ioalign_core::profile::Latency;
use ioalign_observe::Op;
use ioalign_observe::live::{DeviceTotals, OpCounters, Timeline, WatchTotals, WatchedDevice};

use super::bursts;
use super::host::Part;
use super::numbers::{bar, grouped, printable, share, size, time};

const BAR: usize = 30;
/// Sizes shown; the rest is one line.
const SIZES: usize = 12;

/// The summary at the end.
pub struct Summary<'a> {
    /// The devices.
    pub devices: &'a [WatchedDevice],
    /// What begins on them.
    pub parts: &'a [Part],
    /// All counters.
    pub totals: &'a WatchTotals,
    /// How long it took.
    pub seconds: f64,
    /// Processes shown.
    pub top: usize,
    /// Bursts, where they were counted.
    pub timeline: Option<&'a Timeline>,
}

impl Summary<'_> {
    /// All of it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let all = self.devices.iter().zip(&self.totals.devices).zip(0_usize..);
        let mut busy = all.filter(|((_, totals), _)| totals.ios() > 0).peekable();
        if busy.peek().is_none() {
            writeln!(out, "No I/O in {:.1} s.", self.seconds)?;
        }
        for ((device, totals), slot) in busy {
            self.device(device, totals, slot, out)?;
        }
        self.losses(out)
    }

    fn device(
        &self,
        device: &WatchedDevice,
        totals: &DeviceTotals,
        slot: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let assumed = GridClaim::assumed_block();
        let grid = device.grids.first().unwrap_or(&assumed);
        let unit = grid.size.get();
        let ios = grouped(totals.ios());
        writeln!(
            out,
            "{}: {ios} I/Os in {:.1} s, by units of {}",
            device.name,
            self.seconds,
            size(unit)
        )?;
        issued(totals, grid, out)?;
        shift(totals, slot, self.parts, out)?;
        for (op, counters) in placed(totals) {
            sizes(op, counters, out)?;
            past(op, counters, grid, out)?;
        }
        crossings(device, totals, out)?;
        if let Some(timeline) = self.timeline {
            bursts::write(&timeline.bursts(slot), timeline.unseen(slot, totals), out)?;
        }
        self.owners(slot, unit, out)?;
        writeln!(out)
    }

    fn owners(&self, slot: usize, unit: u64, out: &mut impl Write) -> io::Result<()> {
        let mine = self.totals.owners.iter().filter(|owner| owner.slot == slot);
        let mut mine = mine.take(self.top).peekable();
        if mine.peek().is_some() {
            writeln!(
                out,
                "\n  process               op          I/Os       bytes  misaligned"
            )?;
        }
        for owner in mine {
            let off = off(&owner.starts, unit, owner.ios);
            writeln!(
                out,
                "  {:<21} {:<6} {:>9} {:>11}  {:>10}",
                format!("{} ({})", printable(&owner.name), owner.pid),
                owner.op.name(),
                grouped(owner.ios),
                grouped(owner.bytes >> 10) + " K",
                off.map_or_else(|| "-".to_owned(), |off| share(off, owner.ios)),
            )?;
        }
        Ok(())
    }

    fn losses(&self, out: &mut impl Write) -> io::Result<()> {
        let sum =
            |what: fn(&DeviceTotals) -> u64| self.totals.devices.iter().map(what).sum::<u64>();
        let dropped = self.totals.dropped();
        write!(out, "dropped {}", grouped(dropped))?;
        for (count, what) in [
            (
                sum(DeviceTotals::requeued),
                "given back by the driver and issued again",
            ),
            (sum(DeviceTotals::partial), "completions of a part"),
            (
                sum(DeviceTotals::unmatched),
                "completed that were issued before",
            ),
            (sum(DeviceTotals::untimed), "without latency"),
            (
                sum(DeviceTotals::unfinished),
                "issued whose completion was not seen",
            ),
        ] {
            if count > 0 {
                write!(out, ", {} {what}", grouped(count))?;
            }
        }
        writeln!(out)
    }
}

fn placed(totals: &DeviceTotals) -> impl Iterator<Item = (Op, &OpCounters)> {
    Op::ALL
        .into_iter()
        .zip(&totals.ops)
        .filter(|(_, counters)| counters.ios() > 0)
}

/// Starts off a unit, from the powers of two; `None` for a unit that is none.
fn off(starts: &[u64], unit: u64, ios: u64) -> Option<u64> {
    let power = usize::try_from(unit.trailing_zeros())
        .ok()
        .filter(|_| unit.is_power_of_two())?;
    let on: u64 = starts.iter().skip(power).sum();
    Some(ios.saturating_sub(on))
}

fn issued(totals: &DeviceTotals, unit: &GridClaim, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "  {:<8}{:>10}{:>20}{:>23}{:>17}",
        "", "issued", "misaligned", "mean offset", "not a multiple"
    )?;
    for (op, counters) in placed(totals) {
        let (ios, unit) = (counters.ios(), counters.grid(0, unit));
        let misaligned = format!(
            "{} {:>7}",
            grouped(unit.start_off),
            share(unit.start_off, ios)
        );
        writeln!(
            out,
            "  {:<8}{:>10}{misaligned:>20}{:>23}{:>17}",
            op.name(),
            grouped(ios),
            mean(unit.past, unit.start_off),
            share(unit.length_off, ios),
        )?;
    }
    Ok(())
}

/// In bytes and 512-byte blocks, over those that are misaligned.
#[allow(clippy::cast_precision_loss)] // display values
fn mean(past: u64, ios: u64) -> String {
    if ios == 0 {
        return "-".to_owned();
    }
    let mean = past as f64 / ios as f64;
    format!("{mean:.0} B, {:.1} blocks", mean / 512.0)
}

/// A shift that most I/Os share comes from a partition, and says from which.
fn shift(
    totals: &DeviceTotals,
    slot: usize,
    parts: &[Part],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut sectors = [0_u64; 8];
    for (_, counters) in placed(totals) {
        for (sum, more) in sectors.iter_mut().zip(counters.sectors()) {
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
        return Ok(());
    };
    let guilty = parts
        .iter()
        .find(|part| part.slot == slot && part.start.get() % 4096 == sector * 512);
    let who = guilty.map(|part| {
        format!(
            ": {} begins at sector {}",
            part.name,
            part.start.get() / 512
        )
    });
    let share = share(*count, all);
    writeln!(
        out,
        "  {share} begin at sector {sector} of a 4 KiB block{}",
        who.unwrap_or_default()
    )
}

fn sizes(op: Op, counters: &OpCounters, out: &mut impl Write) -> io::Result<()> {
    let mut all = counters.sizes();
    all.sort_by_key(|size| std::cmp::Reverse(size.ios));
    let rest: u64 = all.iter().skip(SIZES).map(|size| size.ios).sum();
    all.truncate(SIZES);
    all.sort_by_key(|size| size.bytes);
    let most = all.iter().map(|size| size.ios).max().unwrap_or(0);
    writeln!(out, "\n  {} by size", op.name())?;
    for one in all {
        let bar = bar(one.ios, most, BAR);
        writeln!(
            out,
            "  {:>12} {:>12} {:>8} {bar}",
            size(one.bytes),
            grouped(one.ios),
            share(one.ios, counters.ios())
        )?;
    }
    if rest > 0 {
        writeln!(
            out,
            "  {:>12} {:>12} {:>8}",
            "other",
            grouped(rest),
            share(rest, counters.ios())
        )?;
    }
    Ok(())
}

fn past(op: Op, counters: &OpCounters, unit: &GridClaim, out: &mut impl Write) -> io::Result<()> {
    let all = counters.past(unit);
    let most = all.iter().skip(1).copied().max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    writeln!(out, "\n  {} past the unit's boundary by", op.name())?;
    for (count, bits) in all
        .iter()
        .zip(0_u32..)
        .skip(1)
        .filter(|(count, _)| **count > 0)
    {
        let from = 1_u64.checked_shl(bits.saturating_sub(1)).unwrap_or(0);
        let to = 1_u64.checked_shl(bits).map_or(u64::MAX, |to| to - 1);
        let range = format!("{from} to {to} B");
        writeln!(
            out,
            "  {range:>21} {:>10} {}",
            grouped(*count),
            bar(*count, most, BAR)
        )?;
    }
    Ok(())
}

fn crossings(
    device: &WatchedDevice,
    totals: &DeviceTotals,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n  {:<28}{:>9}{:>11}{:>12}{:>15}",
        "boundary", "straddle", "cells", "latency", "straddling"
    )?;
    for (op, counters) in placed(totals) {
        for (n, grid) in device.grids.iter().enumerate() {
            let counted = counters.grid(n, grid);
            let [slow, clean] = counters.latency_split(n);
            let name = format!("{} {} {}", op.name(), size(grid.size.get()), grid.kind);
            writeln!(
                out,
                "  {name:<28}{:>9}{:>11}{:>12}{:>15}",
                share(counted.straddling, counters.ios()),
                more(counted.touched, counted.minimum),
                mean_of(clean.as_ref()),
                mean_of(slow.as_ref()),
            )?;
        }
    }
    Ok(())
}

/// How many cells are touched for each that is needed.
fn more(touched: u64, minimum: u64) -> String {
    match minimum {
        0 => "-".to_owned(),
        _ => format!("x {:.2}", ioalign_core::units::ratio(touched, minimum)),
    }
}

fn mean_of(latency: Option<&Latency>) -> String {
    latency.map_or_else(|| "-".to_owned(), |latency| time(latency.mean))
}

#[cfg(test)]
mod tests {
    use super::off;

    /// Powers of two of some starts, as the program counts them.
    fn starts(sectors: &[u64]) -> Vec<u64> {
        let mut all = vec![0; 64];
        for sector in sectors {
            let power = ((sector * 512) | (1 << 63)).trailing_zeros() as usize;
            if let Some(count) = all.get_mut(power) {
                *count += 1;
            }
        }
        all
    }

    /// The published `align.d` says 8 KiB and tests `blkno % 8`. A block number counts 512 bytes, so 8
    /// of them are 4 KiB: I/O at sector 8 is in the middle of an 8 KiB block, and the script calls it
    /// aligned. 8 KiB are 16 sectors.
    #[test]
    fn the_published_script_tests_4_kib_where_it_says_8() {
        let sectors = [0, 8, 16, 24, 63];
        let script = sectors.iter().filter(|blkno| *blkno % 8 != 0).count() as u64;
        let right = sectors.iter().filter(|blkno| *blkno % 16 != 0).count() as u64;
        assert_eq!((script, right), (1, 3));
        let starts = starts(&sectors);
        assert_eq!(off(&starts, 8192, 5), Some(right));
        assert_eq!(off(&starts, 4096, 5), Some(script));
        // Not a power of two: the grid's own counters tell.
        assert_eq!(off(&starts, 192 << 10, 5), None);
    }
}
