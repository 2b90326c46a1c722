//! What writes: apply, resume, rollback.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ioalign_device::partitions::{self, Partition};
use ioalign_repair::mover::{self, Done, FileDisk, Outcome};
use ioalign_repair::tables::{SlotKind, Table};
use ioalign_repair::{Disk, Error, ErrorKind, Job, journal};

use super::document::Ended;
use super::progress::Shown;
use super::trail::Trail;
use super::{NOTHING, Page, agreed, options, place, refuse, shrink, target};
use crate::args::FixArgs;
use crate::exit::Exit;

/// Plans anew, on the disk that nobody else can use from now on, and does it.
pub fn apply(arguments: &FixArgs) -> Result<Exit> {
    place::no_unfinished(arguments)?;
    let was_shrunk = shrink::first(arguments)?;
    let journal = place::journal(arguments)?;
    let mut disk = target::open(arguments, true)?;
    let Some(plan) = agreed(&mut *disk, arguments, was_shrunk)? else {
        return Ok(NOTHING);
    };
    journalled(arguments, disk, &journal, &plan.job, |done, elapsed| {
        let mut page = Page::of(arguments, &plan);
        page.ended = Ended::of(done.outcome);
        page.done = Some((done, elapsed));
        page.write()
    })
}

/// Does a job with a journal, and says how it ended.
pub fn journalled(
    arguments: &FixArgs,
    mut disk: Box<dyn Disk>,
    journal: &Path,
    job: &Job,
    tell: impl FnOnce(Done, Duration) -> Result<()>,
) -> Result<Exit> {
    place::warn_volatile(journal, arguments.look.quiet);
    let shown = Shown::of(&arguments.look)?;
    let trail = Trail::leave(arguments, journal)?;
    let begun = Instant::now();
    let done = mover::apply(
        &mut *disk,
        journal,
        job,
        &options(arguments),
        &mut |progress| shown.tell(progress),
    );
    shown.end();
    match done {
        Ok(done) => {
            trail.forget();
            tell(done, begun.elapsed())?;
            close(disk, &arguments.target)?;
            Ok(Exit::Done)
        }
        Err(error) => stopped(error, arguments, journal),
    }
}

/// Ends what was begun, on the way of the arguments.
pub fn go_on(arguments: &FixArgs) -> Result<Exit> {
    let journal = place::existing(arguments)?;
    let sector = sector_of(&journal)?;
    let mut disk = target::with_sector(&arguments.target, true, Some(sector))?;
    let shown = Shown::of(&arguments.look)?;
    let begun = Instant::now();
    let way = if arguments.mode.resume {
        mover::resume
    } else {
        mover::rollback
    };
    let done = way(&mut *disk, &journal, &options(arguments), &mut |progress| {
        shown.tell(progress)
    });
    shown.end();
    match done {
        Ok(done) => {
            Trail::of(arguments, &journal)?.forget();
            told(arguments, disk, done, begun.elapsed())
        }
        Err(error) => stopped(error, arguments, &journal),
    }
}

fn told(arguments: &FixArgs, disk: Box<dyn Disk>, done: Done, elapsed: Duration) -> Result<Exit> {
    let page = Page {
        arguments,
        plan: None,
        rate: None,
        ended: Ended::of(done.outcome),
        done: Some((done, elapsed)),
    };
    page.write()?;
    close(disk, &arguments.target)?;
    Ok(Exit::Done)
}

/// The sector that the job of a journal counts in.
fn sector_of(path: &Path) -> Result<u64> {
    let failed = |error: Error| refuse::error(error, path);
    let mut store = FileDisk::open(path).map_err(failed)?;
    let contents = journal::read(&mut store).map_err(failed)?;
    Ok(contents.job.identity.logical_bytes)
}

/// Lets go of the disk, and has the kernel take on the table of a device.
fn close(mut disk: Box<dyn Disk>, path: &Path) -> Result<()> {
    if !target::is_block(path)? {
        return Ok(());
    }
    let table = Table::read(&mut *disk).map_err(|error| refuse::error(error, path))?;
    drop(disk);
    let slots = table.slots();
    let wanted: Vec<_> = slots
        .iter()
        .map(|slot| Partition {
            number: slot.number,
            start: slot.start,
            size: match slot.kind {
                // The kernel keeps two sectors of it, so that nobody takes it for a partition.
                SlotKind::Extended => slot.size.min(table.unit().max(1024)),
                _ => slot.size,
            },
        })
        .collect();
    partitions::reread(path, &wanted).map_err(|error| refuse::error(error, path))
}

/// Says what to do next.
fn stopped(error: Error, arguments: &FixArgs, journal: &Path) -> Result<Exit> {
    let (kind, interrupted) = (error.kind(), error.kind() == ErrorKind::Interrupted);
    let error = refuse::error(error, &arguments.target);
    if !journal.exists() {
        Trail::of(arguments, journal)?.forget();
        return if interrupted {
            Ok(Exit::Interrupted)
        } else {
            Err(error)
        };
    }
    let next = format!(
        "the journal is {}: {}",
        journal.display(),
        place::ways(arguments)
    );
    if interrupted {
        anstream::eprintln!("ioalign: {error:#}; {next}");
        return Ok(Exit::Interrupted);
    }
    // What was refused was not begun: the journal may be that of another disk.
    if kind == ErrorKind::Refused {
        return Err(error);
    }
    Err(anyhow!("{error:#}; {next}"))
}

impl Ended {
    /// By what the mover says.
    pub const fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Moved => Self::Moved,
            Outcome::RolledBack => Self::RolledBack,
        }
    }
}
