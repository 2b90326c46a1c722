//! The array as a device.

use std::path::PathBuf;

use clap::Args;
use ioalign_measure::jobs::values::size;

#[derive(Debug, Args)]
pub struct SimulateServeArgs {
    /// LEVEL:DISKSxELEMENT[:md|controller], single, a name of `simulate list`, or FILE.toml
    pub array: String,

    /// Where in the array the device starts
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = size)]
    pub start: u64,

    /// The size of the device (default: that of the data file, or the rest of the array); larger disks are assumed where it needs them
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<u64>,

    /// The time of a disk for an I/O, instead of that of the array: 5ms, 200us, 0ms
    #[arg(long, value_name = "TIME", value_parser = ioalign_simulate::description::nanoseconds)]
    pub service: Option<u64>,

    /// Where the data are; an existing file is served as it is, and written (default: in memory)
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// The path of the NBD socket (default: in a new folder)
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,

    /// No file and no block device: NBD alone
    #[arg(long)]
    pub no_fuse: bool,

    /// A loss of power cuts writes in flight at multiples of SIZE (default: each one is whole or not there)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub tear: Option<u64>,

    /// A loss of power takes writes that no flush has followed: all of them, or some by chance
    #[arg(long, value_name = "all|some", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub lose_unflushed: Option<LostWrites>,

    /// Of the chance in disks and losses
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// One line of JSON when it is ready
    #[arg(long)]
    pub json: bool,
}

/// Which writes are lost that were not flushed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LostWrites {
    /// All
    All,
    /// Some
    Some,
}
