//! The table of the VMFS paper: what alignment gives, at least, on average, at most.

use ioalign_core::comparison::Comparison;

use crate::comparison::gains::{GainRow, GainTable};
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage};

pub fn table(page: &mut TextPage, comparison: &Comparison) {
    let gains = GainTable::new(comparison);
    let title = if gains.is_gain {
        format!("What `{}` gives", gains.arm)
    } else if comparison.is_of_a_change() {
        "`now` against `before`".to_owned()
    } else {
        format!("`{}` against the others", gains.arm)
    };
    let mut table = TextTable::new(1, &[&title, "least", "mean", "most", "decided"]);
    for one in &gains.rows {
        table.row(Style::Plain, row(one, gains.is_gain));
    }
    if !table.is_empty() {
        page.blank();
    }
    table.put(page);
}

fn row(one: &GainRow, is_gain: bool) -> Vec<String> {
    let name = match (one.is_throughput, is_gain) {
        (true, true) => "more throughput",
        (true, false) => "throughput",
        (false, true) => "less median latency",
        (false, false) => "median latency",
    };
    let numbers = one.numbers.clone();
    let numbers = numbers.unwrap_or_else(|| ["-", "-", "-"].map(str::to_owned));
    let mut row = vec![name.to_owned()];
    row.extend(numbers);
    row.push(format!("{} of {}", one.points.decided, one.points.all()));
    row
}
