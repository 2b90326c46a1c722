//! The writing actions: apply, resume, rollback.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ioalign_core::fix_document::FixResult;
use ioalign_core::shell;
use ioalign_device::TargetIdentity;
use ioalign_repair::mover::{self, Done, MoveOrigin, MoverOutcome};
use ioalign_repair::{Disk, Error, ErrorKind, Job};

use super::flight::{self, Unfinished};
use super::progress::FixProgress;
use super::room::FixRoom;
use super::{FixPage, agreed, command, options, overlays, place, refuse, shrink, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::say::note;

/// Plans again, on the disk that no other process can use from now on, and does it.
pub fn apply(arguments: &FixArgs) -> Result<Exit> {
    flight::refuse_unfinished(arguments)?;
    let journal = place::prepare(arguments)?;
    let was_shrunk = shrink::first(arguments)?;
    let mut disk = target::open(arguments, true)?;
    let Some(plan) = agreed(&mut *disk, arguments, was_shrunk)? else {
        return Ok(Exit::Done);
    };
    if let Some(room) = FixRoom::of(&mut *disk, &plan.job, &arguments.target) {
        room.enough(arguments, &plan.job)?;
    }
    journalled(arguments, disk, &journal, &plan.job, |done, elapsed| {
        let mut page = FixPage::of(arguments, &plan);
        page.ended = result(done.outcome);
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
    say: impl FnOnce(Done, Duration) -> Result<()>,
) -> Result<Exit> {
    place::warn_volatile(journal, arguments.look.quiet);
    let shown = FixProgress::of(&arguments.look)?;
    let begun = Instant::now();
    let done = mover::apply(
        &mut *disk,
        journal,
        job,
        &origin(arguments, journal)?,
        &options(arguments),
        &mut |progress| shown.say(progress),
    );
    shown.end();
    match done {
        Ok(done) => {
            say(done, begun.elapsed())?;
            target::close(disk, &arguments.target)?;
            Ok(Exit::Done)
        }
        Err(error) => stopped(error, arguments, journal),
    }
}

/// The facts about this call that the journal keeps.
fn origin(arguments: &FixArgs, journal: &Path) -> Result<MoveOrigin> {
    Ok(MoveOrigin {
        host: flight::host(),
        journal: std::path::absolute(journal)?,
        target: TargetIdentity::new(&arguments.target)?.to_string(),
    })
}

/// Ends what was begun, on the way of the arguments.
pub fn go_on(arguments: &FixArgs) -> Result<Exit> {
    if arguments.mode.resume {
        overlays::refuse(arguments)?;
    }
    let job = Unfinished::find(arguments)?;
    let sector = job.contents.job.identity.logical_bytes;
    let mut disk = target::with_sector(arguments, true, Some(sector))?;
    job.is_on(&mut *disk, arguments)?;
    let shown = FixProgress::of(&arguments.look)?;
    let begun = Instant::now();
    let way = if arguments.mode.resume {
        mover::resume
    } else {
        mover::rollback
    };
    let done = way(
        &mut *disk,
        &job.journal,
        &options(arguments),
        &mut |progress| shown.say(progress),
    );
    shown.end();
    match done {
        Ok(done) => show_done(arguments, disk, done, begun.elapsed()),
        Err(error) => stopped(error, arguments, &job.journal),
    }
}

fn show_done(
    arguments: &FixArgs,
    disk: Box<dyn Disk>,
    done: Done,
    elapsed: Duration,
) -> Result<Exit> {
    let page = FixPage {
        arguments,
        plan: None,
        rate: None,
        room: None,
        ended: result(done.outcome),
        done: Some((done, elapsed)),
    };
    page.write()?;
    target::close(disk, &arguments.target)?;
    Ok(Exit::Done)
}

/// Says what to do next.
fn stopped(error: Error, arguments: &FixArgs, journal: &Path) -> Result<Exit> {
    let (kind, interrupted) = (error.kind(), error.kind() == ErrorKind::Interrupted);
    let error = refuse::error(error, &arguments.target);
    if !journal.exists() {
        return if interrupted {
            Ok(Exit::Interrupted)
        } else {
            Err(error)
        };
    }
    let next = format!(
        "the journal is {}: {}",
        shell::path(journal),
        command::ways(arguments, place::named(arguments, journal))
    );
    if interrupted {
        note(format_args!("{error:#}; {next}"));
        return Ok(Exit::Interrupted);
    }
    // A refused job was not begun: the journal may be that of another disk.
    if kind == ErrorKind::Refused {
        return Err(error);
    }
    Err(anyhow!("{error:#}; {next}"))
}

const fn result(outcome: MoverOutcome) -> FixResult {
    match outcome {
        MoverOutcome::Moved => FixResult::Moved,
        MoverOutcome::RolledBack => FixResult::RolledBack,
    }
}
