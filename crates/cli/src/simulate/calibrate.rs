//! `ioalign simulate calibrate`: the aligned I/O of a device is measured, the cost of an offset predicted, and then
//! measured.

use anyhow::Result;
use ioalign_core::array::RaidLevel;
use ioalign_core::comparison::{Comparison, Metric};
use ioalign_core::simulation_document::{CALIBRATION_SCHEMA, CalibrationRecord, CalibrationRow};
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_measure::engine::CellSpec;
use ioalign_report::comparison::words;
use ioalign_simulate::description::DescribedArray;
use ioalign_simulate::geometry::ArrayGeometry;

use super::arms::{once, warm_up};
use super::array::named;
use crate::args::{HowArgs, SimulateCalibrateArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::look;
use crate::measure::cells::{self, Usual};
use crate::measure::{OffsetMeasurement, allowed, measured_at};
use crate::output_file::Destination;

/// Requests of a prediction.
const IOS: u64 = 50_000;
const SEED: u64 = 42;

/// Runs the verb.
pub fn run(arguments: &SimulateCalibrateArgs) -> Result<Exit> {
    let shown = &arguments.how.shown;
    let kept = [arguments.target.clone()];
    let record_to = Destination::report(shown.output.as_deref(), shown.replace, &kept);
    record_to.check()?;
    let specs = specs(arguments);
    allowed(
        specs.iter().any(|spec| spec.read_ratio < 1.0),
        &arguments.how.io,
    )?;
    let array = named(&arguments.array)?;
    let interrupt = Interrupt::watched()?;
    // The record is written here, not a comparison.
    let mut how: HowArgs = arguments.how.clone();
    how.shown.output = None;
    let measure = |offsets: &[u64]| {
        let wanted = OffsetMeasurement {
            target: &arguments.target,
            offsets,
            specs: &specs,
            how: &how,
            ramp_ms: arguments.ramp,
            time_ms: arguments.time,
        };
        measured_at(&wanted, &interrupt)
    };
    let (aligned, exit) = measure(&[0, on_the_grid(&array)?])?;
    let mut record = CalibrationRecord {
        schema: CALIBRATION_SCHEMA.to_owned(),
        tool: crate::check::tool(),
        target: arguments.target.display().to_string(),
        machine: aligned.machine.clone(),
        array: arguments.array.clone(),
        about: array.about(),
        offset_bytes: arguments.offset,
        tolerance_ratio: arguments.tolerance,
        notes: aligned.notes.clone(),
        ..CalibrationRecord::default()
    };
    for cell in &aligned.cells {
        let spec = cells::spec(cell).map_err(UsageError)?;
        let Some(rate) = cell.levels.first().and_then(|level| level.iops) else {
            continue;
        };
        let predicted = predict(&array, &spec, arguments.offset)?;
        record.rows.push(CalibrationRow {
            load: format!("{}, {} in flight", words::cell(cell), cell.in_flight()),
            aligned_iops: rate,
            predicted_ratio: predicted,
            predicted_iops: rate * predicted,
            ..CalibrationRow::default()
        });
    }
    let exit = match exit {
        Exit::Done => {
            let (comparison, exit) = measure(&[0, arguments.offset])?;
            compare(&mut record, &comparison);
            exit
        }
        other => other,
    };
    let json = ioalign_report::json::pretty(&record);
    if shown.output.is_some() {
        record_to.write(|out| out.write_all(json.as_bytes()))?;
    }
    if shown.look.json {
        look::json(&record)?;
    } else {
        let options = look::options(&shown.look);
        look::write(&ioalign_report::simulation::calibration(&record, &options))?;
    }
    let missed = record.rows.iter().any(|row| row.hit == Some(false));
    Ok(match exit {
        Exit::Done if missed => Exit::Code(1),
        other => other,
    })
}

/// A second start on the grid: rates are those of comparisons, and this one compares like with like.
fn on_the_grid(array: &DescribedArray) -> Result<u64> {
    const ABOUT: u64 = 1 << 20;
    let geometry = ArrayGeometry::new(array.shape.clone()).map_err(UsageError)?;
    let single = array.shape.array.disks == 1 || array.shape.array.level == RaidLevel::Raid1;
    let stripe = if single {
        ABOUT
    } else {
        geometry.element() * geometry.bearing()
    };
    Ok(ABOUT.next_multiple_of(stripe))
}

fn specs(arguments: &SimulateCalibrateArgs) -> Vec<CellSpec> {
    let usual = Usual {
        sizes: &[16384],
        ops: &[1.0],
        patterns: &[Pattern::Random],
        depth: &[8, 32],
    };
    cells::all(&arguments.cells, &usual)
}

/// Misaligned over aligned requests a second: the time of a disk is in both.
fn predict(array: &DescribedArray, spec: &CellSpec, offset: u64) -> Result<f64> {
    let load = Workload {
        sizes: vec![SizeShare::only(spec.block_bytes)],
        read_ratio: spec.read_ratio,
        pattern: spec.pattern,
        queue_depth: spec.queue_depth,
        workers: spec.workers,
        ..Workload::default()
    };
    let counts = (IOS, warm_up(array, &load));
    let rate = |start| {
        let outcome = once(array, &load, (start, None), counts, SEED);
        outcome.map(|outcome| outcome.iops()).map_err(UsageError)
    };
    Ok(rate(offset)? / rate(0)?)
}

/// What was measured, beside what was predicted.
fn compare(record: &mut CalibrationRecord, comparison: &Comparison) {
    for (row, cell) in record.rows.iter_mut().zip(&comparison.cells) {
        let mut estimates = cell.estimates.iter();
        let found = estimates.find(|one| one.metric == Metric::Throughput);
        // Without an interval where time was too short for one.
        let level = |arm: usize| cell.levels.get(arm).and_then(|level| level.iops);
        let levels = level(1).zip(level(0)).map(|(off, on)| off / on);
        row.measured_ratio = found.and_then(|one| one.ratio).or(levels);
        row.measured_low = found.and_then(|one| one.ratio_low);
        row.measured_high = found.and_then(|one| one.ratio_high);
        row.error_ratio = row
            .measured_ratio
            .map(|ratio| row.predicted_ratio / ratio - 1.0);
        row.hit = row
            .error_ratio
            .map(|error| error.abs() <= record.tolerance_ratio);
    }
    for note in &comparison.notes {
        if !record.notes.contains(note) {
            record.notes.push(note.clone());
        }
    }
}
