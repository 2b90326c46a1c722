//! What is done: a look, the work in place, or a new image.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use ioalign_repair::container::{self, Format};
use ioalign_repair::convert::Conversion;
use ioalign_repair::{Disk, Job, mover};

use super::super::document::Ended;
use super::super::fresh::FreshImage;
use super::super::progress::Shown;
use super::super::{options, output, perform, place, refuse};
use super::{Page, SMALLEST, consented, open, plan, possible_in_place};
use crate::args::FixArgs;
use crate::exit::Exit;

/// The dry run.
pub fn shown(arguments: &FixArgs, to: u64) -> Result<Exit> {
    place::no_unfinished(arguments)?;
    let mut disk = open(arguments, false)?;
    let conversion = plan(&mut *disk, arguments, to)?;
    let job = conversion.as_ref().map(|one| {
        possible_in_place(&arguments.target, to)?;
        one.job_ahead(&mut *disk).map_err(|error| error.to_string())
    });
    let job = job.as_ref().map(|job| job.as_ref().map_err(Clone::clone));
    if let Some(Ok(job)) = &job {
        refuse::expected_job(job, arguments)?;
    }
    let page = Page {
        arguments,
        to,
        conversion: conversion.as_ref(),
        job,
        ended: Ended::Planned,
        done: None,
    };
    page.write()?;
    Ok(page.exit())
}

/// In place, with a journal.
pub fn in_place(arguments: &FixArgs, to: u64) -> Result<Exit> {
    place::no_unfinished(arguments)?;
    let journal = place::journal(arguments)?;
    // Before it is locked for writing.
    let possible = possible_in_place(&arguments.target, to);
    let mut disk = open(arguments, true)?;
    let Some(conversion) = plan(&mut *disk, arguments, to)? else {
        return nothing(arguments, to);
    };
    consented(&conversion, arguments)?;
    if let Err(why) = possible {
        bail!("{}: {why}; nothing was written", arguments.target.display());
    }
    let failed = |error| refuse::error(error, &arguments.target);
    let job = conversion.job_ahead(&mut *disk).map_err(failed)?;
    refuse::expected_job(&job, arguments)?;
    if conversion.grows() {
        drop(disk);
        longer(&arguments.target, &conversion)?;
        disk = open(arguments, true)?;
    }
    perform::journalled(arguments, disk, &journal, &job, |done, elapsed| {
        let page = Page {
            arguments,
            to,
            conversion: Some(&conversion),
            job: Some(Ok(&job)),
            ended: Ended::Converted,
            done: Some((done, elapsed)),
        };
        page.write()
    })
}

/// Makes a raw image longer. Its table is right as before, if not in its place: what comes after may fail.
fn longer(path: &Path, conversion: &Conversion) -> Result<()> {
    let file = OpenOptions::new().write(true).open(path);
    let grown = file.and_then(|file| {
        file.set_len(conversion.bytes)?;
        file.sync_all()
    });
    grown.with_context(|| format!("{}: cannot be made longer", path.display()))
}

/// Into a new image; the original is not touched.
pub fn copied(arguments: &FixArgs, to: u64, new: &Path) -> Result<Exit> {
    if new.exists() {
        bail!(
            "{}: it is there already, and is not replaced",
            new.display()
        );
    }
    let mut disk = open(arguments, false)?;
    let Some(conversion) = plan(&mut *disk, arguments, to)? else {
        return nothing(arguments, to);
    };
    consented(&conversion, arguments)?;
    let shown = Shown::of(&arguments.look)?;
    let begun = Instant::now();
    let done = write_new(arguments, &conversion, &mut *disk, new, &shown);
    shown.end();
    match done {
        Ok(done) => {
            let page = Page {
                arguments,
                to,
                conversion: Some(&conversion),
                job: None::<Result<&Job, String>>,
                ended: Ended::Copied,
                done: Some((done, begun.elapsed())),
            };
            page.write()?;
            Ok(Exit::Done)
        }
        Err(error) => output::failed(error, new),
    }
}

fn write_new(
    arguments: &FixArgs,
    conversion: &Conversion,
    disk: &mut dyn Disk,
    new: &Path,
    shown: &Shown,
) -> ioalign_repair::Result<mover::Done> {
    let format = output::format(arguments, new);
    // Of all formats only this one says how long its sectors are.
    let logical = match format {
        Format::Vhdx => conversion.to,
        _ => SMALLEST,
    };
    let mut image = FreshImage::create(new, format, conversion.bytes, logical)?;
    let how = options(arguments);
    let mut tell = |progress: &_| shown.tell(progress);
    let mut view = conversion.view(disk);
    let done = container::write_view(&mut view, &mut *image.disk, &how, &mut tell)?;
    image.keep();
    Ok(done)
}

fn nothing(arguments: &FixArgs, to: u64) -> Result<Exit> {
    let page = Page {
        arguments,
        to,
        conversion: None,
        job: None,
        ended: Ended::Planned,
        done: None,
    };
    page.write()?;
    Ok(page.exit())
}
