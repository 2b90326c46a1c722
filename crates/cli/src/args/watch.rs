//! The arguments of `watch`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ioalign_core::profile::ProfileAssertion;
use ioalign_core::units::parse_size;
use ioalign_core::{GridClaim, SectorSize};
use ioalign_report::watch::LineColumns;

pub const EXAMPLES: &str = "\
Examples:
  ioalign watch                              every device of this machine, full screen
  ioalign watch /dev/nvme0n1 --duration 10s  one device; the summary at the end
  ioalign watch sda --line --interval 5s     lines like iostat -x, with true latencies beside it
  ioalign watch sda --unit 8k --top 10       by blocks of 8 KiB, and whose I/O it is
  ioalign watch sda --groups 10 --duration 1m    which pods and containers the I/O is of
  ioalign watch sda --files 10 -- fio job.fio    which files it is of
  ioalign watch md0 --grid 192k:stripe:preference --json --duration 1m > profile.json
  ioalign watch nvme0n1 --assert 'write start%16k >= 99.9 %' -- sysbench oltp_write_only run
  ioalign watch --file /var/lib/mysql --assert 'straddle 16k <= 0.1 %' --duration 1m    of a database's files alone
  ioalign watch sda --record sda.blktrace --duration 1m    for `ioalign trace summarize`

Exit codes: 0 done, 1 an assertion fails, 3 nothing was seen that an assertion is about, 64 wrong
usage, 65 a device is not there or I/O cannot be seen, 130 interrupted before --duration or --count
was over. With COMMAND: its own code if it fails.";

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Devices, by name or path; a partition means its disk (default: all)
    #[arg(value_name = "DEVICE")]
    pub devices: Vec<String>,

    /// How often figures are shown
    #[arg(long, short, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub interval: Duration,

    /// End after this many intervals
    #[arg(long, short, value_name = "N")]
    pub count: Option<u64>,

    /// End after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<Duration>,

    /// The unit of the summary (default: the physical block of the device)
    #[arg(long, value_name = "SIZE", value_parser = unit)]
    pub unit: Option<GridClaim>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "Judge against this grid too: SIZE[@PHASE][:KIND][:TIER]; more than four with the unit are refused"
    )]
    pub grid: Vec<GridClaim>,

    /// Show the N processes with most I/O (full screen: 5; 0 saves their cost, some 150 ns an I/O)
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,

    /// Show the N control groups with most I/O, by the names of their containers and pods (some 100 ns an I/O)
    #[arg(long, value_name = "N")]
    pub groups: Option<usize>,

    /// Show the N files with most I/O: direct and buffered I/O of XFS and ext4 (some 300 ns an I/O)
    #[arg(long, value_name = "N")]
    pub files: Option<usize>,

    /// Look for the names of containers below DIR: the root of the host, where this runs in a container
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,

    /// One line a device and operation instead of a full screen; so it is in a pipe
    #[arg(long)]
    pub line: bool,

    /// One JSON document at the end, `ioalign.profile/1`
    #[arg(long, conflicts_with = "line")]
    pub json: bool,

    /// The columns of lines
    #[arg(long, value_enum, default_value = "alignment")]
    pub columns: ColumnsArg,

    /// Show one of N straddling I/Os as it is issued: whose it is and which boundaries it crosses; in lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["json", "record"])]
    pub straddling: Option<u32>,

    /// Idle time that ends a burst; `off` counts none, and saves what that costs
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = gap)]
    pub burst_gap: BurstGap,

    /// Write every event to this file, as blktrace records; every I/O, as Parquet, where it ends so
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub replace: super::ReplaceArgs,

    /// Room for events on their way to the file
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = ring, requires = "record")]
    pub ring: u32,

    /// Say at the end what the kernel measured of the cost of watching
    #[arg(long)]
    pub cost: bool,

    /// How I/O is seen (default: the best that works)
    #[arg(long, value_enum)]
    pub by: Option<By>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "ASSERTION",
        help = "Fail unless this share of the I/O is so: [read|write|discard] start%SIZE, length%SIZE or straddle SIZE, then >=, <=, > or < and a percentage; sizes are powers of two"
    )]
    pub assert: Vec<ProfileAssertion>,

    /// Write what became of the assertions as JUnit XML
    #[arg(long, value_name = "FILE", requires = "assert")]
    pub junit: Option<PathBuf>,

    /// Count only the I/O of this control group and those below it: a folder of /sys/fs/cgroup
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub cgroup: Option<PathBuf>,

    /// Count only the I/O of this file, or of the files below this folder, on XFS or ext4; may be repeated
    #[arg(long, value_name = "PATH")]
    pub file: Vec<PathBuf>,

    /// Run this, in a control group of its own, and count its I/O only, until it ends
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The end of a burst; `None`: bursts are not counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BurstGap(pub Option<Duration>);

/// The columns of lines.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ColumnsArg {
    /// The share off the boundaries, and latencies beside those of iostat
    Alignment,
    /// The columns of pt-diskstats
    Diskstats,
}

impl From<ColumnsArg> for LineColumns {
    fn from(columns: ColumnsArg) -> Self {
        match columns {
            ColumnsArg::Alignment => Self::Alignment,
            ColumnsArg::Diskstats => Self::Diskstats,
        }
    }
}

/// How I/O is seen.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// BPF on typed tracepoints
    Bpf,
    /// BPF on plain tracepoints, as on kernels without type information
    Tracepoint,
    /// The text of tracefs, without BPF
    Tracefs,
}

/// `500ms`, `10s`, `2m`, `1h`; a plain number counts seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number
        .parse()
        .map_err(|_| "it must start with a whole number".to_owned())?;
    let millis = match unit {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1000),
        "m" | "min" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => return Err("unknown unit: ms, s, m or h".to_owned()),
    };
    match millis {
        Some(millis) if millis >= 10 => Ok(Duration::from_millis(millis)),
        _ => Err("10 ms is the least, and a year is too long".to_owned()),
    }
}

fn gap(text: &str) -> Result<BurstGap, String> {
    match text {
        "off" => Ok(BurstGap(None)),
        _ => duration(text).map(|gap| BurstGap(Some(gap))),
    }
}

fn unit(text: &str) -> Result<GridClaim, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    if size.is_zero() || size.get() % 512 != 0 {
        return Err(
            "I/O is in sectors of 512 bytes: a unit is a multiple of that (4k, 8k, 64k)".to_owned(),
        );
    }
    format!("{}:unit", size.get())
        .parse()
        .map_err(|error: ioalign_core::grid::ParseGridError| error.to_string())
}

/// A ring is a power of two of at least a page.
fn ring(text: &str) -> Result<u32, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    let size = u32::try_from(size.get())
        .ok()
        .filter(|size| *size <= 1 << 30);
    let size = size.and_then(|size| size.max(1 << 16).checked_next_power_of_two());
    size.ok_or_else(|| "1 GiB at most".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "1d", "0", "5ms", "99999999999999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rings_are_powers_of_two() {
        assert_eq!(ring("5M"), Ok(8 << 20));
        assert_eq!(ring("1"), Ok(1 << 16));
        assert!(ring("2G").is_err());
        assert_eq!(unit("8k").unwrap().size.get(), 8192);
        for wrong in ["5", "0", "4097", "1000"] {
            assert!(unit(wrong).unwrap_err().contains("multiple"), "{wrong}");
        }
        assert_eq!(gap("off"), Ok(BurstGap(None)));
        assert_eq!(gap("2s"), Ok(BurstGap(Some(Duration::from_secs(2)))));
    }
}
