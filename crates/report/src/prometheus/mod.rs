//! The Prometheus text format (0.0.4), for node_exporter's textfile collector or any scrape.
//!
//! Findings are gauges, sorted, HELP and TYPE once a metric, no timestamps: the collector forbids them and
//! exports the file's age itself. Labels name targets, devices, rules and kinds of grid, never
//! addresses or processes, so the number of series is that of the things.

mod counters;
mod devices;
mod families;
mod findings;
mod partitions;
mod series;
mod targets;

use crate::model::Report;
use crate::options::RenderOptions;
use series::Metrics;

pub use counters::counters;

/// The whole exposition, with a line feed at the end.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let mut metrics = Metrics::default();
    for target in &report.targets {
        targets::add(target, &mut metrics);
        partitions::add(target, &mut metrics);
        findings::add(target, &mut metrics);
        devices::add(target, &mut metrics);
    }
    targets::add_scan(report, &mut metrics);
    metrics.text()
}
