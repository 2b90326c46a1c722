//! How it stands, on standard error: how long it takes at most, a row a cell, and a line that says how long is left.

use std::cell::Cell as Held;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ioalign_core::comparison::{Cell, Comparison, Estimate, Metric};
use ioalign_core::numbers;
use ioalign_measure::experiment::{ExperimentPart, ExperimentSnapshot};
use ioalign_report::comparison::{heading, row, words};

use crate::say::note;

/// The table in the making; nothing where standard error is no terminal.
pub struct Live {
    bar: ProgressBar,
    begun: Instant,
    /// When the cell began that is measured now.
    since: Held<Instant>,
    done: Held<u32>,
    cells: u32,
    /// The most that a cell takes, its ramp included.
    of_a_cell: Duration,
}

impl Live {
    /// For this many cells, each of which takes `of_a_cell` at most; prints the total limit.
    pub fn new(comparison: &Comparison, cells: usize, of_a_cell: Duration, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(cells as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:12} {pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        let cells = u32::try_from(cells).unwrap_or(u32::MAX);
        if !quiet {
            note(at_most(cells, of_a_cell));
        }
        if cells > 1 {
            bar.println(heading(comparison));
        }
        Self {
            bar,
            begun: Instant::now(),
            since: Held::new(Instant::now()),
            done: Held::new(0),
            cells,
            of_a_cell,
        }
    }

    /// The next cell, which may begin with a ramp.
    pub fn begin(&self, cell: &Cell) {
        self.since.set(Instant::now());
        self.bar.set_prefix(words::short_cell(cell));
        let left = span(self.of_a_cell + self.of_later_cells(self.of_a_cell));
        let name = self.bar.prefix();
        self.bar
            .set_message(format!("at most {left} left, {name}: starting"));
    }

    /// Load that does not count yet, for this much longer.
    pub fn ramp(&self, left: Duration) {
        let all = self.of_a_cell + self.of_later_cells(self.of_a_cell);
        let gone = self.since.get().elapsed();
        self.bar.set_message(format!(
            "at most {} left, {}, {} of ramp",
            span(all.saturating_sub(gone)),
            self.bar.prefix(),
            span(left),
        ));
    }

    /// The cell as it is now.
    pub fn show(&self, snapshot: &ExperimentSnapshot) {
        let part = match snapshot.part {
            ExperimentPart::Latency => "latency",
            ExperimentPart::Saturation => "throughput",
        };
        let stated = farthest(&snapshot.estimates).map_or_else(String::new, |one| {
            format!(
                " {} {}",
                one.arm,
                words::interval(one.ratio_low, one.ratio_high)
            )
        });
        self.bar.set_message(format!(
            "{} left, {}, {part}{stated}",
            span(self.left(snapshot)),
            self.bar.prefix(),
        ));
    }

    /// This cell's own estimate, and for the others what those before took.
    fn left(&self, snapshot: &ExperimentSnapshot) -> Duration {
        let done = self.done.get();
        let mean = if done == 0 {
            self.begun.elapsed() + snapshot.eta
        } else {
            self.begun.elapsed().saturating_sub(snapshot.elapsed) / done
        };
        snapshot.eta + self.of_later_cells(mean)
    }

    fn of_later_cells(&self, each: Duration) -> Duration {
        each.saturating_mul(self.cells.saturating_sub(self.done.get() + 1))
    }

    /// A cell that is done joins the table.
    pub fn row(&self, comparison: &Comparison, cell: &Cell) {
        self.done.set(self.done.get() + 1);
        if self.cells > 1 {
            for line in row(comparison, cell) {
                self.bar.println(line);
            }
        }
        self.bar.inc(1);
    }

    /// Writes that are counted and not timed.
    pub fn writing(&self, done: u64, of: u64) {
        let (done, of) = (numbers::size_of(done), numbers::size_of(of));
        let said = format!("write amplification: {done} of {of} written");
        self.bar.set_message(said);
    }

    /// The report follows.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The worst case, before anything begins.
fn at_most(cells: u32, each: Duration) -> String {
    let all = span(each.saturating_mul(cells));
    match cells {
        1 => format!("1 cell: at most about {all}"),
        _ => format!(
            "{cells} cells of at most {}: at most about {all}",
            span(each)
        ),
    }
}

/// Two units of a time at most: `2 h 40 min`, `4 min`, `9.5 s`.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let two = |large: u64, unit: &str, small: u64, other: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {other}"),
    };
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()).replace(".0", ""),
        10..60 => format!("{seconds} s"),
        60..3600 => two(seconds / 60, "min", seconds % 60, "s"),
        _ => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
    }
}

/// The median that is farthest from 1.
fn farthest(estimates: &[Estimate]) -> Option<&Estimate> {
    let distance = |one: &Estimate| one.ratio.filter(|r| *r > 0.0).map_or(0.0, |r| r.ln().abs());
    let medians = estimates
        .iter()
        .filter(|one| one.metric == Metric::LatencyMedian);
    medians.max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_case_is_told_in_two_units() {
        let five_minutes = Duration::from_secs(300);
        assert_eq!(
            at_most(32, five_minutes),
            "32 cells of at most 5 min: at most about 2 h 40 min"
        );
        assert_eq!(
            at_most(1, Duration::from_millis(2500)),
            "1 cell: at most about 2.5 s"
        );
        assert_eq!(span(Duration::from_secs(8)), "8 s");
        assert_eq!(span(Duration::from_secs(95)), "1 min 35 s");
    }
}
