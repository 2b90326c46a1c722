//! The figures of many loads by block size: those of `measure matrix`, of two arms of an experiment.

use ioalign_core::comparison::{
    Arm, ArmLevel, Cell, Comparison, Estimate, EstimateVerdict, Metric,
};
use ioalign_core::lab_document::{LabCell, LabDocument, LabSummary};

/// A difference below this is none.
const ROPE: f64 = 0.01;

/// A comparison for each pair of arms whose loads have a size and an order; the aligned arm is its baseline.
pub fn comparisons(document: &LabDocument) -> Vec<Comparison> {
    let pairs = document
        .summary
        .chunk_by(|a, b| (&a.misaligned, &a.aligned) == (&b.misaligned, &b.aligned));
    let drawn = pairs.filter_map(|pair| comparison(document, pair));
    drawn.collect()
}

fn comparison(document: &LabDocument, pair: &[LabSummary]) -> Option<Comparison> {
    let first = pair.first()?;
    let cells: Vec<_> = pair.iter().filter_map(|one| cell(document, one)).collect();
    let several = cells
        .chunk_by(|a, b| a.block_bytes == b.block_bytes)
        .count()
        > 1;
    let arm = |name: &String, offset_bytes: u64| Arm {
        name: name.clone(),
        offset_bytes,
        ..Arm::default()
    };
    several.then(|| Comparison {
        arms: vec![arm(&first.aligned, 0), arm(&first.misaligned, 512)],
        cells,
        ..Comparison::default()
    })
}

fn cell(document: &LabDocument, pair: &LabSummary) -> Option<Cell> {
    let of = |arm: &str| -> Vec<&LabCell> {
        let cells = document.cells.iter();
        cells
            .filter(|cell| cell.arm == arm && cell.workload == pair.workload)
            .collect()
    };
    let (on, off) = (of(&pair.aligned), of(&pair.misaligned));
    let first = *on.first()?;
    let turned = |gain: Option<f64>| 1.0 / gain.unwrap_or(pair.gain_ratio);
    let (low, high) = (turned(pair.gain_high), turned(pair.gain_low));
    Some(Cell {
        block_bytes: first.io_bytes?,
        op: first.op.clone(),
        pattern: first.pattern.clone()?,
        levels: vec![level(&pair.aligned, &on)?, level(&pair.misaligned, &off)?],
        estimates: vec![Estimate {
            metric: Metric::Throughput,
            arm: pair.misaligned.clone(),
            baseline: pair.aligned.clone(),
            ratio: Some(1.0 / pair.gain_ratio),
            ratio_low: Some(low),
            ratio_high: Some(high),
            verdict: verdict(low, high),
            ..Estimate::default()
        }],
        ..Cell::default()
    })
}

const fn verdict(low: f64, high: f64) -> EstimateVerdict {
    if high < 1.0 - ROPE {
        EstimateVerdict::Slower
    } else if low > 1.0 + ROPE {
        EstimateVerdict::Faster
    } else if low >= 1.0 - ROPE && high <= 1.0 + ROPE {
        EstimateVerdict::NoDifference
    } else {
        EstimateVerdict::Undecided
    }
}

/// The mean over seeds.
fn level(arm: &str, cells: &[&LabCell]) -> Option<ArmLevel> {
    let count = f64::from(u32::try_from(cells.len()).ok().filter(|count| *count > 0)?);
    let iops = cells.iter().map(|cell| cell.iops).sum::<f64>() / count;
    Some(ArmLevel {
        arm: arm.to_owned(),
        iops: Some(iops),
        ..ArmLevel::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::figures;

    #[test]
    fn a_matrix_has_four_figures() {
        let mut document = LabDocument::default();
        for op in ["read", "write"] {
            for (pattern, io) in [("random", 4096), ("random", 65536), ("sequential", 4096)] {
                let workload = format!("{op} {pattern} {io}");
                for (arm, iops) in [("63", 100.0), ("128", 150.0)] {
                    document.cells.push(LabCell {
                        arm: arm.to_owned(),
                        workload: workload.clone(),
                        op: op.to_owned(),
                        pattern: Some(pattern.to_owned()),
                        io_bytes: Some(io),
                        iops,
                        ..LabCell::default()
                    });
                }
                document.summary.push(LabSummary {
                    workload,
                    misaligned: "63".to_owned(),
                    aligned: "128".to_owned(),
                    gain_ratio: 1.5,
                    ..LabSummary::default()
                });
            }
        }
        let found = comparisons(&document);
        let (sets, _) = figures::sets(&found[0]);
        let titles: Vec<_> = sets[0]
            .figures
            .iter()
            .map(|one| one.title.as_str())
            .collect();
        assert_eq!(titles.len(), 4, "{titles:?}");
        assert!(
            titles[0].contains("read") && titles[1].contains("write"),
            "{titles:?}"
        );
        assert!(
            titles[2].contains("63") && titles[3].contains("128"),
            "{titles:?}"
        );
        document.summary.truncate(1);
        assert!(comparisons(&document).is_empty());
    }
}
