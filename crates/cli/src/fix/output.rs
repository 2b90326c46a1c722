//! `--output`: the same layout in a new image.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::mover::Done;
use ioalign_repair::{Disk, Error, ErrorKind, Job};

use super::fresh::FreshImage;
use super::progress::FixProgress;
use super::same_target::SourceState;
use super::{FixPage, agreed, flight, image_room, options, refuse, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::say::note;

/// Writes the new image; where nothing needs moving none is made.
pub fn run(arguments: &FixArgs, new: &Path) -> Result<Exit> {
    refuse::free_name(arguments, new)?;
    flight::refuse_unfinished(arguments)?;
    let source = SourceState::of(&arguments.target);
    let mut disk = target::open(arguments, false)?;
    let Some(plan) = agreed(&mut *disk, arguments, false)? else {
        return Ok(Exit::Done);
    };
    let shown = FixProgress::of(&arguments.look)?;
    let begun = Instant::now();
    let done = copied(arguments, (&mut *disk, source), &plan.job, new, &shown);
    shown.end();
    match done {
        Ok(done) => {
            let mut page = FixPage::of(arguments, &plan);
            page.ended = FixResult::Copied;
            page.done = Some((done, begun.elapsed()));
            page.write()?;
            Ok(Exit::Done)
        }
        Err(error) => failed(error, new),
    }
}

fn copied(
    arguments: &FixArgs,
    (disk, source): (&mut dyn Disk, SourceState),
    job: &Job,
    new: &Path,
    shown: &FixProgress,
) -> ioalign_repair::Result<Done> {
    let (bytes, logical) = (disk.size_bytes(), disk.logical_bytes());
    image_room::check(disk, new, arguments)?;
    let format = format(arguments, new);
    let mut image = FreshImage::create(new, (&arguments.target, source), format, bytes, logical)?;
    let mut say = |progress: &_| shown.say(progress);
    let how = options(arguments);
    let done = container::write_new_with(disk, job, &mut *image.disk, &how, &mut say)?;
    image.keep()?;
    Ok(done)
}

/// How a copy that was not finished ends; what there was of it is gone.
pub fn failed(error: Error, new: &Path) -> Result<Exit> {
    if error.kind() == ErrorKind::Interrupted {
        note(format_args!("stopped; {} was removed", new.display()));
        return Ok(Exit::Interrupted);
    }
    Err(refuse::error(error, new))
}

/// As typed, or by the name, or raw.
pub fn format(arguments: &FixArgs, new: &Path) -> ImageFormat {
    let named = || ImageFormat::from_extension(new);
    arguments.format.or_else(named).unwrap_or(ImageFormat::Raw)
}
