//! `--output`: the same layout in a new image.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use ioalign_core::fix_document::FixResult;
use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::mover::Done;
use ioalign_repair::{Disk, Error, ErrorKind, Job};

use super::fresh::FreshImage;
use super::progress::FixProgress;
use super::{FixPage, agreed, flight, image_room, options, refuse, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::say::note;

/// Writes the new image; where nothing needs moving none is made.
pub fn run(arguments: &FixArgs, new: &Path) -> Result<Exit> {
    free_name(new)?;
    flight::refuse_unfinished(arguments)?;
    let mut disk = target::open(arguments, false)?;
    let Some(plan) = agreed(&mut *disk, arguments, false)? else {
        return Ok(Exit::Done);
    };
    let shown = FixProgress::of(&arguments.look)?;
    let begun = Instant::now();
    let done = copied(arguments, &mut *disk, &plan.job, new, &shown);
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
    disk: &mut dyn Disk,
    job: &Job,
    new: &Path,
    shown: &FixProgress,
) -> ioalign_repair::Result<Done> {
    let (bytes, logical) = (disk.size_bytes(), disk.logical_bytes());
    image_room::check(disk, new, arguments)?;
    let format = format(arguments, new);
    let mut image = FreshImage::create(new, &arguments.target, format, bytes, logical)?;
    let mut tell = |progress: &_| shown.tell(progress);
    let how = options(arguments);
    let done = container::write_new_with(disk, job, &mut *image.disk, &how, &mut tell)?;
    image.keep()?;
    Ok(done)
}

/// A file of the name is not replaced.
pub fn free_name(new: &Path) -> Result<()> {
    if new.exists() {
        bail!(
            "{}: it is there already, and is not replaced",
            new.display()
        );
    }
    Ok(())
}

/// A free name for an image that puts data on the grid of its file: VHDX for those who use VHD, qcow2 for all
/// others.
pub fn on_the_grid(target: &Path) -> PathBuf {
    let is_vhd = matches!(ImageFormat::from_extension(target), Some(ImageFormat::Vhd));
    beside(target, if is_vhd { "vhdx" } else { "qcow2" })
}

/// A free name beside a file, with another ending or a number.
pub fn beside(target: &Path, ending: &str) -> PathBuf {
    let stem = target.file_stem().unwrap_or_default();
    let name = |number: u32| {
        let mut name = stem.to_owned();
        if number > 0 {
            name.push(format!("-{number}"));
        }
        name.push(format!(".{ending}"));
        target.with_file_name(name)
    };
    let mut names = (0..1000).map(name);
    let free = names.find(|path| path.symlink_metadata().is_err());
    free.unwrap_or_else(|| name(1000))
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
