//! The readers of traces in a release build: how fast they parse.
//!
//! * `traces parse FILE...`: chunks of each file through its parser on one core, nothing else; the
//!   processor time of the process is the figure (`time`).
//! * `traces count FILE...`: the I/Os of Parquet files in memory, counted by one core, nothing else.
//! * `traces summarize FILE...`: each file to its profile, as JSON.

use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_observe::analyse::Analysis;
use ioalign_observe::formats::Hints;
use ioalign_observe::formats::parquet::groups;
use ioalign_observe::input::{self, chunks::Chunker};
use ioalign_observe::record::Io;
use ioalign_observe::{TraceProgress, TraceRecords, pipeline};

pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["parse", files @ ..] => files.iter().for_each(|file| parse(Path::new(file))),
        ["count", files @ ..] => files.iter().for_each(|file| count(Path::new(file))),
        ["summarize", files @ ..] => files.iter().for_each(|file| summarize(Path::new(file))),
        _ => panic!("traces parse|count|summarize FILE..."),
    }
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
