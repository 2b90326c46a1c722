//! The table of arms.

use ioalign_core::numbers::{rate, thousands, three, time, times};
use ioalign_core::simulation_document::SimulatedArm;

use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage};

/// The rates of all starts, and what the disks have to do for them.
pub fn put(page: &mut TextPage, arms: &[SimulatedArm]) {
    let several = arms.iter().any(|arm| !arm.array.is_empty());
    let head = [
        if several { "array, start" } else { "start" },
        "I/Os/s",
        "",
        "bytes/s",
        "mean",
        "p99",
        "disk I/Os",
        "formula",
    ];
    let mut table = TextTable::new(1, &head);
    for arm in arms {
        let formula = arm.closed_form.disk_ios_per_io;
        let row = vec![
            match arm.array.as_str() {
                "" => start(arm),
                array => format!("{array}, {}", start(arm)),
            },
            per_second(arm),
            arm.iops_ratio.map(times).unwrap_or_default(),
            rate(arm.bytes_per_s),
            time(arm.latency_us.mean),
            time(arm.latency_us.p99),
            format!("{:.4}", arm.disk_ios_per_io),
            formula.map_or_else(|| "-".to_owned(), |formula| format!("{formula:.4}")),
        ];
        table.row(Style::Plain, row);
    }
    table.put(page);
}

/// `sector 63`, `sector 2,048`.
pub fn start(arm: &SimulatedArm) -> String {
    format!("sector {}", thousands(arm.start_bytes / 512))
}

/// With several runs half the interval too.
fn per_second(arm: &SimulatedArm) -> String {
    match (arm.iops_low, arm.iops_high) {
        (Some(low), Some(high)) if arm.iops > 0.0 => {
            let half = (high - low) / 2.0 / arm.iops * 100.0;
            format!("{} ±{} %", three(arm.iops), three(half))
        }
        _ => three(arm.iops),
    }
}
