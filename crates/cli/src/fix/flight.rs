//! Moves in flight: of which the disk itself says so by its marker, and those whose journal alone is there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::move_marker::{BYTES, MarkerFound, MoveMarker};
use ioalign_core::{move_words, rules, shell};
use ioalign_device::{Sameness, TargetIdentity};
use ioalign_inspect::moving;
use ioalign_repair::journal::{self, Contents};
use ioalign_repair::mover::FileDisk;
use ioalign_repair::{Disk, Error};

use super::command;
use super::{place, refuse, search, standing, trust};
use crate::args::FixArgs;

/// The name of this machine, as markers have it.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim_end().to_owned()
}

/// Refuses to plan on a disk whose data are on their way.
pub fn refuse_unfinished(arguments: &FixArgs) -> Result<()> {
    // A target that cannot be read is refused when it is opened, with the reason.
    if let Ok(Some(found)) = moving::marker_of(&arguments.target) {
        return Err(marked(arguments, &found));
    }
    for path in place::candidates(arguments)? {
        if path.symlink_metadata().is_err() {
            continue;
        }
        trust::of_journal(&path).map_err(|why| place::distrusted(&path, &why))?;
        return Err(standing::left_over(arguments, &path));
    }
    Ok(())
}

/// Messages about a disk with a marker.
pub fn marked(arguments: &FixArgs, found: &MarkerFound) -> anyhow::Error {
    let target = shell::path(&arguments.target);
    let state = move_words::state(found);
    match search::of_marker(arguments, found) {
        Ok(path) => {
            let named = place::named(arguments, &path);
            let force = matches!(found, MarkerFound::Damaged);
            let ways = refuse::ways(arguments, named, force);
            refuse::choice(rules::MOVE_IN_FLIGHT, format!("{target}: {state}"), ways)
        }
        Err(why) => without_journal(arguments, found, &why),
    }
}

/// A disk with a marker whose journal is not found.
fn without_journal(arguments: &FixArgs, found: &MarkerFound, why: &anyhow::Error) -> anyhow::Error {
    let what = why.downcast_ref::<refuse::Refusal>();
    let what = what.map_or_else(|| format!("{why:#}"), |refusal| refusal.what.clone());
    let target = shell::path(&arguments.target);
    let what = format!("{target}: {}; {what}", move_words::state(found));
    refuse::choice(rules::FIX_JOURNAL_MISSING, what, refuse::steps_of(why))
}

/// A journal that may be obeyed, and what it says.
pub struct Unfinished {
    /// Its path.
    pub journal: PathBuf,
    /// The job, and how far it is.
    pub contents: Contents,
}

impl Unfinished {
    /// That of the target: as named, as its marker says, or in its usual places.
    pub fn find(arguments: &FixArgs) -> Result<Self> {
        let marker = moving::marker_of(&arguments.target).ok().flatten();
        let journal = match &marker {
            Some(found) => search::of_marker(arguments, found)
                .map_err(|why| without_journal(arguments, found, &why))?,
            None => search::usual(arguments)?,
        };
        let contents = read(&journal, arguments)?;
        let this = Self { journal, contents };
        if let Some(MarkerFound::Whole(marker)) = &marker {
            this.is_of_run(marker.run, arguments)?;
        }
        this.is_of_target(arguments)?;
        Ok(this)
    }

    /// The same on the disk that is now locked.
    pub fn is_on(&self, disk: &mut dyn Disk, arguments: &FixArgs) -> Result<()> {
        match marker_on(disk).map_err(|error| refuse::error(error, &arguments.target))? {
            Some(MarkerFound::Whole(marker)) => self.is_of_run(marker.run, arguments),
            _ => Ok(()),
        }
    }

    fn is_of_run(&self, run: u128, arguments: &FixArgs) -> Result<()> {
        if self.contents.run == run {
            return Ok(());
        }
        let what = format!(
            "{}: the journal {} is of another move than the one that is in flight here (run {run:032x}, not {:032x}); \
             nothing was written",
            arguments.target.display(),
            self.journal.display(),
            self.contents.run
        );
        let next = format!("ioalign fix {}", shell::path(&arguments.target));
        Err(refuse::refusal(rules::FIX_OTHER_DISK, what, &next))
    }

    /// A copy is not the disk: what finishes the job on a copy deletes the journal that the original needs.
    pub fn is_of_target(&self, arguments: &FixArgs) -> Result<()> {
        let now = TargetIdentity::new(&arguments.target)?;
        let then = TargetIdentity::parse(&self.contents.target);
        let why = match then.map(|then| then.matches(&now)) {
            Some(Sameness::Same) => return Ok(()),
            Some(Sameness::Different) => {
                "it is not the disk or file that this move was begun on: it is a copy of that, or was restored from one"
                    .to_owned()
            }
            Some(Sameness::Unknown(why)) => {
                format!("whether it is the disk that this move was begun on, or a copy, cannot be known: {why}")
            }
            None => "whether it is the disk that this move was begun on, or a copy, cannot be known: its journal does \
                     not name that"
                .to_owned(),
        };
        if arguments.mode.adopt {
            return Ok(());
        }
        let next = format!("{} --adopt", command::again(arguments));
        let what = format!(
            "{}: {why}. Ending the move here deletes the journal, without which the original is lost. Nothing was \
             written",
            arguments.target.display()
        );
        let steps = [(next, "if this is the one to keep")];
        Err(refuse::choice(rules::FIX_OTHER_DISK, what, steps))
    }
}

fn read(path: &Path, arguments: &FixArgs) -> Result<Contents> {
    let failed = |error: Error| refuse::error(error, path);
    let mut store = FileDisk::open(path).map_err(failed)?;
    journal::read(&mut store).map_err(|error| match journal::is_unfinished(&mut store) {
        Ok(true) => {
            let next = command::forgetting(arguments);
            refuse::refusal(rules::FIX_JOURNAL_LEFT, error.of_target(path), &next)
        }
        _ => failed(error),
    })
}

/// The marker on an open disk.
pub fn marker_on(disk: &mut dyn Disk) -> ioalign_repair::Result<Option<MarkerFound>> {
    let sector = first_sector(disk)?;
    Ok(sector.get(..BYTES).and_then(MoveMarker::decode))
}

/// The first logical block.
pub fn first_sector(disk: &mut dyn Disk) -> ioalign_repair::Result<Vec<u8>> {
    let bytes = disk.logical_bytes().clamp(BYTES as u64, 64 << 10);
    let bytes = bytes.min(disk.size_bytes());
    let mut sector = vec![0; usize::try_from(bytes).unwrap_or(BYTES)];
    let read = disk.read_at(0, &mut sector);
    read.map_err(|error| Error::io("its first sector cannot be read", error))?;
    Ok(sector)
}
