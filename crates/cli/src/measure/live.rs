//! How it stands, on standard error: a row a cell, and a line that says how long it still takes.

use std::cell::Cell as Held;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ioalign_core::comparison::{Cell, Comparison, Estimate, Metric};
use ioalign_measure::experiment::{Part, Snapshot};
use ioalign_report::comparison::{heading, row, words};

/// The table in the making; nothing where standard error is no terminal.
pub struct Live {
    bar: ProgressBar,
    begun: Instant,
    done: Held<u32>,
    cells: u32,
}

impl Live {
    /// For so many cells.
    pub fn new(comparison: &Comparison, cells: usize, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(cells as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:12} {pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        if cells > 1 {
            bar.println(heading(comparison));
        }
        Self {
            bar,
            begun: Instant::now(),
            done: Held::new(0),
            cells: u32::try_from(cells).unwrap_or(u32::MAX),
        }
    }

    /// The next cell, which may begin with a ramp.
    pub fn begin(&self, cell: &Cell) {
        self.bar.set_prefix(words::short_cell(cell));
        self.bar
            .set_message(format!("{}: starting", self.bar.prefix()));
    }

    /// The cell as it is now.
    pub fn show(&self, snapshot: &Snapshot) {
        let part = match snapshot.part {
            Part::Latency => "latency",
            Part::Saturation => "throughput",
        };
        let told = farthest(&snapshot.estimates).map_or_else(String::new, |one| {
            format!(
                " {} {}",
                one.arm,
                words::interval(one.ratio_low, one.ratio_high)
            )
        });
        self.bar.set_message(format!(
            "{} left, {}, {part}{told}",
            HumanDuration(self.left(snapshot)),
            self.bar.prefix(),
        ));
    }

    /// This cell's own estimate, and for the others what those before took.
    fn left(&self, snapshot: &Snapshot) -> Duration {
        let done = self.done.get();
        let mean = if done == 0 {
            self.begun.elapsed() + snapshot.eta
        } else {
            self.begun.elapsed().saturating_sub(snapshot.elapsed) / done
        };
        snapshot.eta + mean * self.cells.saturating_sub(done + 1)
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

    /// The report follows.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
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
