//! `--convert-sector-size`: an image for disks of the other logical sector; `--universal`: for both.

mod document;
mod perform;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_repair::container;
use ioalign_repair::convert::{self, ConversionAnswer, ConversionWish};
use ioalign_repair::mover::Done;
use ioalign_repair::{Disk, Job};

use super::{WOULD_MOVE, document as outer, owner, refuse, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::look;

/// Images are read and written in these units, for any sector size of their table.
const SMALLEST: u64 = 512;

/// What everything has to be in whole sectors of where both are wanted.
pub const UNIVERSAL: u64 = 4096;

/// Runs it.
pub fn run(arguments: &FixArgs, to: u64) -> Result<Exit> {
    match &arguments.output {
        Some(new) if !arguments.mode.plan => perform::copied(arguments, to, new),
        _ if arguments.mode.apply => perform::in_place(arguments, to),
        _ => perform::shown(arguments, to),
    }
}

/// The target, in the smallest sectors that it can be written in.
fn open(arguments: &FixArgs, write: bool) -> Result<Box<dyn Disk>> {
    target::with_sector(arguments, write, Some(SMALLEST))
}

/// The plan for an open disk; `None`: nothing to do.
fn plan(disk: &mut dyn Disk, arguments: &FixArgs, to: u64) -> Result<Option<convert::Conversion>> {
    owner::refuse_others(&arguments.target, arguments.sector_size)?;
    let both = arguments.change.universal;
    let from = match arguments.sector_size {
        Some(size) => u64::from(size.get()),
        None if both => convert::from_for_both(disk)
            .map_err(|error| refuse::unplanned(error, &arguments.target))?,
        None if to == SMALLEST => 4096,
        None => SMALLEST,
    };
    let copied = arguments.output.is_some();
    let wish = ConversionWish {
        from,
        to,
        both,
        may_grow: copied || target::is_raw(disk, &arguments.target),
    };
    match convert::plan(disk, wish) {
        Ok(ConversionAnswer::Nothing) => Ok(None),
        Ok(ConversionAnswer::Convert(conversion)) => Ok(Some(*conversion)),
        Err(error) => Err(refuse::unplanned(error, &arguments.target)),
    }
}

/// Devices and VHDX say themselves how long their sectors are, and go on saying so: in place only a table
/// for those is one that is found.
fn possible_in_place(arguments: &FixArgs, to: u64) -> Result<(), String> {
    let path = &arguments.target;
    let begins = || {
        let mut magic = [0; 8];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut magic, 0));
        read.is_ok() && magic == *b"vhdxfile"
    };
    // With a table for each it is found whatever they say.
    if arguments.change.universal || !target::is_block(path).unwrap_or(false) && !begins() {
        return Ok(());
    }
    let own = container::open(path, false).map(|disk| disk.logical_bytes());
    match own {
        Ok(own) if own != to => Err(format!(
            "it says that its sectors have {own} bytes, and a table for others would not be found on it; \
             write a new image (--output)"
        )),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Consequences that need a consent.
fn consented(conversion: &convert::Conversion, arguments: &FixArgs) -> Result<()> {
    match conversion.refusal(|one| refuse::accepted(one, arguments)) {
        None => Ok(()),
        Some(error) => {
            let error = error.of_target(&arguments.target);
            let refused = conversion.consequences.iter();
            let refused = refused.filter(|one| !refuse::accepted(one, arguments));
            let accepting = refuse::accepting(&refuse::again(arguments), refused);
            let what = format!("{error}; nothing was written");
            Err(refuse::consent_needed(what, accepting))
        }
    }
}

/// All that is shown.
struct ConversionPage<'a> {
    arguments: &'a FixArgs,
    to: u64,
    /// The plan, done or not; `None`: nothing to do.
    conversion: Option<&'a convert::Conversion>,
    /// The work in place, where it can be done there, or why it cannot.
    job: Option<Result<&'a Job, String>>,
    ended: FixResult,
    done: Option<(Done, Duration)>,
}

impl ConversionPage<'_> {
    fn write(&self) -> Result<()> {
        let document = outer::of_conversion(
            self.arguments,
            document::of(self),
            self.ended,
            self.done.as_ref(),
            document::commands(self),
        );
        outer::write(
            self.arguments,
            &document,
            &look::options(&self.arguments.look),
        )
    }

    /// 1 where that was asked for and there is something to convert.
    fn exit(&self) -> Exit {
        match self.conversion {
            Some(_) if self.arguments.exit_code => WOULD_MOVE,
            _ => Exit::Done,
        }
    }
}
