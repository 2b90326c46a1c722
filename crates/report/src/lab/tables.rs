//! The tables of an experiment, for text and pages alike.

use std::fmt::Write as _;

use ioalign_core::Bytes;
use ioalign_core::lab_document::{
    LabCell, LabCheck, LabDocument, LabIostat, LabSpread, LabSummary,
};
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
        tables.extend(spread(pair, document.published.as_ref()));
    }
    tables.push(discards(&document.cells));
    tables.push(waits(&document.cells));
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
fn spread(pair: &[LabSummary], published: Option<&LabSpread>) -> Option<LabTable> {
    const MANY: usize = 8;
    if pair.len() < MANY {
        return None;
    }
    let throughput = pair.iter().map(|one| one.gain_ratio - 1.0);
    let mut rows = vec![spread_row("throughput gained", of_many(throughput))];
    let latency = pair.iter().map(|one| Some(1.0 - one.latency_ratio?));
    if let Some(saved) = latency.collect::<Option<Vec<f64>>>() {
        rows.push(spread_row("latency saved", of_many(saved.into_iter())));
    }
    if let Some(published) = published {
        let source = &published.source;
        rows.push(spread_row(
            &format!("throughput gained, {source}"),
            published.throughput,
        ));
        rows.push(spread_row(
            &format!("latency saved, {source}"),
            published.latency,
        ));
    }
    Some(LabTable {
        title: format!("over these {} loads", pair.len()),
        left: 1,
        head: vec!["", "least", "average", "most"],
        rows,
    })
}

fn of_many(values: impl Iterator<Item = f64> + Clone) -> [f64; 3] {
    let count = number(values.clone().count());
    [
        values.clone().fold(f64::INFINITY, f64::min),
        values.clone().sum::<f64>() / count,
        values.fold(f64::NEG_INFINITY, f64::max),
    ]
}

fn spread_row(name: &str, shares: [f64; 3]) -> Vec<String> {
    let shares = shares.map(|share| gain(1.0 + share));
    std::iter::once(name.to_owned()).chain(shares).collect()
}

/// What a disk let go of what was discarded.
fn discards(cells: &[LabCell]) -> LabTable {
    let row = |cell: &LabCell| {
        let discard = cell.discard?;
        let kept = discard.bytes.saturating_sub(discard.released_bytes);
        Some(vec![
            cell.arm.clone(),
            cell.workload.clone(),
            Bytes::new(discard.bytes).to_string(),
            discard.predicted_ratio.map_or_else(dash, percent),
            percent(discard.ratio()),
            Bytes::new(kept).to_string(),
        ])
    };
    LabTable {
        title: "what the disk let go of what was discarded".to_owned(),
        left: 2,
        head: vec!["arm", "load", "discarded", "predicted", "let go", "kept"],
        rows: cells.iter().filter_map(row).collect(),
    }
}

fn dash() -> String {
    "-".to_owned()
}

/// A device below as iostat has it, beside what was seen.
fn waits(cells: &[LabCell]) -> LabTable {
    let row = |cell: &LabCell| {
        let one: &LabIostat = cell.iostat.as_ref()?;
        let [r_await, w_await, read, write] =
            [one.r_await_us, one.w_await_us, one.read_us, one.write_us]
                .map(|us| us.map_or_else(dash, time));
        let seen = match one.read_modify_write {
            true => format!(
                "{} small reads, {} large writes",
                one.small_reads, one.large_writes
            ),
            false => "no".to_owned(),
        };
        Some(vec![
            cell.arm.clone(),
            r_await,
            w_await,
            read,
            write,
            cell.latency_mean_us.map_or_else(dash, time),
            seen,
        ])
    };
    let device = cells.iter().find_map(|cell| cell.iostat.as_ref());
    let device = device.map_or("", |one| one.device.as_str());
    LabTable {
        title: format!(
            "{device} by iostat (r_await, w_await), by watch (read, write), and the load"
        ),
        left: 1,
        head: vec![
            "arm",
            "r_await",
            "w_await",
            "read",
            "write",
            "load",
            "read-modify-write",
        ],
        rows: cells.iter().filter_map(row).collect(),
    }
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
    fn many_loads_have_a_least_and_a_most() {
        let one = |gain_ratio: f64| LabSummary {
            gain_ratio,
            latency_ratio: Some(1.0 / gain_ratio),
            ..LabSummary::default()
        };
        let pair: Vec<_> = [1.0, 1.25, 1.0, 1.25, 1.0, 1.25, 1.0, 1.25].map(one).into();
        let published = LabSpread {
            throughput: [0.02, 0.12, 0.62],
            latency: [0.07, 0.1, 0.33],
            source: "paper".to_owned(),
        };
        let rows = spread(&pair, Some(&published)).unwrap().rows;
        assert_eq!(rows[0][1..], ["+0.0 %", "+12.5 %", "+25.0 %"]);
        assert_eq!(rows[1][1..], ["+0.0 %", "+10.0 %", "+20.0 %"]);
        assert_eq!(rows[2][1..], ["+2.0 %", "+12.0 %", "+62.0 %"]);
        assert!(spread(&pair[1..], None).is_none());
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
