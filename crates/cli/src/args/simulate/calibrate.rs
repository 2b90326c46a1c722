//! A prediction that is measured.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values::{millis, share, size};

use crate::args::measure::{CellArgs, HowArgs};

#[derive(Debug, Args)]
pub struct SimulateCalibrateArgs {
    /// A block device or a file that begins on the grids of its array
    pub target: PathBuf,

    /// The array below: as in `simulate run`
    #[arg(long, value_name = "ARRAY")]
    pub array: String,

    /// What is predicted: the cost of this offset
    #[arg(long, value_name = "SIZE", default_value = "63s", value_parser = size)]
    pub offset: u64,

    /// How far a prediction may be off the measured ratio
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = share)]
    pub tolerance: f64,

    #[command(flatten)]
    pub cells: CellArgs,

    /// Load before a cell counts
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = millis)]
    pub ramp: u64,

    /// The time for a cell's aligned I/O, and the most for the comparison
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = millis)]
    pub time: u64,

    #[command(flatten)]
    pub how: HowArgs,
}
