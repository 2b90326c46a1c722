//! Operations: how many, how large, how fast.

use ioalign_core::Bytes;
use ioalign_core::profile::{DeviceProfile, OpProfile};
use ioalign_core::units::ratio;

use super::table::TextTable;
use crate::text::page::{Style, TextPage};
use crate::words::numbers::{about, percent, size, thousands, time};

pub fn table(page: &mut TextPage, device: &DeviceProfile) {
    let head = [
        "",
        "I/Os",
        "bytes",
        "mean",
        "sequential",
        "p50",
        "p99",
        "max",
    ];
    let mut table = TextTable::new(1, &head);
    for (name, op) in ordered(device) {
        table.row(Style::Plain, row(name, op));
    }
    page.blank();
    table.put(page);
}

/// In the order of the words of a sentence, not of the alphabet.
pub fn ordered(device: &DeviceProfile) -> Vec<(&str, &OpProfile)> {
    let names = ["read", "write", "discard", "flush", "other"];
    let known = names
        .iter()
        .filter_map(|name| Some((*name, device.by_op.get(*name)?)));
    let others = device
        .by_op
        .iter()
        .filter(|(name, _)| !names.contains(&name.as_str()));
    known
        .chain(others.map(|(name, op)| (name.as_str(), op)))
        .collect()
}

fn row(name: &str, op: &OpProfile) -> Vec<String> {
    let none = || "-".to_owned();
    let latency = |of: fn(&ioalign_core::profile::Latency) -> f64| {
        op.latency_us
            .as_ref()
            .map_or_else(none, |latency| time(of(latency)))
    };
    vec![
        name.to_owned(),
        thousands(op.ios),
        about(Bytes::new(op.bytes)),
        if op.ios == 0 {
            none()
        } else {
            size(ratio(op.bytes, op.ios))
        },
        op.sequential_ratio.map_or_else(none, percent),
        latency(|l| l.p50),
        latency(|l| l.p99),
        latency(|l| l.max),
    ]
}
