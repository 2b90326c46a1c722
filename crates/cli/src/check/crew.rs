//! Many targets: all processors work, and a bar shows how far they are.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use ioalign_check::{CheckJob, NamedTarget, judge_one};
use ioalign_report::{ReportFormat, Target};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::lean::Diet;
use super::output;
use crate::args::CheckArgs;
use crate::bar::bar;
use crate::interrupt::Interrupt;

/// A progress bar appears only above this many files.
const FEW: usize = 50;
const LOOK: &str = "{bar:30} {pos}/{len} images, {per_sec}, {eta} left";

/// Threads that judge many files, and a bar that shows how far they are.
pub struct Crew<'a> {
    job: &'a CheckJob,
    diet: Diet,
    interrupt: &'a Interrupt,
    pool: ThreadPool,
    bar: ProgressBar,
}

impl<'a> Crew<'a> {
    /// A bar for this many files in total.
    pub fn new(
        files: usize,
        job: &'a CheckJob,
        arguments: &CheckArgs,
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        interrupt.watch()?;
        let threads = ThreadPoolBuilder::new().num_threads(arguments.jobs.unwrap_or(0));
        // Rows of JSON come while the bar is there: on one terminal they would mix.
        let mixed = arguments.output.format() == ReportFormat::Json
            && output::on_terminal(&arguments.output);
        let shown = files > FEW && !arguments.output.quiet && !mixed;
        Ok(Self {
            job,
            diet: Diet::new(arguments),
            interrupt,
            pool: threads.build().context("cannot start threads")?,
            bar: bar(Some(files as u64), shown, LOOK),
        })
    }

    /// Judges files; those found in a folder that are no images are left out.
    pub fn judge(&self, files: &[NamedTarget]) -> Vec<Target> {
        let judge = |file| {
            if self.interrupt.asked() {
                return None;
            }
            let target = judge_one(file, self.job);
            self.bar.inc(1);
            target.map(|target| self.diet.trim(target))
        };
        self.pool
            .install(|| files.par_iter().filter_map(judge).collect())
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
