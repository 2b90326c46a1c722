//! The arguments of `trace`.

mod make;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgAction, Args, Subcommand, ValueEnum};
use ioalign_core::units::parse_size;
use ioalign_core::{GridClaim, SectorSize};

pub use make::{ConvertArgs, GenerateArgs, MergeArgs, SqlArgs, SqlDialect};

#[derive(Debug, Args)]
pub struct TraceArgs {
    #[command(subcommand)]
    pub verb: TraceVerb,
}

#[derive(Debug, Subcommand)]
pub enum TraceVerb {
    /// Which I/O crosses which grid, by device, operation and process
    #[command(after_long_help = SUMMARIZE_EXAMPLES)]
    Summarize(Box<SummarizeArgs>),
    /// Little's law: what is in flight is the rate times the latency; any two give the third
    #[command(after_long_help = LITTLES_LAW_EXAMPLES)]
    LittlesLaw(LittlesLawArgs),
    /// Write any readable trace as Parquet, CSV, blktrace, blkparse or fio iolog
    #[command(after_long_help = make::CONVERT_EXAMPLES)]
    Convert(Box<ConvertArgs>),
    /// Make a trace of a known workload, and the truth about it
    #[command(after_long_help = make::GENERATE_EXAMPLES)]
    Generate(Box<GenerateArgs>),
    /// SQL over a trace in Parquet: its main counters, for Spark or DuckDB
    #[command(after_long_help = make::SQL_EXAMPLES)]
    Sql(SqlArgs),
    /// Add up profiles of several machines, or of parts of one trace
    #[command(after_long_help = make::MERGE_EXAMPLES)]
    Merge(MergeArgs),
}

const SUMMARIZE_EXAMPLES: &str = "\
Examples:
  ioalign trace summarize sda.blktrace.*           the per-CPU files of one blktrace
  blkparse -i sda | ioalign trace summarize -      its text, from standard input
  ioalign trace summarize trace.csv.gz --as msr --grid 64k:raid-chunk:rmw --json
  ioalign trace summarize sda.blktrace.* --stack live       on every layer below sda
  ioalign trace summarize vm.csv --shift 32256              as behind a partition at sector 63
  ioalign trace summarize t.bin --interval 1s --sampler 20s
  ioalign trace summarize --engine spark --master spark://head:7077 /shared/traces/*.csv

Exit codes: 0 done, 64 wrong usage, 65 a trace is unreadable or of no known format,
130 interrupted: what was read until then is shown.";

const LITTLES_LAW_EXAMPLES: &str = "\
Examples:
  ioalign trace littles-law --outstanding 32 --size 1M --latency 80ms
  ioalign trace littles-law --outstanding 32 --size 1M --latency 80ms --throughput 17.5M --sampler 20s
  ioalign trace littles-law --outstanding 62.8 --iops 20233

Exit codes: 0 the numbers agree, 1 they contradict each other by more than 10 %, 64 too few of them.";

#[derive(Debug, Args)]
pub struct SummarizeArgs {
    /// Trace files of one machine and time, `-` for standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub source: SourceArgs,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "Judge against this grid beside all powers of two: SIZE[@PHASE][:KIND][:TIER]"
    )]
    pub grid: Vec<GridClaim>,

    #[arg(
        long,
        value_name = "NAME",
        value_parser = super::profile,
        help = "Judge against a named set: 4kn, 512e, vmfs, netapp-wafl, zfs-8k, ebs-16k-atomic, \
                iu-16k, iu-64k, sd-card-4m, raid:<element>x<data disks>"
    )]
    pub profile_grid: Vec<super::ProfileArg>,

    /// Judge on every layer below too: a document of `check --json`, or `live` for this machine
    #[arg(long, value_name = "CHECK.json")]
    pub stack: Option<PathBuf>,

    /// Add this many bytes to every offset, or to those of one device: 32256, sda1=63s, -1M
    #[arg(long, value_name = "[DEVICE=]BYTES", allow_hyphen_values = true, value_parser = shift)]
    pub shift: Vec<ShiftArg>,

    /// Idle time that ends a burst
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time)]
    pub burst_gap: u64,

    /// Show what monitoring shows that samples so often (default: 1s and 20s)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub sampler: Vec<u64>,

    /// Rates over time in steps of this length, in the columns of pt-diskstats
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub interval: Option<u64>,

    /// Where the traces are read: in this process, or on a cluster by `spark-submit`
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "embedded")]
    pub engine: EngineArg,

    /// The cluster: spark://HOST:7077, yarn, k8s://…, or local
    #[arg(long, value_name = "URL")]
    pub master: Option<String>,

    /// A setting of Spark, KEY=VALUE
    #[arg(long, value_name = "KEY=VALUE")]
    pub spark_conf: Vec<String>,

    /// Size of the pieces of large text traces on a cluster (MSR, Alibaba; other formats stay whole)
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = piece)]
    pub split_bytes: u64,

    /// Keep in the JSON what `trace merge` needs to give what one run over everything gives
    #[arg(long)]
    pub mergeable: bool,

    /// Parsing threads (default: all processors)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    #[command(flatten)]
    pub look: LookArgs,
}

/// What reads the traces.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// This process
    Embedded,
    /// Apache Spark
    Spark,
}

fn piece(text: &str) -> Result<u64, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    match size.get() {
        0 => Err("a piece of no bytes".to_owned()),
        size => Ok(size),
    }
}

/// How trace files are read, where they leave something open.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// The format, where it is not recognised by itself
    #[arg(long = "as", value_name = "FORMAT", value_parser = formats())]
    pub format: Option<String>,

    /// Columns of a table (time=0,op=1,offset=2,len=3[,latency=4,device=5,process=6,read=R,write=W],
    /// by number from 0 or by name), or the -f of blkparse (%T.%9t %p %a %d %S + %n)
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,

    /// Unit of times, where the format leaves it open: s, ms, us, ns
    #[arg(long, value_name = "UNIT", value_parser = time_unit)]
    pub time_unit: Option<u64>,

    /// Unit of offsets, where the format leaves it open: bytes in one of them (1, 512, 4096)
    #[arg(long, value_name = "BYTES", value_parser = offset_unit)]
    pub offset_unit: Option<u32>,

    /// Unit of lengths, where it is not that of offsets: 1 for bytes beside offsets in sectors
    #[arg(long, value_name = "BYTES", value_parser = offset_unit)]
    pub length_unit: Option<u32>,

    /// Unit of latencies, where it is not that of times: s, ms, us, ns
    #[arg(long, value_name = "UNIT", value_parser = time_unit)]
    pub latency_unit: Option<u64>,

    /// Count I/Os as they arrive in the block layer, or as the driver gets them
    #[arg(long, value_enum, value_name = "STAGE")]
    pub stage: Option<StageArg>,
}

/// How an answer is shown.
#[derive(Clone, Debug, Args)]
pub struct LookArgs {
    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,

    /// The answer alone
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// All details
    #[arg(long, short, action = ArgAction::Count)]
    pub verbose: u8,

    #[command(flatten)]
    pub terminal: super::TerminalArgs,
}

#[derive(Debug, Args)]
pub struct LittlesLawArgs {
    /// I/Os in flight
    #[arg(long, value_name = "N", value_parser = number)]
    pub outstanding: Option<f64>,

    /// I/Os a second
    #[arg(long, value_name = "N", value_parser = number)]
    pub iops: Option<f64>,

    /// Time of one I/O: 80ms, 350us, 1.2s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub latency: Option<u64>,

    /// Bytes an I/O: 4k, 1M
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub size: Option<f64>,

    /// Bytes a second, as a chart shows them: 17.5M, 400MiB/s, 211MB/s
    #[arg(long, value_name = "RATE", value_parser = bytes)]
    pub throughput: Option<f64>,

    /// How often that chart samples: 20s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub sampler: Option<u64>,

    #[command(flatten)]
    pub look: LookArgs,
}

fn formats() -> PossibleValuesParser {
    let values = ioalign_observe::formats::askable();
    PossibleValuesParser::new(
        values.map(|format| PossibleValue::new(format.name).help(format.title)),
    )
}

/// A shift of all devices, or of one.
#[derive(Clone, Debug)]
pub struct ShiftArg {
    /// The device; `None`: all.
    pub device: Option<String>,
    /// Bytes.
    pub bytes: i64,
}

fn shift(text: &str) -> Result<ShiftArg, String> {
    let (device, size) = match text.rsplit_once('=') {
        Some((device, size)) => (Some(device.to_owned()), size),
        None => (None, text),
    };
    let (negative, plain) = match size.strip_prefix('-') {
        Some(plain) => (true, plain),
        None => (false, size),
    };
    let bytes = parse_size(plain, SectorSize::S512).map_err(|error| error.to_string())?;
    let bytes = i64::try_from(bytes.get()).map_err(|_| "past 63 bits".to_owned())?;
    let bytes = if negative { -bytes } else { bytes };
    Ok(ShiftArg { device, bytes })
}

/// A time in nanoseconds: `20s`, `1.5ms`, `100us`; a plain number is of seconds.
fn time(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 7] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("min", 60e9),
        ("h", 3600e9),
        ("s", 1e9),
    ];
    let unit = UNITS
        .iter()
        .find_map(|(name, nanos)| Some((text.strip_suffix(name)?, *nanos)));
    let (digits, nanos) = unit.unwrap_or((text, 1e9));
    let value = number(digits.trim())? * nanos;
    if !(1.0..1e18).contains(&value) {
        return Err(format!("`{text}` is no time: 20s, 100ms, 350us"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within range
    Ok(value.round() as u64)
}

fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(format!("`{text}` is not above zero"))
    }
}

/// Bytes, also a second, with decimals: `17.5M` and `17.5MiB/s` are binary, `17.5MB/s` decimal.
fn bytes(text: &str) -> Result<f64, String> {
    let plain = text.strip_suffix("/s").unwrap_or(text).trim();
    let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = plain
        .get(digits.len()..)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let powers = ["", "k", "m", "g", "t", "p"];
    let decimal = unit.len() == 2 && unit.ends_with('b');
    let letter = unit.trim_end_matches("ib").trim_end_matches('b');
    let power = powers.iter().position(|known| *known == letter);
    let power = power.ok_or_else(|| format!("`{text}` is no size: 4k, 1MiB, 17.5MB/s"))?;
    let base: f64 = if decimal { 1000.0 } else { 1024.0 };
    let power = i32::try_from(power).unwrap_or(0);
    Ok(number(digits.trim())? * base.powi(power))
}

/// The stage at which I/Os are counted.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum StageArg {
    /// As they arrive (blktrace Q): before merging
    Queue,
    /// As the driver gets them (blktrace D): after merging
    Issue,
}

impl From<StageArg> for ioalign_observe::pairing::CountedStage {
    fn from(stage: StageArg) -> Self {
        match stage {
            StageArg::Queue => Self::Queue,
            StageArg::Issue => Self::Issue,
        }
    }
}

/// Nanoseconds of a unit of time.
fn time_unit(text: &str) -> Result<u64, String> {
    match text {
        "s" => Ok(1_000_000_000),
        "ms" => Ok(1_000_000),
        "us" => Ok(1_000),
        "ns" => Ok(1),
        _ => Err("s, ms, us or ns".to_owned()),
    }
}

/// Bytes of a unit of offsets.
fn offset_unit(text: &str) -> Result<u32, String> {
    let unit = text
        .parse()
        .ok()
        .filter(|unit: &u32| (1..=1 << 20).contains(unit));
    unit.ok_or_else(|| "bytes in one unit, 1 to 1048576: 512 where offsets are sectors".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_are_read() {
        assert_eq!(time("80ms"), Ok(80_000_000));
        assert_eq!(time("20s"), Ok(20_000_000_000));
        assert_eq!(time("1.5us"), Ok(1500));
        assert_eq!(time("2"), Ok(2_000_000_000));
        assert!(time("0").is_err() && time("-1s").is_err() && time("1y").is_err());
        let is = |text: &str, wanted: f64| (bytes(text).unwrap() - wanted).abs() < 0.5;
        assert!(is("17.5M", 18_350_080.0) && is("17.5MB/s", 17_500_000.0));
        assert!(is("400MiB/s", 419_430_400.0) && is("4096", 4096.0) && is("1k", 1024.0));
        assert!(is("4KB", 4000.0) && is("512B", 512.0) && bytes("1x").is_err());
    }

    #[test]
    fn shifts_are_read() {
        let one = shift("sda1=63s").unwrap();
        assert_eq!((one.device.as_deref(), one.bytes), (Some("sda1"), 32256));
        assert_eq!(shift("-1M").unwrap().bytes, -1_048_576);
        assert!(shift("sda1=").is_err());
    }
}
