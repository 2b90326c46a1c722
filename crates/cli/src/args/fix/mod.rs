//! The arguments of `fix`.

mod change;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, GridClaim, SectorSize};
use ioalign_repair::container::ImageFormat;
use ioalign_repair::mover::{ReadErrors, Verify};

use super::LookArgs;
pub use change::ChangeArgs;

pub const EXAMPLES: &str = "\
Examples:
  ioalign fix disk.img                       what would move, and what that means; nothing is written
  ioalign fix disk.img --apply               move it, with a journal beside the image
  ioalign fix /dev/sdb --apply               the journal is in /var/lib/ioalign
  ioalign fix disk.img --resume              go on after a crash, a kill, Ctrl-C
  ioalign fix disk.img --rollback            or go back
  ioalign fix disk.img --forget              a backup was restored over it: remove the stale journal
  ioalign fix old.vhd --output new.qcow2     into a new image; the original is not touched
  ioalign fix images/ --output aligned/      every image of a folder, put right while it is copied
  ioalign fix vm.ovf --output aligned/       the disks of a package, and its description
  ioalign fix vm.ova --output aligned/       the same of a package in one file
  ioalign fix disk.img --partition 1 --align 64k
  ioalign fix /dev/sdb --grid 192k:stripe:preference --json
  ioalign fix disk.img --grow --apply        after `truncate --size +10G disk.img`
  ioalign fix disk.img --convert-sector-size 4096 --output 4kn.img
  ioalign fix disk.img --universal --output both.img    boots from 512 and from 4096-byte sectors

A device has to be out of use: not mounted, not part of a volume, not paged on, not open for writing.
No crash loses anything: --resume finishes, --rollback goes back. Until then a marker in place of the
table says so, to every program and under every name of the disk.

Exit codes: 0 done, or nothing needs moving, or a plan was shown; 1 with --exit-code: something would
move, or an image of a folder was refused; 64 wrong usage or a consent is missing, 65 it cannot be done or the target is unreadable (a plan
that would be refused exits so too); 130 interrupted: the journal holds the state.";

#[derive(Debug, Args)]
pub struct FixArgs {
    /// An image file of any format, or a block device that is not in use; with --output also a folder of
    /// images or a package (.ovf, .ova)
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,

    #[command(flatten)]
    pub mode: ModeArgs,

    /// The journal (default: TARGET.ioalign-journal beside an image; for a device, and if others can
    /// write beside the image, in the folder for journals)
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub journal: Option<PathBuf>,

    /// The folder for journals (default: /var/lib/ioalign); one that is not there is made
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "journal"])]
    pub journal_dir: Option<PathBuf>,

    /// Write a new image instead, with everything in its new place; TARGET is not touched. Of a folder or a
    /// package: the folder of the new images
    #[arg(long, value_name = "IMAGE|DIR", conflicts_with_all = ["apply", "resume", "rollback", "forget"])]
    pub output: Option<PathBuf>,

    /// Write the new image even if it may not fit into its file system
    #[arg(long, requires = "output")]
    pub no_space_check: bool,

    /// Format of the new image (default: by its name, else raw)
    #[arg(long, value_parser = formats(), value_name = "FORMAT", requires = "output")]
    pub format: Option<ImageFormat>,

    /// Only these partitions
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub partition: Vec<u32>,

    /// Make starts multiples of this, wherever the data then lie (default: the good starts of `check`, near
    /// 1 MiB where that moves no more than less would)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub align: Option<Bytes>,

    // Not a doc comment: rustdoc takes the brackets for links.
    #[arg(
        long,
        value_name = "GRID",
        help = "Also on this grid: SIZE[@PHASE][:KIND][:TIER]"
    )]
    pub grid: Vec<GridClaim>,

    #[arg(
        long,
        value_name = "NAME",
        value_parser = super::profile,
        help = "Also on a named set of grids: 4kn, 512e, vmfs, netapp-wafl, zfs-8k, iu-16k, raid:<element>x<data disks>, …"
    )]
    pub profile_grid: Vec<super::ProfileArg>,

    /// Logical sector of an image (default: that of its format, or of its GPT, else 512)
    #[arg(long, value_name = "BYTES", value_parser = super::sector)]
    pub sector_size: Option<SectorSize>,

    #[command(flatten)]
    pub change: ChangeArgs,

    #[command(flatten)]
    pub how: MoverArgs,

    /// Move file systems whose log is dirty as well
    #[arg(long)]
    pub accept_dirty: bool,

    /// Move although the plan says that it will not boot, or that contents break
    #[arg(long)]
    pub accept_boot: bool,

    /// Move although other images in the folder have this one for their backing file: they become garbage
    #[arg(long)]
    pub accept_overlays: bool,

    /// Do it only if the plan is still this one
    #[arg(long, value_name = "PLAN")]
    pub expect: Option<String>,

    /// Without --apply: exit with 1 where something would move
    #[arg(long, conflicts_with_all = ["apply", "resume", "rollback"])]
    pub exit_code: bool,

    #[command(flatten)]
    pub look: LookArgs,
}

/// The action.
#[derive(Debug, Args)]
#[group(multiple = true)]
pub struct ModeArgs {
    /// Show what would be done (the default)
    #[arg(long, group = "way")]
    pub plan: bool,

    /// Do it
    #[arg(long, group = "way")]
    pub apply: bool,

    /// Go on with what was interrupted
    #[arg(long, group = "way")]
    pub resume: bool,

    /// Go back to the layout from before
    #[arg(long, group = "way")]
    pub rollback: bool,

    /// Take the marker of an unfinished move away without its journal. Names the target again. The old
    /// table comes back; partitions that were on their way stay torn
    #[arg(long, value_name = "TARGET", group = "way")]
    pub abandon: Option<PathBuf>,

    /// Remove the journal of a move of which nothing is on TARGET: an image that was restored, or a journal that was
    /// cut off while it was made
    #[arg(long, group = "way")]
    pub forget: bool,

    /// With --resume or --rollback: TARGET is a copy of the disk that the move was begun on, or may be
    /// one. The journal ends with the job, and the original is given up
    #[arg(long, conflicts_with_all = ["plan", "apply", "abandon", "output"])]
    pub adopt: bool,

    /// With --resume or --rollback: continue although other programs have changed tables or
    /// superblocks. What they wrote there is lost, and named before
    #[arg(long, conflicts_with_all = ["plan", "apply", "abandon", "forget", "output"])]
    pub trust_disk: bool,
}

/// How data are moved.
#[derive(Debug, Args)]
pub struct MoverArgs {
    /// How much of what was written is read back and compared
    #[arg(long, value_enum, value_name = "HOW", default_value = "full")]
    pub verify: VerifyArg,

    /// The longest stretch between two flushes; also what is held in memory, twice (default:
    /// 16M)
    #[arg(long, value_name = "SIZE", value_parser = chunk)]
    pub chunk: Option<Bytes>,

    /// Move at most this many bytes a second: 20M, 20M/s
    #[arg(long, value_name = "BYTES/s", value_parser = rate)]
    pub limit: Option<Bytes>,

    /// On unreadable sectors: stop, or continue with zeros and list the places
    #[arg(long, value_enum, value_name = "WHAT", default_value = "stop")]
    pub read_errors: ReadErrorsArg,
}

/// How much is read back, as typed.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum VerifyArg {
    /// Every byte
    Full,
    /// One MiB of sixteen
    Sampled,
    /// Nothing: with --output alone
    None,
}

impl VerifyArg {
    /// Whether nothing is read back.
    pub const fn is_nothing(self) -> bool {
        matches!(self, Self::None)
    }
}

impl From<VerifyArg> for Verify {
    fn from(how: VerifyArg) -> Self {
        match how {
            VerifyArg::Full => Self::Full,
            VerifyArg::Sampled => Self::Sampled,
            VerifyArg::None => Self::Nothing,
        }
    }
}

/// The reaction to unreadable sectors, as typed.
#[derive(Copy, Clone, Debug, ValueEnum)]
pub enum ReadErrorsArg {
    /// Stop and say where
    Stop,
    /// Fill with zeros and say where
    Map,
}

impl From<ReadErrorsArg> for ReadErrors {
    fn from(what: ReadErrorsArg) -> Self {
        match what {
            ReadErrorsArg::Stop => Self::Stop,
            ReadErrorsArg::Map => Self::Map,
        }
    }
}

/// The formats of images by their names.
fn formats() -> impl TypedValueParser<Value = ImageFormat> {
    let named =
        ImageFormat::ALL.map(|format| PossibleValue::new(format.name()).help(format.whose()));
    let unknown = || "no such format".to_owned();
    PossibleValuesParser::new(named)
        .try_map(move |name| ImageFormat::from_name(&name).ok_or_else(unknown))
}

fn size(text: &str) -> Result<Bytes, String> {
    let size = parse_size(text, SectorSize::S512).map_err(|error| error.to_string())?;
    let some = (!size.is_zero()).then_some(size);
    some.ok_or_else(|| "0 is no size here".to_owned())
}

/// A size that the mover can divide into pieces of 1 MiB.
fn chunk(text: &str) -> Result<Bytes, String> {
    let size = size(text)?;
    let good = size.is_multiple_of(Bytes::MIB) && size <= Bytes::new(1 << 30);
    good.then_some(size)
        .ok_or_else(|| "a chunk is a multiple of 1 MiB and at most 1 GiB".to_owned())
}

fn rate(text: &str) -> Result<Bytes, String> {
    size(text.strip_suffix("/s").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_mover() {
        assert_eq!(rate("20M/s"), Ok(Bytes::new(20 << 20)));
        assert!(rate("0").is_err() && chunk("100k").is_err() && chunk("2G").is_err());
        assert_eq!(chunk("4M"), Ok(Bytes::new(4 << 20)));
    }
}
