//! The arguments of `plan`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, GridClaim, SectorSize};
use ioalign_repair::planner::{
    Filesystem, PartRole, PlannedDatabase, PlannedLabel, PlannedPartition, RaidLevel,
};
use ioalign_repair::platforms::Platform;

use super::LookArgs;

pub const EXAMPLES: &str = "\
Examples:
  ioalign plan --device /dev/sdb --fs xfs                 one disk, GPT, one partition
  ioalign plan --raid 5 --element 64k --device /dev/sd{b,c,d,e,f,g} --lvm --fs xfs
  ioalign plan --raid 10 --disks 4 --element 64k --controller --fs ext4 --db innodb
  ioalign plan --unit 16k --luks --lvm --thin --fs ext4   a drive that maps flash by 16 KiB
  ioalign plan --platform esxi --label dos --element 64k --disks 5 --raid 5 --controller
  ioalign plan --platform windows --raid 5 --disks 5 --element 64k --controller
  ioalign plan --platform solaris --label efi --volume-block 8k --fs zfs
  ioalign plan --from check.json --fs xfs                 the grids of a stack that was checked
  ioalign plan --raid 1 --device /dev/sdb --device /dev/sdc --fs ext4
  ioalign plan --label dos --partition data:10G,data:10G,data:10G,swap:8G,data --size 100G
  ioalign plan --partition-at 11s --grid 256k --lvm       keep the partition, align what is in it
  ioalign plan --universal --device /dev/loop0 --partition esp:300M,data --fs ext4 --size 10G
  ioalign plan --device /dev/sdb --fs ext4 --quiet > make.sh      the commands alone, as a script

Sizes are binary: 64k, 1M, 128s (sectors of 512 bytes). Nothing is written: plan prints commands.
Without --device they name no disk: replace /dev/sdX (for Windows N) before you run them.

Exit codes: 0 a layout that is on all grids, 1 one for which grids had to be given up, one that stays
off them (--partition-at), or none, 64 wrong usage, 65 the document is unreadable.";

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The disks, as the platform calls them; repeated, or several after one another (default: a name that is no
    /// disk, to be replaced)
    #[arg(long, value_name = "DISK", num_args = 1..)]
    pub device: Vec<String>,

    /// How many disks, where none are named
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub disks: Option<u32>,

    /// RAID level
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&RaidLevel::ALL))]
    pub raid: Option<RaidLevel>,

    /// Bytes on one disk before the next one's turn: element, stripe unit, chunk
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64k")]
    pub element: Bytes,

    /// The array is a controller's or a storage system's, not Linux md's
    #[arg(long)]
    pub controller: bool,

    /// The grids and sizes of what was checked: a document of `check --json`
    #[arg(long, value_name = "CHECK.json")]
    pub from: Option<PathBuf>,

    /// Logical block of the disks (default: 512 bytes)
    #[arg(long, value_name = "SIZE", value_parser = sector)]
    pub logical: Option<Bytes>,

    /// Physical block of the disks (default: 4 KiB, assumed: any grid that is stated comes first)
    #[arg(long, value_name = "SIZE", value_parser = block)]
    pub physical: Option<Bytes>,

    /// It becomes an image for disks with logical blocks of 512 and of 4096 bytes (`fix --universal`)
    #[arg(long, conflicts_with_all = ["raid", "logical", "physical", "partition_at", "from"])]
    pub universal: bool,

    /// Indirection unit: what flash maps as one piece
    #[arg(long, value_name = "SIZE", value_parser = block)]
    pub unit: Option<Bytes>,

    /// Block of the volume that a storage system exports (zvol, LUN)
    #[arg(long, value_name = "SIZE", value_parser = block)]
    pub volume_block: Option<Bytes>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "A further grid: SIZE[@PHASE][:KIND][:TIER]"
    )]
    pub grid: Vec<GridClaim>,

    #[arg(
        long,
        value_name = "NAME",
        value_parser = super::profile,
        help = "A named set of grids: 4kn, 512e, vmfs, netapp-wafl, zfs-8k, ebs-16k-atomic, iu-16k, iu-64k, \
                sd-card-4m, raid:<element>x<data disks>"
    )]
    pub profile_grid: Vec<super::ProfileArg>,

    /// Starts need not be whole mebibytes
    #[arg(long)]
    pub tight: bool,

    /// Size of the disk or array: then ends are planned too
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<Bytes>,

    /// The partition table (default: what the platform uses)
    #[arg(long, value_enum, value_name = "TABLE")]
    pub label: Option<LabelArg>,

    /// Partitions in order: esp:512M, boot:1G, swap:8G, data:100G, data (default: one for data)
    #[arg(long, value_name = "ROLE[:SIZE]", value_parser = part, num_args = 1.., value_delimiter = ',')]
    pub partition: Vec<PlannedPartition>,

    /// The partition is there already and begins here: align what is in it
    #[arg(long, value_name = "START", value_parser = size, conflicts_with = "partition")]
    pub partition_at: Option<Bytes>,

    /// Encrypt (LUKS2, or --luks=1)
    #[arg(long, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_missing_value = "2",
        value_parser = clap::value_parser!(u8).range(1..=2))]
    pub luks: Option<u8>,

    /// Put LVM on it
    #[arg(long)]
    pub lvm: bool,

    /// A thin pool in LVM
    #[arg(long, requires = "lvm")]
    pub thin: bool,

    /// Stripe logical volumes over this many physical ones
    #[arg(long, value_name = "N", requires = "lvm", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=128))]
    pub stripes: u32,

    /// Make it a backing device of bcache
    #[arg(long)]
    pub bcache: bool,

    /// File system
    #[arg(long, value_name = "NAME", value_parser = one_of(&Filesystem::ALL))]
    pub fs: Option<Filesystem>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = database,
        help = "Database: innodb[:PAGE], postgres, sqlserver, oracle[:BLOCK]"
    )]
    pub db: Option<PlannedDatabase>,

    /// Platform of the commands
    #[arg(long, value_name = "NAME", value_parser = one_of(&Platform::ALL), default_value = "linux")]
    pub platform: Platform,

    #[command(flatten)]
    pub look: LookArgs,
}

/// A partition table, as typed.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum LabelArg {
    /// A GPT
    Gpt,
    /// An MBR
    Dos,
    /// A GPT as Solaris writes it
    Efi,
    /// The label of Solaris that counts in cylinders
    Vtoc,
    /// None: the whole disk
    None,
}

impl From<LabelArg> for PlannedLabel {
    fn from(label: LabelArg) -> Self {
        match label {
            LabelArg::Gpt => Self::Gpt,
            LabelArg::Dos => Self::Dos,
            LabelArg::Efi => Self::Efi,
            LabelArg::Vtoc => Self::Vtoc,
            LabelArg::None => Self::Whole,
        }
    }
}

/// One of these names, as what it names.
fn one_of<T>(all: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(all.iter().map(|(name, _)| *name));
    names.try_map(|typed| {
        let known = all.iter().find(|(name, _)| *name == typed);
        known.map(|(_, named)| *named).ok_or("not known")
    })
}

fn size(text: &str) -> Result<Bytes, String> {
    parse_size(text, SectorSize::S512).map_err(|error| error.to_string())
}

/// A size that is not nothing.
fn block(text: &str) -> Result<Bytes, String> {
    match size(text)? {
        Bytes::ZERO => Err("a block of no bytes".to_owned()),
        bytes => Ok(bytes),
    }
}

fn sector(text: &str) -> Result<Bytes, String> {
    let bytes = size(text)?;
    let fits = bytes.get().is_power_of_two() && (512..=1 << 16).contains(&bytes.get());
    fits.then_some(bytes)
        .ok_or_else(|| "sectors have 512 bytes to 64 KiB, a power of two".to_owned())
}

fn part(text: &str) -> Result<PlannedPartition, String> {
    let (role, bytes) = match text.split_once(':') {
        Some((role, bytes)) => (role, Some(size(bytes)?)),
        None => (text, None),
    };
    let role = match role {
        "esp" => PartRole::Esp,
        "boot" => PartRole::Boot,
        "swap" => PartRole::Swap,
        "data" => PartRole::Data,
        _ => return Err(format!("`{role}` is no role: esp, boot, swap, data")),
    };
    if bytes.is_some_and(Bytes::is_zero) {
        return Err("a partition of no bytes".to_owned());
    }
    Ok(PlannedPartition { role, size: bytes })
}

fn database(text: &str) -> Result<PlannedDatabase, String> {
    let (name, page) = match text.split_once(':') {
        Some((name, page)) => (name, Some(size(page)?)),
        None => (text, None),
    };
    let within = |page: Option<Bytes>, usual: u64, from: u64, to: u64| {
        let page = page.unwrap_or(Bytes::new(usual));
        let known = page.get().is_power_of_two() && (from..=to).contains(&page.get());
        known
            .then_some(page)
            .ok_or_else(|| format!("{name} takes pages of {from} to {to} bytes"))
    };
    match (name, page) {
        ("innodb", page) => Ok(PlannedDatabase::InnoDb {
            page: within(page, 16384, 4096, 65536)?,
        }),
        ("oracle", page) => Ok(PlannedDatabase::Oracle {
            block: within(page, 8192, 2048, 32768)?,
        }),
        ("postgres", None) => Ok(PlannedDatabase::Postgres),
        ("sqlserver", None) => Ok(PlannedDatabase::SqlServer),
        _ => Err(format!(
            "`{text}` is no database: innodb[:PAGE], postgres, sqlserver, oracle[:BLOCK]"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_databases_are_read() {
        assert_eq!(part("esp:512M").unwrap().size, Some(Bytes::new(512 << 20)));
        assert!(part("root").is_err() && part("data:0").is_err());
        assert_eq!(database("innodb").unwrap().page(), Bytes::new(16384));
        assert_eq!(database("oracle:32k").unwrap().page(), Bytes::new(32768));
        assert!(database("innodb:3k").is_err() && database("postgres:8k").is_err());
    }
}
