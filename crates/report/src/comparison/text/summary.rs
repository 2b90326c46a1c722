//! The table of the VMFS paper: what alignment gives, at least, on average, at most.

use ioalign_core::comparison::{Comparison, Points, Spread};

use super::super::words::share;
use crate::profile::table::Table;
use crate::text::page::{Page, Style};

pub fn table(page: &mut Page, comparison: &Comparison) {
    let better = comparison.better().map_or("", |arm| &arm.name);
    let title = format!("What `{better}` gives");
    let mut table = Table::new(1, &[&title, "least", "mean", "most", "decided"]);
    let summary = &comparison.summary;
    let throughput = (summary.throughput_gain_ratio, summary.throughput_points);
    let latency = (summary.latency_drop_ratio, summary.latency_points);
    for (name, (spread, points)) in [
        ("more throughput", throughput),
        ("less median latency", latency),
    ] {
        if points.all() > 0 {
            table.row(Style::Plain, row(name, spread, points));
        }
    }
    if !table.is_empty() {
        page.blank();
    }
    table.put(page);
}

fn row(name: &str, spread: Option<Spread>, points: Points) -> Vec<String> {
    let number =
        |of: fn(Spread) -> f64| spread.map_or_else(|| "-".to_owned(), |all| share(of(all)));
    vec![
        name.to_owned(),
        number(|all| all.min),
        number(|all| all.mean),
        number(|all| all.max),
        format!("{} of {}", points.decided, points.all()),
    ]
}
