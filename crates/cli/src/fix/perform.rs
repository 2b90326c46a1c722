//! The writing actions: apply, resume, rollback.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_core::{rules, shell};
use ioalign_device::TargetIdentity;
use ioalign_repair::mover::{self, Done, MoveOrigin, MoverOutcome};
use ioalign_repair::{Disk, Error, ErrorKind, Job};

use super::flight::{self, Unfinished};
use super::progress::FixProgress;
use super::room::FixRoom;
use super::same_target::NamedTarget;
use super::{FixPage, agreed, command, options, overlays, place, refuse, shrink, standing, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::say::note;

/// Plans again, on the disk that no other process can use from now on, and does it.
pub fn apply(arguments: &FixArgs) -> Result<Exit> {
    flight::refuse_unfinished(arguments)?;
    let journal = place::prepare(arguments)?;
    let was_shrunk = shrink::first(arguments)?;
    let mut disk = target::open(arguments, true)?;
    let named = NamedTarget::of(&arguments.target)?;
    let Some(plan) = agreed(&mut *disk, arguments, was_shrunk)? else {
        return Ok(Exit::Done);
    };
    if let Some(room) = FixRoom::of(&mut *disk, &plan.job, &arguments.target) {
        room.enough(arguments, &plan.job)?;
    }
    journalled(
        arguments,
        (disk, named),
        &journal,
        &plan.job,
        |done, elapsed| {
            let mut page = FixPage::of(arguments, &plan);
            page.ended = result(done.outcome);
            page.done = Some((done, elapsed));
            page.write()
        },
    )
}

/// Does a job with a journal, and says how it ended.
pub fn journalled(
    arguments: &FixArgs,
    (mut disk, named): (Box<dyn Disk>, NamedTarget),
    journal: &Path,
    job: &Job,
    say: impl FnOnce(Done, Duration) -> Result<()>,
) -> Result<Exit> {
    named.before(&arguments.target)?;
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
        Ok(done) => ended(arguments, (disk, named), || say(done, begun.elapsed())),
        Err(error) => stopped(error, arguments, journal),
    }
}

/// Lets go of the disk, and says how it ended. That nobody can be told so is no failure of the move.
fn ended(
    arguments: &FixArgs,
    (disk, named): (Box<dyn Disk>, NamedTarget),
    say: impl FnOnce() -> Result<()>,
) -> Result<Exit> {
    let path = &arguments.target;
    let closed = target::close(disk, path);
    named.after(path)?;
    if let Err(error) = say() {
        note(format_args!(
            "{}: the move is done, and the journal is gone; only the report on it cannot be written: {error:#}",
            shell::path(path)
        ));
    }
    closed?;
    Ok(Exit::Done)
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
    let named = NamedTarget::of(&arguments.target)?;
    job.is_on(&mut *disk, arguments)?;
    standing::judge(&job, &mut *disk, arguments)?;
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
        Ok(done) => ended(arguments, (disk, named), || {
            show_done(arguments, done, begun.elapsed())
        }),
        Err(error) => stopped(error, arguments, &job.journal),
    }
}

fn show_done(arguments: &FixArgs, done: Done, elapsed: Duration) -> Result<()> {
    let page = FixPage {
        arguments,
        plan: None,
        rate: None,
        room: None,
        ended: result(done.outcome),
        done: Some((done, elapsed)),
    };
    page.write()
}

/// Says what to do next.
fn stopped(error: Error, arguments: &FixArgs, journal: &Path) -> Result<Exit> {
    let (kind, interrupted) = (error.kind(), error.kind() == ErrorKind::Interrupted);
    let error = refuse::error(error, &arguments.target);
    if !journal.exists() {
        return if interrupted {
            note(format_args!(
                "{}: stopped; nothing was written",
                shell::path(&arguments.target)
            ));
            Ok(Exit::Interrupted)
        } else {
            Err(error)
        };
    }
    let named = place::named(arguments, journal);
    let at = format!("the journal is {}", shell::path(journal));
    if interrupted {
        note(format_args!(
            "{error:#}; {at}: {}",
            command::ways(arguments, named)
        ));
        return Ok(Exit::Interrupted);
    }
    // A refused job was not begun: the journal may be that of another disk.
    if kind == ErrorKind::Refused {
        return Err(error);
    }
    let what = format!("{error:#}; {at}");
    Err(refuse::choice(
        rules::FIX_STOPPED,
        what,
        refuse::ways(arguments, named, false),
    ))
}

const fn result(outcome: MoverOutcome) -> FixResult {
    match outcome {
        MoverOutcome::Moved => FixResult::Moved,
        MoverOutcome::RolledBack => FixResult::RolledBack,
    }
}
