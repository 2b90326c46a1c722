//! The run itself: verdicts, what could not be read, when and how long.

use ioalign_core::units::ratio;

use super::families::{BUILD, DURATION, LAST_SCAN, READABLE, VERDICT};
use super::series::Metrics;
use crate::model::{Report, Target};

/// Verdict, readability and duration of a target.
pub fn add(target: &Target, metrics: &mut Metrics) {
    let name = ("target", target.name.as_str());
    metrics.flag(&VERDICT, &[name, ("verdict", target.verdict.name())]);
    let readable = if target.error.is_some() { 0.0 } else { 1.0 };
    metrics.set(&READABLE, &[name], readable, f64::min);
    let seconds = ratio(target.elapsed_us, 1_000_000);
    metrics.set(&DURATION, &[name], seconds, |a, b| a + b);
}

/// Program and time of the scan.
pub fn add_scan(report: &Report, metrics: &mut Metrics) {
    let version = report.tool.rsplit(' ').next().unwrap_or_default();
    metrics.flag(&BUILD, &[("version", version)]);
    if let Some(now) = report.scanned_at_seconds {
        metrics.set(&LAST_SCAN, &[], ratio(now, 1), f64::max);
    }
}
