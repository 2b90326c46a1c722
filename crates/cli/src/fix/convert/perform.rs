//! The action: a dry run, the work in place, or a new image.

use std::fs::OpenOptions;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use ioalign_core::fix_document::FixResult;
use ioalign_core::rules;
use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::convert::Conversion;
use ioalign_repair::{Disk, Job, mover};
use rustix::fs::{FlockOperation, flock};

use super::super::fresh::FreshImage;
use super::super::progress::FixProgress;
use super::super::same_target::{NamedTarget, SourceState};
use super::super::{flight, image_room, options, output, overlays, perform, place, refuse, target};
use super::{ConversionPage, SMALLEST, consented, open, plan, possible_in_place};
use crate::args::FixArgs;
use crate::exit::Exit;

/// The dry run.
pub fn shown(arguments: &FixArgs, to: u64) -> Result<Exit> {
    flight::refuse_unfinished(arguments)?;
    let mut disk = open(arguments, false)?;
    let conversion = plan(&mut *disk, arguments, to)?;
    let job = conversion.as_ref().map(|one| {
        possible_in_place(arguments, to)?;
        target::writable(&arguments.target).map_err(|why| why.to_string())?;
        one.job_ahead(&mut *disk).map_err(|error| error.to_string())
    });
    let job = job.as_ref().map(|job| job.as_ref().map_err(Clone::clone));
    if let Some(Ok(job)) = &job {
        refuse::expected_job(job, arguments)?;
    }
    let page = ConversionPage {
        arguments,
        to,
        conversion: conversion.as_ref(),
        job,
        ended: FixResult::Planned,
        done: None,
    };
    page.write()?;
    if let Some(conversion) = &conversion {
        consented(conversion, arguments)?;
        if arguments.output.is_none() {
            overlays::refuse(arguments)?;
        }
    }
    Ok(page.exit())
}

/// In place, with a journal.
pub fn in_place(arguments: &FixArgs, to: u64) -> Result<Exit> {
    flight::refuse_unfinished(arguments)?;
    overlays::refuse(arguments)?;
    let journal = place::prepare(arguments)?;
    // Before it is locked for writing.
    let possible = possible_in_place(arguments, to);
    let mut disk = open(arguments, true)?;
    let named = NamedTarget::of(&arguments.target)?;
    let Some(conversion) = plan(&mut *disk, arguments, to)? else {
        return nothing(arguments, to);
    };
    consented(&conversion, arguments)?;
    if let Err(why) = possible {
        let what = format!("{}: {why}; nothing was written", arguments.target.display());
        return Err(refuse::refusal(
            rules::FIX_NOT_IN_PLACE,
            what,
            &refuse::new_image(arguments),
        ));
    }
    let failed = |error| refuse::error(error, &arguments.target);
    let job = conversion.job_ahead(&mut *disk).map_err(failed)?;
    refuse::expected_job(&job, arguments)?;
    if conversion.grows() {
        disk = longer(disk, arguments, &conversion)?;
    }
    perform::journalled(arguments, (disk, named), &journal, &job, |done, elapsed| {
        let page = ConversionPage {
            arguments,
            to,
            conversion: Some(&conversion),
            job: Some(Ok(&job)),
            ended: FixResult::Converted,
            done: Some((done, elapsed)),
        };
        page.write()
    })
}

/// Makes a raw image longer. Its table is right as before, if not in its place: what comes after may fail.
/// The file that was locked and judged is the one that grows, and the one that is opened again.
fn longer(
    disk: Box<dyn Disk>,
    arguments: &FixArgs,
    conversion: &Conversion,
) -> Result<Box<dyn Disk>> {
    let path = &arguments.target;
    let failed = || format!("{}: cannot be made longer", path.display());
    let file = OpenOptions::new()
        .write(true)
        .open(path)
        .with_context(failed)?;
    // Its lock shows that it is the disk: no other process could take it.
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let what = format!(
            "{}: another file has this name now; nothing was written",
            path.display()
        );
        return Err(refuse::refusal(
            rules::FIX_OTHER_DISK,
            what,
            &refuse::again(arguments),
        ));
    }
    drop(disk);
    file.set_len(conversion.bytes)
        .and_then(|()| file.sync_all())
        .with_context(failed)?;
    let disk = open(arguments, true)?;
    let own = file.metadata().with_context(failed)?;
    let named = std::fs::metadata(path).with_context(failed)?;
    if (named.dev(), named.ino()) != (own.dev(), own.ino()) {
        let what = format!(
            "{}: another file has this name now; nothing was moved",
            path.display()
        );
        return Err(refuse::refusal(
            rules::FIX_OTHER_DISK,
            what,
            &refuse::again(arguments),
        ));
    }
    Ok(disk)
}

/// Into a new image; the original is not touched.
pub fn copied(arguments: &FixArgs, to: u64, new: &Path) -> Result<Exit> {
    refuse::free_name(arguments, new)?;
    flight::refuse_unfinished(arguments)?;
    let source = SourceState::of(&arguments.target);
    let mut disk = open(arguments, false)?;
    let Some(conversion) = plan(&mut *disk, arguments, to)? else {
        return nothing(arguments, to);
    };
    consented(&conversion, arguments)?;
    let shown = FixProgress::of(&arguments.look)?;
    let begun = Instant::now();
    let done = write_new(arguments, &conversion, (&mut *disk, source), new, &shown);
    shown.end();
    match done {
        Ok(done) => {
            let page = ConversionPage {
                arguments,
                to,
                conversion: Some(&conversion),
                job: None::<Result<&Job, String>>,
                ended: FixResult::Copied,
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
    (disk, source): (&mut dyn Disk, SourceState),
    new: &Path,
    shown: &FixProgress,
) -> ioalign_repair::Result<mover::Done> {
    let format = output::format(arguments, new);
    // This is the only format that stores its sector size.
    let logical = match format {
        ImageFormat::Vhdx if conversion.both => conversion.from,
        ImageFormat::Vhdx => conversion.to,
        _ => SMALLEST,
    };
    image_room::check(disk, new, arguments)?;
    let source = (arguments.target.as_path(), source);
    let mut image = FreshImage::create(new, source, format, conversion.bytes, logical)?;
    let how = options(arguments);
    let mut say = |progress: &_| shown.say(progress);
    let mut view = conversion.view(disk);
    let done = container::write_view(&mut view, &mut *image.disk, &how, &mut say)?;
    image.keep()?;
    Ok(done)
}

fn nothing(arguments: &FixArgs, to: u64) -> Result<Exit> {
    let page = ConversionPage {
        arguments,
        to,
        conversion: None,
        job: None,
        ended: FixResult::Planned,
        done: None,
    };
    page.write()?;
    Ok(page.exit())
}
