//! Series in the making: sorted, each label set once, every value escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::families::Family;
use crate::words::clean;
use crate::words::clean::shorten_middle;

/// Columns that a label's value may take; longer names lose their middle.
const LONGEST_VALUE: usize = 160;

/// Labels of a series, in their order.
pub type Labels = Vec<(&'static str, String)>;

/// All series of all metrics.
#[derive(Default)]
pub struct Metrics {
    families: BTreeMap<&'static str, (&'static str, BTreeMap<Labels, f64>)>,
}

impl Metrics {
    /// Sets a value; where two things have the same labels, `join` decides.
    pub fn set(
        &mut self,
        family: &Family,
        labels: &[(&'static str, &str)],
        value: f64,
        join: fn(f64, f64) -> f64,
    ) {
        let labels: Labels = labels
            .iter()
            .map(|(name, value)| (*name, harmless(value)))
            .collect();
        let (_, series) = self
            .families
            .entry(family.name)
            .or_insert_with(|| (family.help, BTreeMap::new()));
        series
            .entry(labels)
            .and_modify(|known| *known = join(*known, value))
            .or_insert(value);
    }

    /// A flag or an info metric: one, from the first source.
    pub fn flag(&mut self, family: &Family, labels: &[(&'static str, &str)]) {
        self.set(family, labels, 1.0, f64::max);
    }

    /// The exposition.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, (help, series)) in &self.families {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
            for (labels, value) in series {
                let _ = writeln!(out, "{name}{} {value}", shown(labels));
            }
        }
        out
    }
}

/// A value that is shown in full only where it is short.
pub fn harmless(value: &str) -> String {
    shorten_middle(&clean(value), LONGEST_VALUE, "…")
}

/// The labels as they are exposed.
pub fn shown(labels: &[(&'static str, String)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let pairs: Vec<_> = labels
        .iter()
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

/// Backslash, quote and line feed: the escapes of the text format.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prometheus::families::{FINDING, OFFSET};

    #[test]
    fn series_are_sorted_joined_and_escaped() {
        let mut metrics = Metrics::default();
        metrics.set(&OFFSET, &[("device", "b")], 512.0, f64::max);
        metrics.set(&OFFSET, &[("device", "a\\\"x")], 0.0, f64::max);
        metrics.set(&OFFSET, &[("device", "b")], 3584.0, f64::max);
        metrics.set(&FINDING, &[], 1.0, f64::max);
        let text = metrics.text();
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            lines,
            [
                "ioalign_finding 1",
                "ioalign_partition_offset_bytes{device=\"a\\\\\\\"x\"} 0",
                "ioalign_partition_offset_bytes{device=\"b\"} 3584"
            ]
        );
    }
}
