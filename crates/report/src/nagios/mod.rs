//! For Nagios, Icinga and Naemon: one status line with performance data, long output with `-v`.
//!
//! By the Monitoring Plugins guidelines: `SERVICE STATUS: text | 'label'=value[UOM];warn;crit;min;max`,
//! where the text holds neither `|` nor a line feed, and later lines are the long output.

mod escape;
mod perf;
mod status;
mod words;

use std::fmt::Write as _;

use escape::plain;
pub use status::Status;

use crate::model::Report;
use crate::options::{RenderOptions, Verbosity};
use crate::order;

/// Longest line of the long output: servers cut a check's answer at 4 or 8 KiB.
const LONGEST: usize = 240;

/// The whole answer of the plugin.
pub fn render(report: &Report, options: &RenderOptions) -> String {
    let status = Status::of(report);
    let mut out = format!(
        "IOALIGN {} - {} | {}\n",
        status.word(),
        plain(&words::summary(report), 2 * LONGEST),
        perf::data(report)
    );
    if options.verbosity == Verbosity::Verbose {
        long(report, options.max_rows, &mut out);
    }
    out
}

/// A line a finding and unreadable target, worst first.
fn long(report: &Report, most: usize, out: &mut String) {
    let lines: Vec<String> = order::targets(&report.targets)
        .into_iter()
        .flat_map(words::lines)
        .collect();
    for line in lines.iter().take(most) {
        let _ = writeln!(out, "{}", plain(line, LONGEST));
    }
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(out, "and {more} more");
    }
}
