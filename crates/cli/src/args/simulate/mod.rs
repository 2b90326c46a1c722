//! The arguments of `simulate`.

mod array;
mod calibrate;
mod examples;
mod figures;
mod load;
mod serve;

use clap::{Args, Subcommand};

use super::LookArgs;
pub use array::{CacheArg, SimulatedArrayArgs};
pub use calibrate::SimulateCalibrateArgs;
use examples::{
    CALIBRATE_EXAMPLES, COMPARE_EXAMPLES, PLACEMENT_EXAMPLES, PROVISION_EXAMPLES,
    PUBLISHED_EXAMPLES, RUN_EXAMPLES, SERVE_EXAMPLES,
};
pub use figures::{SimulatePlacementArgs, SimulateProvisionArgs, SimulatePublishedArgs};
pub use load::{SimulateCompareArgs, SimulateRunArgs, SimulatedLoadArgs};
pub use serve::{LostWrites, SimulateServeArgs};

#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(subcommand)]
    pub verb: SimulateVerb,
}

#[derive(Debug, Subcommand)]
pub enum SimulateVerb {
    /// The arrays that are known by name, with their parameters and where those come from
    List(SimulateListArgs),
    /// An array under a workload: I/Os a second, latency, the I/Os of each disk
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Box<SimulateRunArgs>),
    /// The same from several starts of the partition, and on several arrays
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Box<SimulateCompareArgs>),
    /// The array as a block device that takes as long as the array would
    #[command(after_long_help = SERVE_EXAMPLES)]
    Serve(Box<SimulateServeArgs>),
    /// Predict what an offset costs on a device from its aligned I/O alone, then measure it: hit or miss
    #[command(after_long_help = CALIBRATE_EXAMPLES)]
    Calibrate(Box<SimulateCalibrateArgs>),
    /// Published measurements of misalignment beside the model's: hits and misses
    #[command(after_long_help = PUBLISHED_EXAMPLES)]
    Published(SimulatePublishedArgs),
    /// RAID groups against one pool: several tenants, each with its own load
    #[command(after_long_help = PROVISION_EXAMPLES)]
    Provision(SimulateProvisionArgs),
    /// Where clusters of nodes keep data: hops, locality, balance, what a lost node costs
    #[command(after_long_help = PLACEMENT_EXAMPLES)]
    Placement(SimulatePlacementArgs),
}

#[derive(Debug, Args)]
pub struct SimulateListArgs {
    #[command(flatten)]
    pub look: LookArgs,
}
