//! Published figures, pools and placement.

use clap::Args;

use crate::args::LookArgs;

#[derive(Debug, Args)]
pub struct SimulatePublishedArgs {
    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    /// Requests of each run
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    pub ios: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulateProvisionArgs {
    /// Load points, as numbers of tiles
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,7,13", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub tiles: Vec<u32>,

    /// The groups: arrays of `simulate list`
    #[arg(
        long,
        value_name = "ARRAY,…",
        value_delimiter = ',',
        default_value = "ssd-group,hdd-group"
    )]
    pub disk: Vec<String>,

    /// How much of the groups is allocated to volumes
    #[arg(long, value_name = "PERCENT,…", value_delimiter = ',', default_value = "50,100", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub filled: Vec<u32>,

    /// Requests of each run, of all tenants
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000_000))]
    pub ios: u64,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Debug, Args)]
pub struct SimulatePlacementArgs {
    /// Nodes of the cluster
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=1024))]
    pub nodes: u32,

    /// Another seed gives other places
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub seed: u64,

    #[command(flatten)]
    pub look: LookArgs,
}
