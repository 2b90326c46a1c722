//! What of a move is on its disk, and what that means for those who come back to it.

use std::path::Path;

use anyhow::Result;
use ioalign_core::{rules, shell};
use ioalign_repair::journal::{self, Contents};
use ioalign_repair::mover::{self, FileDisk, ForeignBytes, MoveVerdict, Outlook};
use ioalign_repair::{Disk, Error};

use super::flight::Unfinished;
use super::{command, refuse, target};
use crate::args::FixArgs;
use crate::say::note;

/// Refuses what would lose something, with the way forward; says what is lost by force.
pub fn judge(job: &Unfinished, disk: &mut dyn Disk, arguments: &FixArgs) -> Result<()> {
    let name = shell::path(&arguments.target);
    let seen = of(
        disk,
        &job.contents,
        arguments.mode.rollback,
        &arguments.target,
    )?;
    let sizes = mover::check(&job.contents.job, disk.size_bytes(), disk.logical_bytes());
    if let Err(error) = sizes {
        return Err(match seen.is_on_disk {
            true => size_changed(arguments, disk, job, error),
            false => absent(arguments, &job.journal, &error.to_string()),
        });
    }
    let lost = listed(&seen.foreign);
    match seen.verdict {
        MoveVerdict::Absent(why) => Err(absent(arguments, &job.journal, &why)),
        MoveVerdict::Changed(why) if !arguments.mode.trust_disk => {
            let loses = match lost.is_empty() {
                true => String::new(),
                false => format!(", and write over {lost}"),
            };
            let next = format!("{} --trust-disk", command::again(arguments));
            let what = format!(
                "{name}: {why}. Nothing was written. --trust-disk ends the move all the same{loses}"
            );
            Err(refuse::refusal(rules::FIX_DISK_CHANGED, what, &next))
        }
        MoveVerdict::Ended if !lost.is_empty() => {
            note(format_args!(
                "{name}: the move had ended; left as others wrote it since: {lost}"
            ));
            Ok(())
        }
        _ => {
            if !lost.is_empty() {
                note(format_args!(
                    "{name}: no step of the move has written {lost}: it is written over now"
                ));
            }
            Ok(())
        }
    }
}

/// What a program that has a journal sees on a disk.
pub fn of(disk: &mut dyn Disk, contents: &Contents, back: bool, path: &Path) -> Result<Outlook> {
    mover::outlook(disk, contents, back).map_err(|error| refuse::error(error, path))
}

/// A disk with a move on it that is longer or shorter than it was: the command that gives it its length back.
fn size_changed(
    arguments: &FixArgs,
    disk: &mut dyn Disk,
    job: &Unfinished,
    error: Error,
) -> anyhow::Error {
    let path = &arguments.target;
    let bytes = job.contents.job.identity.size_bytes;
    if disk.size_bytes() == bytes {
        return refuse::error(error, path);
    }
    let name = shell::path(path);
    let next = match target::is_block(path) {
        Ok(true) | Err(_) => format!("blockdev --getsize64 {name}"),
        Ok(false) if target::is_raw(disk, path) => format!("truncate --size {bytes} {name}"),
        Ok(false) => format!("qemu-img resize {name} {bytes}"),
    };
    refuse::refusal(rules::FIX_SIZE_CHANGED, error.of_target(path), &next)
}

fn absent(arguments: &FixArgs, journal: &Path, why: &str) -> anyhow::Error {
    let what = format!(
        "{}: {why}. Nothing of this move is on it, so its journal {} is of no use here; nothing was written",
        shell::path(&arguments.target),
        shell::path(journal)
    );
    refuse::refusal(
        rules::FIX_JOURNAL_LEFT,
        what,
        &command::forgetting(arguments),
    )
}

/// A file that has the name of a journal of the target, whose disk has no marker: what it is, and the way forward.
pub fn left_over(arguments: &FixArgs, path: &Path) -> anyhow::Error {
    let name = shell::path(path);
    if is_unfinished(path) {
        let what = format!(
            "{name}: a journal that was cut off while it was made, before anything was written to its disk"
        );
        return refuse::refusal(
            rules::FIX_JOURNAL_LEFT,
            what,
            &command::forgetting(arguments),
        );
    }
    let seen = found(arguments, path);
    match seen.map(|seen| (seen.is_on_disk, seen.verdict)) {
        Some((false, MoveVerdict::Absent(_))) => {
            let what = format!(
                "{name}: the journal of a move of which nothing is on {}: that was restored since, or is another one",
                shell::path(&arguments.target)
            );
            refuse::refusal(
                rules::FIX_JOURNAL_LEFT,
                what,
                &command::forgetting(arguments),
            )
        }
        found => {
            let force = matches!(found, Some((_, MoveVerdict::Changed(_))));
            let what = format!("{name}: here is the journal of an unfinished job, or another file");
            let ways = refuse::ways(arguments, arguments.journal.as_deref(), force);
            refuse::choice(rules::MOVE_IN_FLIGHT, what, ways)
        }
    }
}

/// Whether a journal was cut off while it was made.
fn is_unfinished(path: &Path) -> bool {
    FileDisk::open(path).is_ok_and(|mut store| journal::is_unfinished(&mut store).unwrap_or(false))
}

/// What of a left-over journal is on the target, where both can be read.
fn found(arguments: &FixArgs, path: &Path) -> Option<Outlook> {
    let contents = journal::read(&mut FileDisk::open(path).ok()?).ok()?;
    let sector = contents.job.identity.logical_bytes;
    let mut disk = target::with_sector(arguments, false, Some(sector)).ok()?;
    mover::outlook(&mut *disk, &contents, true).ok()
}

/// The first of these places, and how many more there are.
fn listed(all: &[ForeignBytes]) -> String {
    const FIRST: usize = 3;
    let mut words: Vec<_> = all.iter().take(FIRST).map(ToString::to_string).collect();
    if let Some(more) = all.len().checked_sub(FIRST).filter(|more| *more > 0) {
        words.push(format!("{more} more places"));
    }
    words.join(", ")
}
