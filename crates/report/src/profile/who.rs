//! The processes and sizes of the I/O: they distinguish small records from a shifted partition.

use std::collections::BTreeMap;

use ioalign_core::Bytes;
use ioalign_core::profile::{DeviceProfile, ProcessProfile, SizeCount};

use super::heading;
use super::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{about, share, thousands};

const SIZES: usize = 6;
const PROCESSES: usize = 6;

/// The most frequent sizes of all operations.
pub fn sizes(page: &mut TextPage, device: &DeviceProfile) {
    let mut all: BTreeMap<u64, SizeCount> = BTreeMap::new();
    for one in device.by_op.values().flat_map(|op| &op.size_histogram) {
        let sum = all.entry(one.bytes).or_default();
        sum.bytes = one.bytes;
        sum.ios += one.ios;
        sum.off_4096_ios += one.off_4096_ios;
    }
    let total: u64 = all.values().map(|size| size.ios).sum();
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        SIZES
    };
    let (count, mut most) = (all.len(), all.into_values().collect::<Vec<_>>());
    most.sort_by_key(|size| std::cmp::Reverse(size.ios));
    most.truncate(shown);
    most.sort_by_key(|size| size.bytes);
    let mut table = TextTable::new(0, &["size", "I/Os", "of all", "start off 4 KiB"]);
    for size in &most {
        table.row(
            Style::Plain,
            vec![
                about(Bytes::new(size.bytes)),
                thousands(size.ios),
                share(size.ios, total),
                share(size.off_4096_ios, size.ios),
            ],
        );
    }
    if !table.is_empty() {
        heading(page, "Sizes");
        table.put(page);
        more(page, count.saturating_sub(shown), "sizes");
    }
}

pub fn processes(page: &mut TextPage, device: &DeviceProfile) {
    let nobody = |one: &ProcessProfile| one.pid == 0 && one.name.is_empty();
    if device.processes.iter().all(nobody) {
        return;
    }
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        PROCESSES
    };
    let head = ["process", "", "I/Os", "bytes", "start off 4 KiB", "partial"];
    let mut table = TextTable::new(2, &head);
    for one in device.processes.iter().take(shown) {
        table.row(Style::Plain, row(one));
    }
    heading(page, "Processes");
    table.put(page);
    more(
        page,
        device.processes.len().saturating_sub(shown),
        "processes",
    );
}

fn row(one: &ProcessProfile) -> Vec<String> {
    let name = match (one.name.as_str(), one.pid) {
        ("", 0) => "(not known)".to_owned(),
        ("", pid) => format!("pid {pid}"),
        (name, 0) => name.to_owned(),
        (name, pid) => format!("{name} ({pid})"),
    };
    let on: u64 = one.start_pow2_histogram.iter().skip(12).sum();
    vec![
        name,
        one.op.clone(),
        thousands(one.ios),
        about(Bytes::new(one.bytes)),
        share(one.ios.saturating_sub(on), one.ios),
        share(one.length_off_4096_ios, one.ios),
    ]
}

fn more(page: &mut TextPage, count: usize, what: &str) {
    if count > 0 {
        let text = format!("  and {count} more {what}");
        page.line(&[TextSpan::new(Style::Dim, text)]);
    }
}
