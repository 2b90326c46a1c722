//! Shows the present load on standard error.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ioalign_core::numbers::rate;
use ioalign_core::units::ratio;
use ioalign_core::workload::Workload;
use ioalign_measure::jobs::LoadJob;
use ioalign_measure::load::LoadSnapshot;

/// A line; nothing where standard error is no terminal.
pub struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// For the steps of a job.
    pub fn new(job: &LoadJob, quiet: bool) -> Self {
        Self::of_steps(job.steps.len(), quiet)
    }

    /// For as many steps.
    pub fn of_steps(steps: usize, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:12} {pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// The next step; its name for [`ProgressLine::show`].
    pub fn begin(&self, workload: &Workload) -> String {
        let name = ioalign_report::load::describe(workload);
        self.bar.set_message(name.clone());
        name
    }

    /// How it goes.
    pub fn show(&self, name: &str, snapshot: &LoadSnapshot) {
        let seconds = snapshot.last.length.as_secs_f64().max(1e-3);
        let (read, write) = (snapshot.last.read, snapshot.last.write);
        let per_second = |count: u64| ratio(count, 1) / seconds;
        let left = HumanDuration(snapshot.planned.saturating_sub(snapshot.elapsed));
        let ramp = if snapshot.ramping { "ramp, " } else { "" };
        self.bar.set_message(format!(
            "{name}: {:.0} I/Os/s, {}, {ramp}{left} left",
            per_second(read.ios + write.ios),
            rate(per_second(read.bytes + write.bytes)),
        ));
    }

    /// A step is over.
    pub fn done(&self) {
        self.bar.inc(1);
    }

    /// The report follows.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
