//! `--output`: the same layout in a new image.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ioalign_repair::container::{self, Format};
use ioalign_repair::mover::Done;
use ioalign_repair::{Disk, Error, ErrorKind, Job};

use super::document::Ended;
use super::fresh::FreshImage;
use super::progress::Shown;
use super::{NOTHING, Page, agreed, options, place, refuse, target};
use crate::args::FixArgs;
use crate::exit::Exit;

/// Writes the new image; where nothing needs moving none is made.
pub fn run(arguments: &FixArgs, new: &Path) -> Result<Exit> {
    if new.exists() {
        return Err(anyhow!(
            "{}: it is there already, and is not replaced",
            new.display()
        ));
    }
    place::no_unfinished(arguments)?;
    let mut disk = target::open(arguments, false)?;
    let Some(plan) = agreed(&mut *disk, arguments, false)? else {
        return Ok(NOTHING);
    };
    let shown = Shown::of(&arguments.look)?;
    let begun = Instant::now();
    let done = copied(arguments, &mut *disk, &plan.job, new, &shown);
    shown.end();
    match done {
        Ok(done) => {
            let mut page = Page::of(arguments, &plan);
            page.ended = Ended::Copied;
            page.done = Some((done, begun.elapsed()));
            page.write()?;
            Ok(page.exit())
        }
        Err(error) => failed(error, new),
    }
}

fn copied(
    arguments: &FixArgs,
    disk: &mut dyn Disk,
    job: &Job,
    new: &Path,
    shown: &Shown,
) -> ioalign_repair::Result<Done> {
    let (bytes, logical) = (disk.size_bytes(), disk.logical_bytes());
    let mut image = FreshImage::create(new, format(arguments, new), bytes, logical)?;
    let mut tell = |progress: &_| shown.tell(progress);
    let how = options(arguments);
    let done = container::write_new_with(disk, job, &mut *image.disk, &how, &mut tell)?;
    image.keep();
    Ok(done)
}

/// How a copy that was not finished ends; what there was of it is gone.
pub fn failed(error: Error, new: &Path) -> Result<Exit> {
    if error.kind() == ErrorKind::Interrupted {
        anstream::eprintln!("ioalign: stopped; {} was removed", new.display());
        return Ok(Exit::Interrupted);
    }
    Err(refuse::error(error, new))
}

/// As typed, or by the name, or raw.
pub fn format(arguments: &FixArgs, new: &Path) -> Format {
    let named = || Format::from_extension(new);
    arguments.format.or_else(named).unwrap_or(Format::Raw)
}
