//! `ioalign trace summarize`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use ioalign_core::profile::{Profile, TraceFile};
use ioalign_observe::analyse;
use ioalign_observe::error::{ObserveError, ObserveErrorKind};
use ioalign_observe::formats::Hints;
use ioalign_observe::pipeline::TraceSummary;
use ioalign_observe::{TraceProgress, TraceSettings, summarize};

use super::{bar, look, spark, stack};
use crate::args::{EngineArg, SourceArgs, SummarizeArgs};
use crate::exit::{Exit, Stopped, UsageError};
use crate::interrupt::Interrupt;
use crate::say::note;
use ioalign_check::machine;

/// Runs the verb.
pub fn run(arguments: &SummarizeArgs) -> Result<Exit> {
    if arguments.engine == EngineArg::Spark {
        return on_cluster(arguments);
    }
    if arguments.master.is_some() || !arguments.spark_conf.is_empty() {
        let what = "--master and --spark-conf are for --engine spark";
        return Err(UsageError(what.to_owned()).into());
    }
    let settings = settings(arguments)?;
    let interrupt = Interrupt::watched()?;
    let progress = TraceProgress::default();
    let watched = !arguments.look.quiet;
    let mut profile = bar::while_shown(&arguments.files, watched, &progress, &interrupt, || {
        summarize(&arguments.files, &settings, &progress).map(TraceSummary::into_profile)
    })
    .map_err(asked)?;
    if arguments.stack.as_deref().is_some_and(stack::is_live) {
        profile.machine = machine::read(&[]);
    }
    show(&profile, arguments)?;
    not_in_stack(&profile, arguments);
    if nothing_parsed(&profile.files, profile.events) {
        return Ok(Exit::Unreadable);
    }
    if progress.stop.load(Ordering::Relaxed) {
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// The same, counted by Spark: what could not be read is named, and the rest is shown.
fn on_cluster(arguments: &SummarizeArgs) -> Result<Exit> {
    let profile = spark::summarize(arguments)?;
    show(&profile, arguments)?;
    let unread = profile.files.iter().filter(|file| file.format == "unknown");
    let mut exit = Exit::Done;
    for file in unread {
        let why = file.cut_off.as_deref().unwrap_or("not read");
        note(format_args!("{}: {why}", file.path));
        exit = Exit::Unreadable;
    }
    Ok(exit)
}

/// Says that nothing could be read, where that is so.
pub fn nothing_parsed(files: &[TraceFile], ios: u64) -> bool {
    let why = ioalign_observe::nothing_parsed(files, ios);
    why.iter().for_each(note);
    why.is_some()
}

fn show(profile: &Profile, arguments: &SummarizeArgs) -> Result<()> {
    if arguments.look.json {
        return look::json(profile);
    }
    let options = look::options(&arguments.look);
    look::write(&ioalign_report::profile::render(profile, &options))
}

/// Devices that were not found in the stack are judged by themselves, which must not go unsaid.
fn not_in_stack(profile: &Profile, arguments: &SummarizeArgs) {
    let Some(stack) = arguments.stack.as_ref().filter(|_| !arguments.look.quiet) else {
        return;
    };
    let unknown = profile
        .devices
        .iter()
        .filter(|device| device.layer.is_none());
    let names: Vec<_> = unknown
        .map(|device| device.device.as_str())
        .take(8)
        .collect();
    if !names.is_empty() {
        let (names, stack) = (names.join(", "), stack.display());
        note(format_args!(
            "not in the stack of {stack}, and judged without it: {names}"
        ));
    }
}

fn settings(arguments: &SummarizeArgs) -> Result<TraceSettings> {
    let mut analysis = analyse::AnalysisSettings {
        burst_gap: arguments.burst_gap,
        mergeable: arguments.mergeable,
        interval: arguments.interval,
        ..analyse::AnalysisSettings::default()
    };
    let named = arguments.profile_grid.iter().flat_map(|set| &set.grids);
    let typed: Vec<_> = arguments.grid.iter().chain(named).cloned().collect();
    // Grids of the stack below replace assumed ones.
    if arguments.stack.is_some() {
        analysis.grids.clear();
    }
    analysis.grids.extend(typed);
    if !arguments.sampler.is_empty() {
        analysis.samplers.clone_from(&arguments.sampler);
    }
    for shift in &arguments.shift {
        match &shift.device {
            Some(device) => analysis.device_shifts.push((device.clone(), shift.bytes)),
            None => analysis.shift = shift.bytes,
        }
    }
    if let Some(path) = &arguments.stack {
        analysis.stack = Some(Arc::new(stack::read(path)?));
    }
    Ok(TraceSettings {
        analysis,
        devices_by_file: arguments.mergeable,
        ..reading(&arguments.source, arguments.jobs)
    })
}

/// How traces are read.
pub fn reading(source: &SourceArgs, jobs: Option<usize>) -> TraceSettings {
    TraceSettings {
        format: source.format.clone(),
        hints: Hints {
            offset_unit: source.offset_unit,
            length_unit: source.length_unit,
            time_unit: source.time_unit,
            latency_unit: source.latency_unit,
            device: None,
            columns: source.columns.clone(),
        },
        stage: source.stage.map(Into::into),
        threads: jobs,
        ..TraceSettings::default()
    }
}

/// A fact that a trace leaves open is wrong usage until it is given: exit 64. Ctrl-C before the first byte is
/// 130, and a reader that closes the output is no failure.
pub fn asked(error: ObserveError) -> anyhow::Error {
    match (error.kind(), error.os()) {
        (ObserveErrorKind::Ask, _) => UsageError(error.to_string()).into(),
        (ObserveErrorKind::Interrupted, _) => Stopped(error.to_string()).into(),
        (_, Some(kind @ io::ErrorKind::BrokenPipe)) => io::Error::from(kind).into(),
        _ => error.into(),
    }
}
