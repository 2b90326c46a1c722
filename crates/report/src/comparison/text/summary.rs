//! The table of the VMFS paper: what alignment gives, at least, on average, at most.

use ioalign_core::comparison::{Comparison, Spread};

use super::super::words::share;
use crate::profile::table::Table;
use crate::text::page::{Page, Style};

pub fn table(page: &mut Page, comparison: &Comparison) {
    let better = comparison.better().map_or("", |arm| &arm.name);
    let title = format!("What `{better}` gives");
    let mut table = Table::new(1, &[&title, "least", "mean", "most"]);
    let rows = [
        ("more throughput", comparison.summary.throughput_gain_ratio),
        ("less median latency", comparison.summary.latency_drop_ratio),
    ];
    for (name, spread) in rows {
        if let Some(spread) = spread {
            table.row(Style::Plain, row(name, spread));
        }
    }
    if !table.is_empty() {
        page.blank();
    }
    table.put(page);
}

fn row(name: &str, spread: Spread) -> Vec<String> {
    vec![
        name.to_owned(),
        share(spread.min),
        share(spread.mean),
        share(spread.max),
    ]
}
