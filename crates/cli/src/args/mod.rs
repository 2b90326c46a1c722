//! The command line: one definition gives parsing, help, completions and man pages.

mod advise;
mod atomic;
mod deferred;
mod fix;
mod lab;
mod measure;
mod plan;
mod probe;
mod push;
mod serve;
mod simulate;
mod trace;
mod watch;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;
use ioalign_core::judge::lint::{self, UPLOADS, Upload};
use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, GridClaim, SectorSize, grid};
use ioalign_report::ReportFormat;

use crate::exit::ExitMode;

pub use advise::AdviseArgs;
pub use atomic::AtomicSize;
pub use deferred::Deferred;
pub use fix::{FixArgs, ReadErrorsArg, VerifyArg};
pub use lab::{LabAllArgs, LabArgs, LabRunArgs, LabShellArgs, LabSizeArgs, LabTearArgs, LabVerb};
pub use measure::{
    ArmArgs, AtomicCostArgs, CellArgs, CompareArgs, DataArgs, EngineArgs, GateArgs, HowArgs,
    LoadArgs, MatrixArgs, MeasureArgs, MeasureVerb, RunArgs, ShownArgs, TargetArgs, TheApi,
};
pub use plan::PlanArgs;
pub use probe::ProbeArgs;
pub use push::PushArgs;
pub use serve::ServeArgs;
pub use simulate::{
    CacheArg, LostWrites, SimulateArgs, SimulateCalibrateArgs, SimulateCompareArgs,
    SimulatePlacementArgs, SimulateProvisionArgs, SimulatePublishedArgs, SimulateRunArgs,
    SimulateServeArgs, SimulateVerb, SimulatedArrayArgs, SimulatedLoadArgs,
};
pub use trace::{
    ConvertArgs, EngineArg, GenerateArgs, LittlesLawArgs, LookArgs, MergeArgs, SourceArgs, SqlArgs,
    SqlDialect, SummarizeArgs, TraceArgs, TraceVerb,
};
pub use watch::{By, WatchArgs};

/// Finds, explains and proves storage I/O misalignment, from database page to flash.
#[derive(Debug, Parser)]
#[command(
    name = "ioalign",
    version,
    long_version = crate::build_facts::text(),
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Judge every layer of a storage stack: disks, images, folders of images, this machine
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(Deferred<CheckArgs>),
    /// Pack what check reads of this machine into a small file, without secrets; check reads it elsewhere
    #[command(after_long_help = CAPTURE_EXAMPLES)]
    Capture(Deferred<CaptureArgs>),
    /// Explain a rule: what it means, what it costs, who says so, how to fix it, when to ignore it
    #[command(after_long_help = EXPLAIN_EXAMPLES)]
    Explain(Deferred<ExplainArgs>),
    /// Show running I/O on every grid, by device, operation and process
    #[command(after_long_help = watch::EXAMPLES)]
    Watch(Deferred<WatchArgs>),
    /// Analyse recorded I/O on every grid: summarize, convert, generate
    Trace(Deferred<TraceArgs>),
    /// Measure what misalignment costs on a device: interleaved comparisons, a matrix, a plain load
    Measure(Deferred<MeasureArgs>),
    /// Infer stripe unit, first boundary and columns of a device from the time of its I/O alone
    #[command(after_long_help = probe::EXAMPLES)]
    Probe(Deferred<ProbeArgs>),
    /// Simulate an array: where its I/Os go, what a start costs, without the array
    Simulate(Deferred<SimulateArgs>),
    /// Repeat published experiments on a real kernel: a virtual machine, disks of known speed, ioalign inside
    Lab(Deferred<LabArgs>),
    /// Compute where every layer should start, with the proof, and print the commands for each
    /// platform
    #[command(after_long_help = plan::EXAMPLES)]
    Plan(Deferred<PlanArgs>),
    /// Bring partitions onto their grids: moved with a journal, verified, killed at any moment and resumed
    #[command(after_long_help = fix::EXAMPLES)]
    Fix(Deferred<FixArgs>),
    /// Fix now, at the next outage, or leave: from a check, a profile and a measurement
    #[command(after_long_help = advise::EXAMPLES)]
    Advise(Deferred<AdviseArgs>),
    /// Show this machine's stack and its I/O in a browser, as JSON and as metrics
    #[command(after_long_help = serve::EXAMPLES)]
    Serve(Deferred<ServeArgs>),
    /// Send this host's capture and profile to a collecting server; nothing is lost when it is away
    #[command(after_long_help = push::EXAMPLES)]
    Push(Deferred<PushArgs>),
    /// Show the whole loop on a scratch image; needs no root
    #[command(after_long_help = DEMO_EXAMPLES)]
    Demo(Deferred<DemoArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write all of them into a folder
    Man {
        /// Folder for ioalign.1, ioalign-check.1, …
        folder: Option<PathBuf>,
    },
}

/// Rows of the table of many targets.
const ROWS: usize = 40;

const CHECK_EXAMPLES: &str = "\
Examples:
  ioalign check                              this machine
  ioalign check /dev/sda                     one disk and everything on it
  ioalign check winxp.img                    an image file, of any format
  ioalign check /var/lib/libvirt/images      a folder of images, worst first
  ioalign check disk.qcow2 --format html --output report.html
  ioalign check vm.img --profile-grid raid:64kx5
  ioalign check vm.img --grid 16k:indirection-unit:rmw --json
  ioalign check d0.img d1.img d2.img --together     disks of one machine (RAID, LVM)
  ioalign check --sysroot ./captured-host
  ioalign check fdisk.txt pvs.txt mdadm.txt  outputs of other programs, of one host
  fdisk -l | ioalign check -                 the same from standard input
  ioalign check image.raw --target-logical 4096 --policy ci.toml --format sarif -o out.sarif
  ioalign check disk.vhd --upload azure      would the service take it?
  ioalign check --format nagios              a plugin for Nagios, Icinga, Naemon
  ioalign check /var/lib/mysql               a database directory and its stack
  ioalign check guest.qcow2 --chain          the guest's disk and all below its file
  ioalign check /srv/big.file --extents      where a file's extents lie
  ioalign check /srv/guest.img --dio         what O_DIRECT demands of who opens it
  ioalign check /var/lib/mysql --atomic      may doublewrite be off: are its pages written whole
  ioalign check /srv/db --atomic 16k --prove try it there with a scratch file
  ioalign check /dev/nvme0n1 --write-unit    which unit this SSD wants, and what Ceph, ZFS and XFS get

Exit codes: 0 ok or notes, 1 misaligned or suboptimal, 2 broken or data-risk, 3 unknown,
64 wrong usage, 65 a target is unreadable or malformed, 130 interrupted.";

const CAPTURE_EXAMPLES: &str = "\
Examples:
  ioalign capture                            this machine, as ioalign-HOST-DATE.tar.gz
  ioalign capture -o bundle.tar.gz           under a name of your own
  ioalign capture /dev/sda /dev/md0          these devices, and all below and above them
  ioalign capture --with-serials             keep serial numbers and world-wide names
  ioalign capture --diff old.tar.gz new.tar.gz  what a kernel or an instance type says differently
  ssh host ioalign capture -o - >host.tar.gz
  ioalign check bundle.tar.gz                the same verdicts, elsewhere
  tar xzf bundle.tar.gz                      to see what is in it

Nothing is written to a device. Only what check reads is in the bundle, and nothing of files.
Without root it holds what may be read; what is missing is said, and is in the bundle.

Exit codes: 0 written, 64 wrong usage (a file that is there already), 65 it cannot be read or
written, 130 interrupted: no bundle was written.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  ioalign explain                            all rules, a line each
  ioalign explain start-misaligned
  ioalign explain --json";

const DEMO_EXAMPLES: &str = "\
Examples:
  ioalign demo
  ioalign demo --keep ./demo                 keep the image and the pages there

It writes 64 MiB to a file of the folder for a few seconds, to measure, and removes it.";

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Devices, image files, folders of images, database directories; nothing: this machine
    pub targets: Vec<PathBuf>,

    /// Read a captured host instead of this one: a tree with sys/, proc/ and dev/ in it
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "Judge against this grid: SIZE[@PHASE][:KIND][:TIER], tier validity, rmw or preference"
    )]
    pub grid: Vec<GridClaim>,

    #[arg(
        long,
        value_name = "NAME",
        value_parser = profile,
        help = "Judge against a named set: 4kn, 512e, vmfs, netapp-wafl, zfs-8k, ebs-16k-atomic, \
                iu-16k, iu-64k, sd-card-4m, raid:<element>x<data disks>"
    )]
    pub profile_grid: Vec<ProfileArg>,

    /// Read partition tables written for sectors of this size (default: probe 512 and 4096)
    #[arg(long, value_name = "BYTES", value_parser = sector)]
    pub sector_size: Option<SectorSize>,

    /// Ask whether the target would work on a disk with this logical sector
    #[arg(long, value_name = "BYTES", value_parser = sector)]
    pub target_logical: Option<SectorSize>,

    /// Ask whether this service would take the image: azure (a fixed VHD in whole MiB), gce (raw, in whole
    /// GiB)
    #[arg(long, value_name = "SERVICE", value_parser = upload)]
    pub upload: Option<&'static Upload>,

    /// Ask whether the virtual size is a multiple of this: 4k for LUKS and direct I/O, 1M, …
    #[arg(long, value_name = "SIZE", value_parser = multiple)]
    pub size_multiple: Option<Bytes>,

    /// Ask for an EFI system partition with FAT
    #[arg(long)]
    pub uefi: bool,

    /// Take all targets as disks of one machine: arrays and volume groups span them
    #[arg(long, conflicts_with = "sysroot")]
    pub together: bool,

    /// Follow backing files and extents outside the folder of their image
    #[arg(long)]
    pub allow_backing: bool,

    /// Follow an image on this machine below its file: extents, file system, volumes, disks
    #[arg(long, conflicts_with_all = ["sysroot", "extents"])]
    pub chain: bool,

    /// Judge each extent of a file on a mounted file system (FIEMAP)
    #[arg(long)]
    pub extents: bool,

    /// Ask what direct I/O to each file or device demands: alignment of buffers, reads and writes, confirmed by reads
    #[arg(long, requires = "targets", conflicts_with_all = ["sysroot", "together", "text_format"])]
    pub dio: bool,

    /// Ask whether pages of this size are written whole or not at all, so that doublewrite or full-page writes may be
    /// off; without a size, that of the database
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = AtomicSize::OF_DATABASE,
        conflicts_with_all = ["together", "text_format", "chain", "extents"])]
    pub atomic: Option<AtomicSize>,

    /// With --atomic: try it with atomic writes to a scratch file without a name beside each target
    #[arg(long, requires_all = ["atomic", "targets"], conflicts_with = "sysroot")]
    pub prove: bool,

    /// Say in which unit each disk is really written, how sure that is, and what Ceph, ZFS, XFS, ext4 and databases get
    #[arg(long)]
    pub write_unit: bool,

    /// With --write-unit: what `ioalign probe DEVICE --write --json` printed
    #[arg(long, value_name = "FILE", requires = "write_unit")]
    pub measured: Option<PathBuf>,

    /// A database on top: innodb, innodb:16k,doublewrite=off, postgresql, oracle:8k, sqlserver,
    /// bluestore, …
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,

    /// Take the targets for output of this program, where it is not recognised by itself
    #[arg(long = "as", value_name = "FORMAT")]
    pub text_format: Option<String>,

    /// How exit codes are chosen (default: lint; nagios with --format nagios)
    #[arg(long, value_enum)]
    pub exit_mode: Option<ExitMode>,

    /// The policy: what fails and what is waived (default: ioalign.toml in the working directory, if
    /// there is one)
    #[arg(long, value_name = "FILE", conflicts_with = "no_policy")]
    pub policy: Option<PathBuf>,

    /// Leave an ioalign.toml in the working directory alone
    #[arg(long)]
    pub no_policy: bool,

    /// At most this many rows in the table of many targets
    #[arg(long, value_name = "N", default_value_t = ROWS)]
    pub rows: usize,

    /// Use this many threads for many targets (default: all processors)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct OutputArgs {
    /// The output format (default: by the ending of --output, else text)
    #[arg(long, value_name = "FORMAT", value_parser = format_name())]
    pub format: Option<String>,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Write to a file (it has its name when it is complete) instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    /// Only the verdict
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Every layer on every grid, every cost row
    #[arg(long, short, action = ArgAction::Count)]
    pub verbose: u8,

    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// What a terminal may be sent.
#[derive(Copy, Clone, Debug, Default, Args)]
pub struct TerminalArgs {
    /// No colour, also on a terminal
    #[arg(long)]
    pub no_color: bool,

    /// Only ASCII characters
    #[arg(long)]
    pub ascii: bool,
}

/// The files that an output file may replace.
#[derive(Copy, Clone, Debug, Default, Args)]
pub struct ReplaceArgs {
    /// Replace the file that is to be written even if it is not recognised as a report of ioalign's; never a
    /// target or what a target lies in
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Devices, with all below and above them; none: the whole machine
    #[arg(value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,

    /// The file to write, - for standard output (default: ioalign-HOST-DATE.tar.gz)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    /// Keep serial numbers and world-wide names
    #[arg(long)]
    pub with_serials: bool,

    /// Say what two captures say differently instead: another kernel or instance type, before and after a change
    #[arg(long, num_args = 2, value_names = ["A", "B"],
        conflicts_with_all = ["devices", "output", "with_serials", "sysroot", "verbose"])]
    pub diff: Vec<PathBuf>,

    /// Make a bundle of a captured host instead of this one: a tree with sys/, proc/ and dev/ in it
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,

    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,

    /// Print nothing but what could not be read
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print the path of every item
    #[arg(long, short)]
    pub verbose: bool,

    /// No colour, also on a terminal (there is none)
    #[arg(long)]
    pub no_color: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The rules; none: all of them, a line each
    #[arg(value_name = "RULE")]
    pub rules: Vec<String>,

    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the scratch image and the pages in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,

    /// No colour, also on a terminal
    #[arg(long)]
    pub no_color: bool,
}

/// A named set of grids, as one argument.
#[derive(Clone, Debug)]
pub struct ProfileArg {
    /// Its name.
    pub name: String,
    /// Its grids.
    pub grids: Vec<GridClaim>,
}

fn profile(name: &str) -> Result<ProfileArg, String> {
    let grids = grid::profile(name).map_err(|error| error.to_string())?;
    Ok(ProfileArg {
        name: name.to_owned(),
        grids,
    })
}

/// A logical sector; also a key of the policy.
pub fn sector(text: &str) -> Result<SectorSize, String> {
    let bytes = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    let size = u32::try_from(bytes.get()).ok().and_then(SectorSize::new);
    size.ok_or_else(|| "a sector is a power of two from 256 to 65536 bytes".to_owned())
}

/// A service that takes images; also a key of the policy.
pub fn upload(name: &str) -> Result<&'static Upload, String> {
    lint::upload(name).ok_or_else(|| {
        let known: Vec<_> = UPLOADS.iter().map(|upload| upload.name).collect();
        format!("`{name}` is no known service: {}", known.join(", "))
    })
}

/// A size that another has to be a multiple of; also a key of the policy.
pub fn multiple(text: &str) -> Result<Bytes, String> {
    let bytes = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    let some = (!bytes.is_zero()).then_some(bytes);
    some.ok_or_else(|| "nothing is a multiple of 0".to_owned())
}

fn format_name() -> clap::builder::PossibleValuesParser {
    ReportFormat::all()
        .map(ReportFormat::name)
        .collect::<Vec<_>>()
        .into()
}

impl CheckArgs {
    /// The exit codes asked for; a plugin's status line goes with a plugin's codes.
    pub fn exit_mode(&self) -> ExitMode {
        let by_format = match self.output.format() {
            ReportFormat::Nagios => ExitMode::Nagios,
            _ => ExitMode::default(),
        };
        self.exit_mode.unwrap_or(by_format)
    }
}

impl OutputArgs {
    /// The format asked for; the argument parser lets no unknown name through.
    pub fn format(&self) -> ReportFormat {
        if self.json {
            return ReportFormat::Json;
        }
        let named = self.format.as_deref().and_then(|name| name.parse().ok());
        let by_ending = || self.output.as_deref().and_then(ReportFormat::by_ending);
        named.or_else(by_ending).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sectors_are_powers_of_two() {
        assert_eq!(sector("4k"), Ok(SectorSize::S4096));
        assert!(sector("520").is_err());
        assert!(sector("1M").is_err());
    }

    #[test]
    fn purposes_are_known_by_name() {
        assert_eq!(upload("azure").unwrap().unit, Bytes::MIB);
        assert!(upload("aws").unwrap_err().contains("azure, gce"));
        assert_eq!(multiple("4k"), Ok(Bytes::new(4096)));
        assert!(multiple("0").is_err());
    }
}
