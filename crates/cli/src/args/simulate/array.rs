//! The array that is simulated.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ioalign_core::array::RaidLevel;
use ioalign_measure::jobs::values::size;
use ioalign_simulate::engine::DiskScheduler;

/// The array.
#[derive(Debug, Args)]
pub struct SimulatedArrayArgs {
    /// RAID level, instead of ARRAY or of its own; compare takes several
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',', value_parser = level())]
    pub raid: Vec<RaidLevel>,

    /// How many disks; compare takes several
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=512))]
    pub disks: Vec<u32>,

    /// Bytes on one disk before the next one's turn (default: 64 KiB); compare takes several
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub element: Vec<u64>,

    /// Behind --raid: the array is a controller's, not Linux md's
    #[arg(long)]
    pub controller: bool,

    /// The array and the partition of a stack that was checked: a document of `check --json`
    #[arg(long, value_name = "CHECK.json", conflicts_with = "raid")]
    pub from: Option<PathBuf>,

    /// The cache of the controller: none, through, back:SIZE; compare takes several
    #[arg(long, value_name = "CACHE,…", value_delimiter = ',', value_parser = cache)]
    pub cache: Vec<CacheArg>,

    /// LVM on the partition: where its extents begin in it
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub lvm: Option<u64>,

    /// Thin chunks of this size, each one anywhere
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub thin: Option<u64>,

    /// A file system that reads and writes blocks of this size as a whole
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub fs_block: Option<u64>,

    /// The time of a disk for an I/O, instead of that of the array: 5ms, 200us
    #[arg(long, value_name = "TIME", value_parser = ioalign_simulate::description::nanoseconds)]
    pub service: Option<u64>,

    /// The I/O scheduler before each disk of an md array (default: as the array says, else none)
    #[arg(long, value_enum, value_name = "NAME")]
    pub scheduler: Option<SchedulerArg>,
}

/// An I/O scheduler of the kernel.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchedulerArg {
    /// In order of arrival
    None,
    /// mq-deadline: reads first, sector after sector
    Deadline,
}

impl From<SchedulerArg> for DiskScheduler {
    fn from(argument: SchedulerArg) -> Self {
        match argument {
            SchedulerArg::None => Self::Arrival,
            SchedulerArg::Deadline => Self::Deadline,
        }
    }
}

/// A cache, as typed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CacheArg {
    /// Every request goes to the disks.
    None,
    /// Writes go to the disks.
    Through,
    /// Bytes of writes that may wait in the cache.
    Back(u64),
}

fn cache(text: &str) -> Result<CacheArg, String> {
    match text.split_once(':') {
        None if text == "none" => Ok(CacheArg::None),
        None if text == "through" => Ok(CacheArg::Through),
        Some(("back", bytes)) => {
            let bytes = size(bytes)?;
            let fits = (65_536..=1 << 42).contains(&bytes);
            fits.then_some(CacheArg::Back(bytes))
                .ok_or_else(|| "a cache has 64 KiB to 4 TiB".to_owned())
        }
        _ => Err("a cache is none, through or back:SIZE".to_owned()),
    }
}

fn level() -> impl TypedValueParser<Value = RaidLevel> {
    let names = PossibleValuesParser::new(RaidLevel::ALL.map(|(name, _)| name));
    names.try_map(|typed| {
        let known = RaidLevel::ALL.iter().find(|(name, _)| *name == typed);
        known.map(|(_, level)| *level).ok_or("not known")
    })
}
