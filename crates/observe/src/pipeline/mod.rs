//! From files to a profile: reading and parsing on all processors, the rest in order on one.

pub(crate) mod clocks;
mod convert;
mod feed;
mod groups;
mod record_stream;
mod stream;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ioalign_core::profile::{self, Bursts, DeviceProfile, Profile, TraceFile};

use crate::analyse::{self, Analysis};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::formats::{self, FormatFacts, Hints, TraceFormat};
use crate::input::{self, Input};
use crate::order::RecordOrder;
use crate::pairing::{CountedStage, IoSink, Pairing};
use crate::progress::TraceProgress;
use crate::record::{Io, NameDirectory, Skipped, TraceRecords};

pub use convert::{Converted, convert};
pub use stream::DeviceStream;

/// Facts about the traces from the operator.
#[derive(Clone, Debug, Default)]
pub struct TraceSettings {
    /// The format, where it is not to be detected.
    pub format: Option<String>,
    /// Facts that the format leaves open.
    pub hints: Hints,
    /// The stage at which I/Os are counted.
    pub stage: Option<CountedStage>,
    /// A trace that names no device is of the device with its file's name, also where it is the only one.
    pub devices_by_file: bool,
    /// Parsing threads; none: one a processor.
    pub threads: Option<usize>,
    /// The counters.
    pub analysis: analyse::AnalysisSettings,
}

/// The facts about one file.
#[derive(Clone, Debug)]
pub struct TraceRead {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: &'static str,
    /// The meaning of its numbers.
    pub facts: FormatFacts,
    /// How it is compressed.
    pub compression: Option<&'static str>,
    /// Rows that did not parse.
    pub skipped: Skipped,
    /// Rows that are right and tell of no I/O.
    pub other: u64,
    /// Events that the tracer says it lost.
    pub dropped: u64,
    /// Why it ends too early, where it does.
    pub cut_off: Option<String>,
    /// Records of `watch` in it, less those that have their end.
    unended: i64,
    /// Its first and its last time, in nanoseconds.
    span: Option<(i64, i64)>,
    /// Nanoseconds of the wall clock at its time 0.
    epoch: Option<i64>,
}

impl TraceRead {
    fn new(input: &Input, format: &'static str, facts: FormatFacts) -> Self {
        Self {
            path: input.path.clone(),
            format,
            facts,
            compression: input.compression,
            skipped: Skipped::default(),
            other: 0,
            dropped: 0,
            cut_off: None,
            unended: 0,
            span: None,
            epoch: None,
        }
    }

    /// Takes what a chunk says besides I/Os.
    fn take(&mut self, records: &TraceRecords) {
        self.other += records.other;
        self.dropped += records.dropped;
        self.unended += records.unended;
        self.epoch = self.epoch.or(records.epoch);
        let (first, last) = (records.rows.first(), records.rows.last());
        if let Some((first, last)) = first.zip(last) {
            let (from, to) = self.span.unwrap_or((i64::MAX, i64::MIN));
            self.span = Some((from.min(first.io.time), to.max(last.io.time)));
        }
    }

    /// Its end is reached; `cut`: before that of its compressed data.
    fn ended(&mut self, cut: bool) {
        self.cut_off = match (cut, self.unended > 0) {
            (true, _) => Some(format!(
                "the {} data end before their end",
                self.compression.unwrap_or("compressed")
            )),
            (false, true) => Some(
                "this record of `watch` has no end: it was killed, or the disk was full".to_owned(),
            ),
            (false, false) => None,
        };
    }

    /// The same in the words of the profile.
    fn facts(&self) -> TraceFile {
        let shown = self.skipped.first.iter().map(|row| profile::SkippedRow {
            place: row.place,
            text: row.text.clone(),
            why: row.why.to_owned(),
        });
        TraceFile {
            path: self.path.display().to_string(),
            format: self.format.to_owned(),
            compression: self.compression.map(str::to_owned),
            time_unit: self.facts.time.to_owned(),
            offset_unit: self.facts.offset.to_owned(),
            length_unit: self.facts.len.to_owned(),
            op_codes: self.facts.op.to_owned(),
            latency_source: self.facts.latency.to_owned(),
            skipped_rows: self.skipped.rows,
            skipped_first: shown.collect(),
            other_rows: self.other,
            dropped: self.dropped,
            cut_off: self.cut_off.clone(),
            span_ns: self.span,
            epoch_ns: self.epoch,
        }
    }
}

/// The answer.
#[derive(Debug)]
pub struct TraceSummary {
    /// The profile.
    pub profile: Profile,
    /// The files.
    pub files: Vec<TraceRead>,
}

impl TraceSummary {
    /// The profile with what is to be known of the files in it, as it is shown and written.
    pub fn into_profile(self) -> Profile {
        let mut profile = Profile {
            files: self.files.iter().map(TraceRead::facts).collect(),
            ..self.profile
        };
        if profile.files.iter().all(TraceFile::is_timeless) {
            profile.devices.iter_mut().for_each(forget_times);
        }
        profile
    }
}

/// I/Os that all have the time 0 are no burst, and no monitor would show them so.
pub(crate) fn forget_times(device: &mut DeviceProfile) {
    device.forget_course();
    device.bursts_total = Bursts::default();
    device.inter_arrival.clear();
}

/// Reads all traces, of one machine and one time, into one profile.
pub fn summarize(
    paths: &[PathBuf],
    settings: &TraceSettings,
    progress: &TraceProgress,
) -> Result<TraceSummary> {
    let mut machine = TraceMachine::new(settings);
    let inputs = open(paths, settings, progress)?;
    machine.analysis.set_absolute(absolute(&inputs)?);
    let files = feed::all(inputs, settings, progress, &mut machine)?;
    let mut profile = machine.finish(&files);
    profile.interrupted = progress.stop.load(Ordering::Relaxed);
    profile.clock_doubt = clocks::doubt(&files.iter().map(TraceRead::facts).collect::<Vec<_>>());
    Ok(TraceSummary { profile, files })
}

/// Why nothing was counted of a trace whose rows are all damaged: it is of another format, or no trace.
pub fn nothing_parsed(files: &[TraceFile], ios: u64) -> Option<String> {
    let bad = files.iter().find(|file| file.skipped_rows > 0);
    let file = bad.filter(|_| ios == 0)?;
    Some(format!(
        "{}: not one I/O in it could be read as {}: another --as?",
        file.path, file.format
    ))
}

/// Traces whose formats are known.
type Inputs = Vec<(Input, &'static TraceFormat)>;

fn open(paths: &[PathBuf], settings: &TraceSettings, progress: &TraceProgress) -> Result<Inputs> {
    let mut inputs = Vec::new();
    for path in paths {
        let input = input::open_until(path, &progress.stop)?;
        if input.head.is_empty() && progress.stop.load(Ordering::Relaxed) {
            let what = "Interrupted before there was anything to read";
            return Err(ObserveError::new(ObserveErrorKind::Interrupted, what).in_file(path));
        }
        let format = match (
            settings.format.as_deref(),
            formats::implied(&settings.hints),
        ) {
            (None, Some(implied)) => implied,
            (named, _) => format_of(&input, named)?,
        };
        inputs.push((input, format));
    }
    taken(&inputs, &settings.hints)?;
    Ok(inputs)
}

/// An answer to a question that no format asks was meant to change something.
fn taken(inputs: &Inputs, hints: &Hints) -> Result<()> {
    let formats: Vec<_> = inputs.iter().map(|(_, format)| *format).collect();
    let Some(option) = formats::unused(&formats, hints) else {
        return Ok(());
    };
    let mut names: Vec<_> = formats.iter().map(|format| format.name).collect();
    names.dedup();
    let names = names.join(", ");
    let what = format!("{option} says nothing about {names}, where units and columns are known");
    Err(ObserveError::new(ObserveErrorKind::Ask, what))
}

/// Whether all offsets are those of whole disks.
fn absolute(inputs: &Inputs) -> Result<bool> {
    let mut all = true;
    for (input, format) in inputs {
        let noted =
            groups::row_groups(input, format)?.is_some_and(|groups| groups.notes().whole_disk);
        all &= noted || format.whole_disk;
    }
    Ok(all)
}

/// The format of an input, or the one that is named.
pub fn format_of(input: &Input, named: Option<&str>) -> Result<&'static TraceFormat> {
    if let Some(name) = named {
        let unknown = || {
            ObserveError::new(
                ObserveErrorKind::Unsupported,
                format!(
                    "`{name}` is no trace format; there are {}",
                    formats::names()
                ),
            )
        };
        return formats::named(name).ok_or_else(unknown);
    }
    formats::detect(&input.head).ok_or_else(|| unrecognised(&input.path, &input.head))
}

fn unrecognised(path: &Path, head: &[u8]) -> ObserveError {
    let what = if head.is_empty() {
        "It is empty"
    } else {
        "No known trace format; name it with --as (--as cydonia, --as oraclegeneral --offset-unit 512), or the columns of \
         a table (--columns time=0,op=1,offset=2,len=3 --time-unit us --offset-unit 512)"
    };
    ObserveError::new(ObserveErrorKind::Malformed, what).in_file(path)
}

/// Everything after parsing, in order.
pub struct TraceMachine {
    directory: NameDirectory,
    order: RecordOrder,
    pairing: Pairing,
    analysis: Analysis,
    /// Takes the I/Os instead of the analysis.
    outlet: Option<convert::Outlet>,
}

impl IoSink for Analysis {
    fn ios(&mut self, ios: &[Io]) {
        self.add(ios);
    }

    fn late(&mut self, io: &Io) {
        self.add_latency(io);
    }
}

impl TraceMachine {
    /// For one trace.
    pub fn new(settings: &TraceSettings) -> Self {
        Self {
            directory: NameDirectory::default(),
            order: RecordOrder::default(),
            pairing: Pairing::new(settings.stage),
            analysis: Analysis::new(&settings.analysis),
            outlet: None,
        }
    }

    fn push(&mut self, rows: &[crate::record::TraceRecord]) {
        if let Some(outlet) = &mut self.outlet {
            let (pairing, mut sink) = (&mut self.pairing, outlet.with(&self.directory));
            return self
                .order
                .push(rows, &mut |rows| pairing.push(rows, &mut sink));
        }
        let (pairing, analysis) = (&mut self.pairing, &mut self.analysis);
        analysis.meet(&self.directory);
        self.order
            .push(rows, &mut |rows| pairing.push(rows, analysis));
    }

    /// Whether no more rows are wanted, because they cannot be written.
    fn is_full(&self) -> bool {
        self.outlet
            .as_ref()
            .is_some_and(convert::Outlet::has_failed)
    }

    fn finish(mut self, files: &[TraceRead]) -> Profile {
        let (pairing, analysis) = (&mut self.pairing, &mut self.analysis);
        self.order.finish(&mut |rows| pairing.push(rows, analysis));
        pairing.finish(analysis);
        let mut profile = self.analysis.profile(&self.directory);
        profile.dropped = files.iter().map(|file| file.dropped).sum();
        profile.unpaired = self.pairing.unpaired.named(self.order.late);
        profile
    }
}
