//! The arms as a comparison: the table and the figures of `measure matrix`, from a model.

use anyhow::Result;
use ioalign_core::comparison::{
    Arm, ArmLevel, Cell, Comparison, Estimate, EstimateVerdict, Metric, Placebo, SCHEMA,
};
use ioalign_core::simulation_document::SimulationDocument;
use ioalign_core::units::ratio;
use ioalign_measure::jobs::values;
use ioalign_report::RenderOptions;
use ioalign_report::comparison::ComparisonFormat;
use ioalign_simulate::engine::interval;

use super::arms::ArmTrial;
use crate::args::SimulateCompareArgs;
use crate::exit::UsageError;
use crate::output_file::Destination;

/// A difference below this is none.
const ROPE: f64 = 0.01;

/// Refuses what cannot be written before anything is run.
pub fn check(arguments: &SimulateCompareArgs, arrays: usize) -> Result<()> {
    if arguments.output.is_none() {
        return Ok(());
    }
    format(arguments)?;
    if arrays > 1 {
        let what = "-o compares starts on one array: several arrays are in the text and in --json";
        return Err(UsageError(what.to_owned()).into());
    }
    destination(arguments).check()
}

fn destination(arguments: &SimulateCompareArgs) -> Destination<'_> {
    Destination::report(arguments.output.as_deref(), arguments.replace, &[])
}

fn format(arguments: &SimulateCompareArgs) -> Result<ComparisonFormat> {
    let named = arguments
        .output
        .as_deref()
        .and_then(ComparisonFormat::by_ending);
    let what = "-o: the ending of the file is html, svg, csv, json or txt";
    named.ok_or_else(|| UsageError(what.to_owned()).into())
}

/// Writes the file that was asked for.
pub fn write(
    arguments: &SimulateCompareArgs,
    document: &SimulationDocument,
    trials: &[ArmTrial],
) -> Result<()> {
    if arguments.output.is_none() {
        return Ok(());
    }
    let head = ComparisonHead {
        array: &document.array,
        about: &document.about,
        seed: document.seed,
    };
    let comparison = comparison(&head, trials);
    let text = format(arguments)?.render(&comparison, &RenderOptions::default());
    destination(arguments).write(|out| out.write_all(text.as_bytes()))
}

/// What was simulated.
pub struct ComparisonHead<'a> {
    pub array: &'a str,
    pub about: &'a str,
    pub seed: u64,
}

/// The comparison; its baseline is the start that is a multiple of the largest power of two.
pub fn comparison(head: &ComparisonHead<'_>, trials: &[ArmTrial]) -> Comparison {
    let mut starts: Vec<u64> = Vec::new();
    for trial in trials {
        if !starts.contains(&trial.arm.start_bytes) {
            starts.push(trial.arm.start_bytes);
        }
    }
    let best = starts.iter().copied().max_by_key(|start| match start {
        0 => 64,
        start => start.trailing_zeros(),
    });
    starts.sort_by_key(|start| Some(*start) != best);
    let arms = starts.iter().map(|start| Arm {
        name: name(*start),
        offset_bytes: start.saturating_sub(best.unwrap_or(0).min(*start)),
        start_bytes: Some(*start),
        ..Arm::default()
    });
    let mut comparison = Comparison {
        schema: SCHEMA.to_owned(),
        tool: crate::check::tool(),
        target: format!("simulated {}", head.array),
        simulated: true,
        arms: arms.collect(),
        cells: trials
            .chunk_by(|a, b| a.step == b.step)
            .map(|trials| cell(trials, &starts))
            .collect(),
        notes: vec![format!(
            "simulated, not measured: {}; seed {}",
            head.about, head.seed
        )],
        ..Comparison::default()
    };
    comparison.sum_up();
    comparison
}

fn name(start: u64) -> String {
    format!("sector {}", start / 512)
}

fn cell(trials: &[ArmTrial], starts: &[u64]) -> Cell {
    let at = |start: &u64| trials.iter().find(|one| one.arm.start_bytes == *start);
    let ordered: Vec<_> = starts.iter().filter_map(at).collect();
    let mut cell = Cell {
        placebo: Placebo {
            ratio: Some(1.0),
            ratio_low: Some(1.0),
            ratio_high: Some(1.0),
            moved: false,
        },
        ios: ordered.iter().map(|one| one.arm.ios).sum(),
        ..Cell::default()
    };
    let Some((base, others)) = ordered.split_first() else {
        return cell;
    };
    let step = &base.step;
    cell.block_bytes = step.largest_bytes();
    cell.op = values::op_word(step.read_ratio);
    cell.pattern = values::pattern_word(step.pattern);
    (cell.queue_depth, cell.workers) = (step.queue_depth, step.workers);
    cell.levels = ordered.iter().map(|one| level(one)).collect();
    for other in others {
        cell.estimates
            .push(estimate(Metric::Throughput, base, other));
        cell.estimates
            .push(estimate(Metric::LatencyMean, base, other));
        cell.estimates
            .push(estimate(Metric::LatencyMedian, base, other));
    }
    cell
}

fn level(trial: &ArmTrial) -> ArmLevel {
    let arm = &trial.arm;
    ArmLevel {
        arm: name(arm.start_bytes),
        latency_p50_us: Some(arm.latency_us.p50),
        latency_mean_us: Some(arm.latency_us.mean),
        latency_p99_us: Some(arm.latency_us.p99),
        iops: Some(arm.iops),
        bytes_per_s: Some(arm.bytes_per_s),
        cpu_per_io_us: None,
    }
}

/// An arm against the baseline with the same seeds.
fn estimate(metric: Metric, base: &ArmTrial, other: &ArmTrial) -> Estimate {
    let of = |trial: &ArmTrial| match metric {
        Metric::Throughput => trial.rates.clone(),
        Metric::LatencyMean => trial.means.clone(),
        _ => vec![trial.arm.latency_us.p50],
    };
    let pairs = of(other).into_iter().zip(of(base));
    let ratios: Vec<f64> = pairs.map(|(other, base)| other / base).collect();
    let mean = ratios.iter().sum::<f64>() / ratio(ratios.len().max(1) as u64, 1);
    let (low, high) = interval(&ratios).unwrap_or((mean, mean));
    let worse = |low: f64, high: f64| match metric.more_is_better() {
        true => high < 1.0 - ROPE,
        false => low > 1.0 + ROPE,
    };
    let better = |low: f64, high: f64| match metric.more_is_better() {
        true => low > 1.0 + ROPE,
        false => high < 1.0 - ROPE,
    };
    Estimate {
        metric,
        arm: name(other.arm.start_bytes),
        baseline: name(base.arm.start_bytes),
        ratio: Some(mean),
        ratio_low: Some(low),
        ratio_high: Some(high),
        confidence: 0.95,
        method: match ratios.len() {
            1 => "one simulated run of each".to_owned(),
            runs => format!("{runs} simulated runs with the same seeds, Student's t"),
        },
        rounds: ratios.len() as u64,
        verdict: if worse(low, high) {
            EstimateVerdict::Slower
        } else if better(low, high) {
            EstimateVerdict::Faster
        } else if low >= 1.0 - ROPE && high <= 1.0 + ROPE {
            EstimateVerdict::NoDifference
        } else {
            EstimateVerdict::Undecided
        },
        note: None,
    }
}
