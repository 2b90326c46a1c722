//! The arguments of the verbs that write traces and profiles: `generate`, `convert`, `merge`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use ioalign_core::units::parse_size;
use ioalign_core::{GridClaim, SectorSize};
use ioalign_observe::generate::{BurstPlan, Ratio, SizeMix};
use ioalign_observe::write::TARGETS;

use super::{LookArgs, SourceArgs, number, time};
use crate::args::ReplaceArgs;

pub const GENERATE_EXAMPLES: &str = "\
Examples:
  ioalign trace generate -o t.blktrace --truth t.json --ios 1M --misaligned 17%
  ioalign trace generate --format csv --sizes 4k:50,8k:30,64k:20 --shift 63s --ios 10k
  ioalign trace generate --format parquet -o t.parquet --bursts 2s/20s --iops 5000
  ioalign trace generate --ios 200M | ioalign trace summarize -       50 GB, in constant memory

The truth is a profile: every counter of `trace summarize --json` on the same trace that follows
from the I/Os alone. The same arguments give the same bytes on every machine.

Exit codes: 0 done, 64 wrong usage, 65 cannot be written, 130 interrupted.";

pub const CONVERT_EXAMPLES: &str = "\
Examples:
  ioalign trace convert sda.blktrace.* -o sda.parquet          for DuckDB, pandas, Polars
  perf script | ioalign trace convert - --to csv -o trace.csv
  ioalign trace convert trace.csv.gz --to iolog3 -o replay.log
  fio --read_iolog=replay.log
  ioalign trace convert hm_1.csv --as msr --to blktrace -o hm_1.blktrace

Without --to, the ending of the output says the format. What a format cannot hold is counted on
standard error.

Exit codes: 0 done, 64 wrong usage, 65 a trace is unreadable or the output cannot be written,
130 interrupted: what was read until then is written.";

pub const MERGE_EXAMPLES: &str = "\
Examples:
  ioalign trace merge host-*.json                 a fleet, devices of one name added up
  ioalign trace merge --apart host-*.json         devices named FILE/DEVICE
  ioalign trace merge monday.json tuesday.json --json      made with `summarize --mergeable`

Profiles of `trace summarize --mergeable` become what one run over all traces gives. Every value
that does not follow exactly is named in `inexact`, with the reason.

Exit codes: 0 done, 64 wrong usage, 65 a file is unreadable or no profile.";

pub const SQL_EXAMPLES: &str = "\
Examples:
  ioalign trace convert sda.blktrace.* -o sda.parquet
  ioalign trace sql --dialect duckdb sda.parquet | duckdb
  ioalign trace sql --dialect spark hdfs:///traces/*.parquet --grid 64k | spark-sql

Exit codes: 0 done, 64 wrong usage.";

/// The engine that the SQL is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum SqlDialect {
    /// Apache Spark SQL
    Spark,
    /// DuckDB
    Duckdb,
}

#[derive(Debug, Args)]
pub struct SqlArgs {
    /// The Parquet file, files or folder, as the engine names them
    #[arg(value_name = "FILE.parquet")]
    pub file: String,

    /// The engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub dialect: SqlDialect,

    /// Count on this grid, SIZE or SIZE@PHASE (default: 4 KiB)
    #[arg(long, value_name = "GRID")]
    pub grid: Vec<GridClaim>,
}

fn targets() -> PossibleValuesParser {
    PossibleValuesParser::new(TARGETS.iter().map(|target| target.name))
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The output file; `-`: standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    /// The format (default: by the ending of the output, else blktrace)
    #[arg(long, value_name = "FORMAT", value_parser = targets())]
    pub format: Option<String>,

    /// Write what is in the trace as a profile, in JSON
    #[arg(long, value_name = "FILE.json")]
    pub truth: Option<PathBuf>,

    /// How many I/Os: 100k, 5M, 1G are thousands, millions, billions
    #[arg(long, value_name = "N", default_value = "100k", value_parser = count)]
    pub ios: u64,

    /// Another seed gives another trace of the same workload
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// How many devices, all alike
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub devices: u32,

    /// Size of a device
    #[arg(long, value_name = "SIZE", default_value = "1T", value_parser = size)]
    pub device_size: u64,

    /// Sizes of I/Os with their weights
    #[arg(long, value_name = "SIZE:WEIGHT,…", default_value = "4k:50,8k:30,64k:20", value_parser = mix)]
    pub sizes: SizeMix,

    /// I/Os start at multiples of this, but for --misaligned and --shift
    #[arg(long, value_name = "SIZE", default_value = "4k", value_parser = size)]
    pub align: u64,

    /// Share of I/Os that start off by one to seven 512-byte sectors
    #[arg(long, value_name = "SHARE", default_value = "0%")]
    pub misaligned: Ratio,

    /// Added to every offset: a partition that starts there (63s, 1M)
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = size)]
    pub shift: u64,

    /// Share of I/Os that begin where the last one of their process ended
    #[arg(long, value_name = "SHARE", default_value = "20%")]
    pub sequential: Ratio,

    /// Share of reads among reads and writes
    #[arg(long, value_name = "SHARE", default_value = "70%")]
    pub read_ratio: Ratio,

    /// Share of discards
    #[arg(long, value_name = "SHARE", default_value = "0%")]
    pub discards: Ratio,

    /// Share of flushes
    #[arg(long, value_name = "SHARE", default_value = "0%")]
    pub flushes: Ratio,

    /// Mean rate while I/O comes
    #[arg(long, value_name = "N", default_value = "20000", value_parser = number)]
    pub iops: f64,

    /// I/O comes for a time, again and again: 2s/20s is two seconds of each twenty
    #[arg(long, value_name = "ON/EVERY", value_parser = bursts)]
    pub bursts: Option<BurstPlan>,

    /// The most I/Os in flight
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub depth: u32,

    /// How many processes issue I/O
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10000))]
    pub processes: u32,

    /// Mean latency; a thousandth takes twenty times as long
    #[arg(long, value_name = "TIME", default_value = "120us", value_parser = time)]
    pub latency: u64,

    /// Latency of writes that cover a 4 KiB block in part, over that of others
    #[arg(long, value_name = "FACTOR", default_value = "1.6", value_parser = number)]
    pub penalty: f64,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "The truth counts on this grid too, beside 4 KiB: SIZE[@PHASE][:KIND][:TIER]"
    )]
    pub grid: Vec<GridClaim>,

    /// Idle time that ends a burst, for the truth
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time)]
    pub burst_gap: u64,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Trace files of one machine and time, `-` for standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// The output file; `-`: standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    /// The format to write (default: by the ending of the output)
    #[arg(long, value_name = "FORMAT", value_parser = targets())]
    pub to: Option<String>,

    #[command(flatten)]
    pub source: SourceArgs,

    /// Parsing threads (default: all processors)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// No bar and no counts on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Profiles: what `trace summarize --json` and `watch --json` print
    #[arg(required = true, value_name = "PROFILE.json")]
    pub files: Vec<PathBuf>,

    /// Devices of different files stay apart, named FILE/DEVICE
    #[arg(long)]
    pub apart: bool,

    /// The profiles are of one time after another: durations add up
    #[arg(long)]
    pub parts: bool,

    /// The result is to be merged again: it keeps what that needs
    #[arg(long)]
    pub mergeable: bool,

    #[command(flatten)]
    pub look: LookArgs,
}

fn size(text: &str) -> Result<u64, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    Ok(size.get())
}

/// `100k`, `5M`, `1G`: powers of a thousand, because they are no bytes.
fn count(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "" => 1_u64,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return Err(format!("`{text}` is no number: 100k, 5M, 1G")),
    };
    let value = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
    value.ok_or_else(|| format!("`{text}` is no number: 100k, 5M, 1G"))
}

/// `4k:50,8k:30,64k:20`; without weights all are alike.
fn mix(text: &str) -> Result<SizeMix, String> {
    let one = |part: &str| {
        let (bytes, weight) = part.rsplit_once(':').unwrap_or((part, "1"));
        let bytes = u32::try_from(size(bytes.trim())?).map_err(|_| "4 GiB and more".to_owned())?;
        let weight = weight.trim().trim_end_matches('%');
        let weight = weight
            .parse()
            .map_err(|_| format!("`{weight}` is no weight"))?;
        if bytes == 0 {
            return Err("an I/O of no bytes".to_owned());
        }
        Ok((bytes, weight))
    };
    let sizes = text
        .split(',')
        .map(one)
        .collect::<Result<Vec<_>, String>>()?;
    SizeMix::new(&sizes).ok_or_else(|| "no weight is above zero".to_owned())
}

/// `2s/20s`.
fn bursts(text: &str) -> Result<BurstPlan, String> {
    let (on, every) = text.split_once('/').ok_or("ON/EVERY, as in 2s/20s")?;
    let bursts = BurstPlan {
        on: time(on)?,
        every: time(every)?,
    };
    if bursts.every < bursts.on {
        return Err("the next burst begins before the first ends".to_owned());
    }
    Ok(bursts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_of_thousands() {
        assert_eq!(
            (count("5M"), count("100k"), count("7")),
            (Ok(5_000_000), Ok(100_000), Ok(7))
        );
        assert!(count("5MiB").is_err() && count("").is_err() && count("99999999999999G").is_err());
    }

    #[test]
    fn mixes_are_read() {
        let all: Vec<_> = mix("4k:50,8k:30,64k:20").unwrap().sizes().collect();
        assert_eq!(all, [4096, 8192, 65536]);
        assert!(mix("4k").is_ok());
        assert!(mix("4k:0").is_err() && mix("0:1").is_err() && mix("4k:x").is_err());
    }
}
