//! The document of an experiment, from its finished cells.

use ioalign_core::lab_document::{LabCell, LabCheck, LabDiscard, LabDocument, LabSummary, SCHEMA};
use ioalign_core::units::ratio;
use ioalign_simulate::engine::interval;

use crate::error::{Result, Tried};
use crate::experiment::{LabCompare, LabExperiment};
use crate::planned::{PlannedArm, PlannedCell};
use crate::result::CheckRecord;
use crate::state::LabState;

/// All of it, in the order of the experiment.
pub fn document(
    experiment: &LabExperiment,
    arms: &[PlannedArm<'_>],
    state: &LabState,
) -> Result<LabDocument> {
    let grid = experiment.boundaries()?;
    let mut document = LabDocument {
        schema: SCHEMA.to_owned(),
        experiment: experiment.name.clone(),
        about: experiment.about.clone(),
        paper: experiment.paper.clone(),
        notes: experiment.notes.clone(),
        published: experiment.published.clone(),
        ..LabDocument::default()
    };
    for arm in arms {
        let missing = || format!("{}: it has no result", arm.arm.name);
        let check = state.check(&arm.key).tried(missing)?;
        document.checks.push(checked(arm, check));
        for cell in &arm.cells {
            let found = state.cell(&cell.key).tried(missing)?;
            document.cells.push(shown(arm, cell, check, found, grid));
        }
    }
    document.summary = experiment
        .compares
        .iter()
        .flat_map(|one| compared(one, experiment, &document.cells))
        .collect();
    (
        document.predicted_straddle_ratio,
        document.watched_straddle_ratio,
    ) = straddles(&document.cells);
    Ok(document)
}

fn checked(arm: &PlannedArm<'_>, check: &CheckRecord) -> LabCheck {
    let arm = arm.arm;
    let named = arm
        .rule
        .as_ref()
        .is_none_or(|rule| check.rules.contains(rule));
    LabCheck {
        arm: arm.name.clone(),
        verdict: check.verdict.clone(),
        expected_verdict: arm.verdict.clone(),
        rules: check.rules.clone(),
        expected_rule: arm.rule.clone(),
        holds: named && check.verdict == arm.verdict,
    }
}

/// What was measured, with its names and with what `check` predicts of it.
fn shown(
    arm: &PlannedArm<'_>,
    cell: &PlannedCell<'_>,
    check: &CheckRecord,
    found: &LabCell,
    grid: Option<(u64, u64)>,
) -> LabCell {
    let load = cell.load;
    let layer = &arm.arm.layer;
    let predicted = grid.zip(load.io_bytes);
    LabCell {
        arm: arm.arm.name.clone(),
        workload: load.name.clone(),
        seed: cell.seed,
        io_bytes: load.io_bytes,
        op: load.op.clone(),
        pattern: load.pattern.clone(),
        predicted_straddle_ratio: predicted
            .and_then(|(grid, io)| check.straddle_ratio(grid, io, layer)),
        discard: found.discard.map(|discard| LabDiscard {
            predicted_ratio: predicted.and_then(|(grid, io)| check.whole_ratio(grid, io, layer)),
            ..discard
        }),
        ..found.clone()
    }
}

/// A ratio for each load that is compared.
fn compared(one: &LabCompare, experiment: &LabExperiment, cells: &[LabCell]) -> Vec<LabSummary> {
    let all = experiment.loads.iter().map(|load| &load.name);
    let loads = all.filter(|name| one.load.as_ref().is_none_or(|load| load == *name));
    let summary = loads.filter_map(|load| {
        let of = |arm: &str, seed: u64| {
            let mut found = cells.iter();
            found.find(|cell| cell.arm == arm && cell.workload == *load && cell.seed == seed)
        };
        let seeds = experiment.seeds.iter();
        let pairs =
            seeds.filter_map(|seed| Some((of(&one.aligned, *seed)?, of(&one.misaligned, *seed)?)));
        let pairs: Vec<_> = pairs.collect();
        let ratios: Vec<f64> = pairs.iter().map(|(on, off)| on.iops / off.iops).collect();
        let latencies = pairs
            .iter()
            .map(|(on, off)| Some(on.latency_mean_us? / off.latency_mean_us?));
        let latencies: Option<Vec<f64>> = latencies.collect();
        let (low, high) = interval(&ratios).unzip();
        Some(LabSummary {
            workload: load.clone(),
            misaligned: one.misaligned.clone(),
            aligned: one.aligned.clone(),
            gain_ratio: mean(&ratios)?,
            gain_low: low,
            gain_high: high,
            latency_ratio: latencies.as_deref().and_then(mean),
            published_ratio: one.published,
            source: one.source.clone(),
        })
    });
    summary.collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = u64::try_from(values.len())
        .ok()
        .filter(|count| *count > 0)?;
    Some(values.iter().sum::<f64>() / ratio(count, 1))
}

/// Predicted and counted over all cells that cross boundaries by prediction; over all cells where none does.
fn straddles(cells: &[LabCell]) -> (Option<f64>, Option<f64>) {
    let both = cells.iter().filter_map(|cell| {
        let predicted = cell.predicted_straddle_ratio?;
        Some((predicted, cell.watched_straddle_ratio?, ratio(cell.ios, 1)))
    });
    let both: Vec<_> = both.collect();
    let crossing: Vec<_> = both
        .iter()
        .filter(|(predicted, ..)| *predicted > 0.0)
        .copied()
        .collect();
    let counted = if crossing.is_empty() { both } else { crossing };
    let ios: f64 = counted.iter().map(|(.., ios)| ios).sum();
    if ios <= 0.0 {
        return (None, None);
    }
    let predicted: f64 = counted.iter().map(|(one, _, ios)| one * ios).sum();
    let watched: f64 = counted.iter().map(|(_, one, ios)| one * ios).sum();
    (Some(predicted / ios), Some(watched / ios))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(predicted: f64, watched: f64, ios: u64) -> LabCell {
        LabCell {
            predicted_straddle_ratio: Some(predicted),
            watched_straddle_ratio: Some(watched),
            ios,
            ..LabCell::default()
        }
    }

    #[test]
    fn cells_that_cross_nothing_do_not_dilute_those_that_do() {
        let cells = [
            cell(0.25, 0.24, 3000),
            cell(0.25, 0.28, 1000),
            cell(0.0, 0.0, 90_000),
        ];
        let (predicted, watched) = straddles(&cells);
        assert_eq!(predicted, Some(0.25));
        assert!((watched.unwrap() - 0.25).abs() < 1e-12);
        assert_eq!(straddles(&cells[2..]), (Some(0.0), Some(0.0)));
        assert_eq!(straddles(&[]), (None, None));
    }
}
