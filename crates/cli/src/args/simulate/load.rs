//! A load on an array: one start, or several.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values::size;

use super::SimulatedArrayArgs;
use crate::args::trace::SourceArgs;
use crate::args::{LookArgs, ReplaceArgs};

/// The array, the workload and how long it runs.
#[derive(Debug, Args)]
pub struct SimulatedLoadArgs {
    /// The array (LEVEL:DISKSxELEMENT[:md|controller], single, a name of `simulate list`, FILE.toml; none with --raid
    /// or --from), then the workload (randread:16k:qd8, a named job of measure, JOB.toml; none with --replay)
    #[arg(value_names = ["ARRAY", "WORKLOAD"], num_args = 0..=2)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub array: SimulatedArrayArgs,

    /// Requests that count, of every arm
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub ios: u64,

    /// Requests before those (default: ten for each in flight, and what fills the cache)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub warm_up: Option<u64>,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// Runs with seeds S, S+1, …: an interval for the I/Os a second; all else is of the first run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,

    /// How much of the volume is used (default: what the job says, else all)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<u64>,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulateRunArgs {
    #[command(flatten)]
    pub load: SimulatedLoadArgs,

    /// Where the partition starts (default: 0; with --from where it does)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub start: Option<u64>,

    /// The requests of a trace instead of a workload
    #[arg(long, value_name = "TRACE", num_args = 1..)]
    pub replay: Vec<PathBuf>,

    /// With --replay: the number of I/Os in flight
    #[arg(long, value_name = "N", default_value_t = 8, conflicts_with = "open", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: u32,

    /// With --replay: send at the times of the trace, without a limit on I/Os in flight
    #[arg(long, requires = "replay")]
    pub open: bool,

    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Debug, Args)]
pub struct SimulateCompareArgs {
    #[command(flatten)]
    pub load: SimulatedLoadArgs,

    /// Where the partition starts: the first is compared with the others (default: 63s,2048s; with --from where it
    /// does, then 2048s)
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub starts: Vec<u64>,

    /// Write a page (html), a drawing (svg), a table (csv) or a document (json) with the gains by block size
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,
}
