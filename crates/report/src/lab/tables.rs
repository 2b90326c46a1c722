//! The tables of an experiment, for text and pages alike.

use std::fmt::Write as _;

use ioalign_core::lab_document::{LabCell, LabCheck, LabDocument, LabSummary};
use ioalign_core::numbers::{percent, three, time};

/// Rows under a head; the first `left` columns are text.
pub struct LabTable {
    pub title: String,
    pub left: usize,
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
}

/// Those that have rows.
pub fn all(document: &LabDocument) -> Vec<LabTable> {
    let mut tables = vec![checks(&document.checks)];
    let pairs = document
        .summary
        .chunk_by(|a, b| (&a.misaligned, &a.aligned) == (&b.misaligned, &b.aligned));
    for pair in pairs {
        tables.extend(gains(pair));
        tables.extend(spread(pair));
    }
    let mut loads: Vec<&str> = Vec::new();
    for cell in &document.cells {
        if !loads.contains(&cell.workload.as_str()) {
            loads.push(&cell.workload);
        }
    }
    tables.extend(loads.into_iter().map(|load| cells(document, load)));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn checks(checks: &[LabCheck]) -> LabTable {
    let row = |check: &LabCheck| {
        let holds = match check.holds {
            true => "as expected".to_owned(),
            false => {
                let mut text = format!("expected {}", check.expected_verdict);
                if let Some(rule) = &check.expected_rule {
                    let _ = write!(text, ", {rule}");
                }
                text
            }
        };
        vec![check.arm.clone(), check.verdict.clone(), holds]
    };
    LabTable {
        title: "ioalign check before the load".to_owned(),
        left: 3,
        head: vec!["arm", "verdict", ""],
        rows: checks.iter().map(row).collect(),
    }
}

/// Two arms under each load.
fn gains(pair: &[LabSummary]) -> Option<LabTable> {
    let first = pair.first()?;
    let row = |one: &LabSummary| {
        let interval = match (one.gain_low, one.gain_high) {
            (Some(low), Some(high)) => format!("{} to {}", gain(low), gain(high)),
            _ => "one seed".to_owned(),
        };
        let published = one.published_ratio.map_or_else(|| "-".to_owned(), gain);
        vec![
            one.workload.clone(),
            gain(one.gain_ratio),
            interval,
            published,
        ]
    };
    Some(LabTable {
        title: format!("throughput: {} over {}", first.aligned, first.misaligned),
        left: 1,
        head: vec!["load", "gain", "95 % interval", "published"],
        rows: pair.iter().map(row).collect(),
    })
}

/// Least, mean and most of many loads, as the matrix of the paper has them.
fn spread(pair: &[LabSummary]) -> Option<LabTable> {
    const MANY: usize = 8;
    if pair.len() < MANY {
        return None;
    }
    let gains: Vec<f64> = pair.iter().map(|one| one.gain_ratio).collect();
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    let most = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = gains.iter().sum::<f64>() / number(gains.len());
    Some(LabTable {
        title: format!("throughput increase over these {} loads", gains.len()),
        left: 1,
        head: vec!["", "least", "average", "most"],
        rows: vec![vec!["here".to_owned(), gain(least), gain(mean), gain(most)]],
    })
}

fn cells(document: &LabDocument, load: &str) -> LabTable {
    let cells: Vec<_> = document
        .cells
        .iter()
        .filter(|cell| cell.workload == load)
        .collect();
    let rows = cells.chunk_by(|a, b| a.arm == b.arm).map(row);
    LabTable {
        title: load.to_owned(),
        left: 1,
        head: vec![
            "arm",
            "I/Os/s",
            "mean",
            "p99",
            "across",
            "counted",
            "disk I/Os",
            "model",
            "I/Os/s",
        ],
        rows: rows.collect(),
    }
}

/// One arm: means over its seeds.
fn row(cells: &[&LabCell]) -> Vec<String> {
    let mean = |value: &dyn Fn(&LabCell) -> Option<f64>| {
        let all: Option<Vec<f64>> = cells.iter().map(|cell| value(cell)).collect();
        let all = all.filter(|all| !all.is_empty())?;
        Some(all.iter().sum::<f64>() / number(all.len()))
    };
    let shown = |value: Option<f64>, words: &dyn Fn(f64) -> String| {
        value.map_or_else(|| "-".to_owned(), words)
    };
    let four = |value: f64| format!("{value:.4}");
    vec![
        cells
            .first()
            .map(|cell| cell.arm.clone())
            .unwrap_or_default(),
        shown(mean(&|cell| Some(cell.iops)), &three),
        shown(mean(&|cell| cell.latency_mean_us), &time),
        shown(mean(&|cell| cell.latency_p99_us), &time),
        shown(mean(&|cell| cell.predicted_straddle_ratio), &percent),
        shown(mean(&|cell| cell.watched_straddle_ratio), &percent),
        shown(mean(&|cell| Some(cell.disk_ios_per_io)), &four),
        shown(mean(&|cell| cell.simulated_disk_ios_per_io), &four),
        shown(mean(&|cell| cell.simulated_iops), &three),
    ]
}

/// `+22.5 %`; from twice on `2.33×`.
fn gain(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 2.0 => format!("{ratio:.2}×"),
        ratio => format!("{:+.1} %", (ratio - 1.0) * 100.0),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
const fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_read_as_the_papers_have_them() {
        assert_eq!(gain(1.225), "+22.5 %");
        assert_eq!(gain(0.99), "-1.0 %");
        assert_eq!(gain(2.391), "2.39×");
    }

    #[test]
    fn a_row_is_the_mean_over_seeds() {
        let cell = |iops: f64, predicted: Option<f64>| LabCell {
            arm: "raw".to_owned(),
            iops,
            predicted_straddle_ratio: predicted,
            ..LabCell::default()
        };
        let (one, two) = (cell(600.0, Some(0.25)), cell(610.0, None));
        let row = row(&[&one, &two]);
        assert_eq!((row[1].as_str(), row[4].as_str()), ("605", "-"));
    }
}
