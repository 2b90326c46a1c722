//! The trace formats in a release build: how fast they parse, and that nothing breaks them.
//!
//! * `formats parse FILE...`: chunks of each file through its parser on one core, nothing else; the
//!   processor time of the process is the figure (`time`).
//! * `formats count FILE...`: the I/Os of Parquet files in memory, counted by one core, nothing else.
//! * `formats summarize FILE...`: each file to its profile, as JSON.
//! * `formats fuzz RUNS [FORMAT]`: that many damaged traces of each format; a failure prints the seed
//!   that repeats it.

#[path = "../../crates/observe/tests/it/damage.rs"]
mod damage;
#[path = "../../crates/observe/tests/it/samples.rs"]
mod samples;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ioalign_observe::analyse::Analysis;
use ioalign_observe::formats::Hints;
use ioalign_observe::formats::parquet::groups;
use ioalign_observe::generate::{self, GeneratePlan};
use ioalign_observe::input::{self, chunks::Chunker};
use ioalign_observe::record::Io;
use ioalign_observe::{TraceProgress, TraceRecords, pipeline, write};

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["parse", files @ ..] => files.iter().for_each(|file| parse(Path::new(file))),
        ["count", files @ ..] => files.iter().for_each(|file| count(Path::new(file))),
        ["summarize", files @ ..] => files.iter().for_each(|file| summarize(Path::new(file))),
        ["fuzz", runs, rest @ ..] => return fuzz(runs.parse().unwrap(), rest.first().copied()),
        _ => panic!("formats parse|count|summarize FILE... | formats fuzz RUNS [FORMAT]"),
    }
    ExitCode::SUCCESS
}

fn parse(path: &Path) {
    let input = input::open(path).unwrap();
    let format = pipeline::format_of(&input, None).unwrap();
    if format.name == "parquet" {
        return parse_parquet(path);
    }
    let mut parser = (format.parser)(&input.head, &Hints::default()).unwrap();
    let mut chunker = Chunker::new(input.reader, format.framing, 1 << 20);
    let (mut chunk, mut records) = (Vec::new(), TraceRecords::default());
    let (mut bytes, mut rows, mut skipped) = (0, 0, 0);
    let start = Instant::now();
    while chunker.next(&mut chunk).unwrap() {
        records.clear();
        parser.parse(&chunk, &mut records);
        bytes += chunk.len();
        rows += records.rows.len();
        skipped += records.skipped.rows;
    }
    let mib = bytes >> 20;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}: {mib} MiB, {rows} rows, {skipped} skipped, {seconds:.2} s",
        format.name
    );
}

fn parse_parquet(path: &Path) {
    let groups = groups::Groups::open(path).unwrap();
    let (mut batches, mut records) = (groups::Batches::default(), TraceRecords::default());
    let mut rows = 0;
    let start = spent();
    for group in 0..groups.count() {
        groups.open_rows(group, &mut batches).unwrap();
        let mut more = true;
        while more {
            records.clear();
            more = batches.next(&mut records).unwrap();
            rows += records.count() as u64;
        }
    }
    println!("parquet: {}", rate(rows, spent() - start));
}

fn count(path: &Path) {
    let groups = groups::Groups::open(path).unwrap();
    let mut batches = groups::Batches::default();
    let mut all: Vec<Io> = Vec::new();
    for group in 0..groups.count() {
        groups.open_rows(group, &mut batches).unwrap();
        let mut more = true;
        while more {
            let mut records = TraceRecords::default();
            more = batches.next(&mut records).unwrap();
            all.extend(records.rows.iter().map(|row| row.io));
        }
    }
    let start = spent();
    let mut analysis = Analysis::new(&ioalign_observe::analyse::AnalysisSettings::default());
    analysis.add(&all);
    let rows = all.len();
    println!("counting: {}", rate(rows as u64, spent() - start));
}

/// Processor time of this process.
fn spent() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        now.tv_sec.unsigned_abs(),
        u32::try_from(now.tv_nsec).unwrap(),
    )
}

fn rate(rows: u64, spent: Duration) -> String {
    let nanos = ioalign_core::units::ratio(u64::try_from(spent.as_nanos()).unwrap(), rows.max(1));
    format!(
        "{rows} rows, {:.3} s, {nanos:.1} ns each",
        spent.as_secs_f64()
    )
}

fn summarize(path: &Path) {
    let settings = ioalign_observe::TraceSettings::default();
    let paths = [path.to_owned()];
    let summary = ioalign_observe::summarize(&paths, &settings, &TraceProgress::default()).unwrap();
    let out = std::io::BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer_pretty(out, &summary.into_profile()).unwrap();
}

/// A few rows of every operation.
fn parquet() -> Vec<u8> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let plan = GeneratePlan {
        ios: 300,
        discards: "10%".parse().unwrap(),
        flushes: "5%".parse().unwrap(),
        ..GeneratePlan::default()
    };
    let out = Box::new(file.reopen().unwrap());
    let mut writer = (write::named("parquet").unwrap().writer)(out, false).unwrap();
    generate::write(&plan, &mut *writer, None, &TraceProgress::default()).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

fn fuzz(runs: u64, wanted: Option<&str>) -> ExitCode {
    let mut failures = 0;
    let mut samples = samples::all();
    samples.push(samples::Sample {
        format: "parquet",
        hints: Hints::default(),
        bytes: parquet(),
    });
    for sample in samples
        .iter()
        .filter(|s| wanted.is_none_or(|wanted| wanted == s.format))
    {
        let start = Instant::now();
        for seed in 0..runs {
            let mut random = ioalign_testkit::Random(seed);
            let mut bytes = sample.bytes.clone();
            damage::damage(&mut bytes, &mut random);
            let run = || damage::run(&bytes, &sample.hints);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                println!("{}: seed {seed} fails", sample.format);
                failures += 1;
            }
        }
        println!(
            "{}: {runs} runs, {:.1} s",
            sample.format,
            start.elapsed().as_secs_f64()
        );
    }
    ExitCode::from(u8::from(failures > 0))
}
