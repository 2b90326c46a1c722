//! Findings and hints that are not believed.

use super::families::{BOGUS, FINDING, WAIVED};
use super::series::Metrics;
use crate::devices;
use crate::model::Target;
use crate::starts::blamed;

/// Counts of findings by rule, severity and device.
pub fn add(target: &Target, metrics: &mut Metrics) {
    for finding in &target.findings {
        let family = if finding.counts() { &FINDING } else { &WAIVED };
        let device =
            blamed(finding).map_or_else(String::new, |id| devices::device(&target.stack, id));
        let labels = [
            ("device", device.as_str()),
            ("rule", finding.rule),
            ("severity", finding.severity.name()),
            ("target", &target.name),
        ];
        metrics.set(family, &labels, 1.0, |a, b| a + b);
    }
    hints(target, metrics);
}

fn hints(target: &Target, metrics: &mut Metrics) {
    let bogus = target.stack.grids.iter().filter(|grid| grid.is_bogus());
    for grid in bogus {
        let device = target.stack.layer(grid.layer).name.as_str();
        let labels = [
            ("device", device),
            ("hint", grid.kind.name()),
            ("target", &target.name),
        ];
        metrics.flag(&BOGUS, &labels);
    }
}
