//! `--forget`: the journal of a move that is not on the disk is removed.

use anyhow::Result;
use ioalign_core::{move_words, shell};
use ioalign_inspect::moving;
use ioalign_repair::Error;
use ioalign_repair::journal::{self, JournalFile};

use super::flight::{self, Unfinished};
use super::{refuse, search, standing, target};
use crate::args::FixArgs;
use crate::exit::Exit;
use crate::look;

/// Removes it when it is proven that nothing of its move is on the target.
pub fn run(arguments: &FixArgs) -> Result<Exit> {
    let marker = moving::marker_of(&arguments.target).ok().flatten();
    let path = match &marker {
        Some(found) => {
            search::of_marker(arguments, found).map_err(|_| flight::marked(arguments, found))?
        }
        None => search::usual(arguments)?,
    };
    let failed = |error: Error| refuse::error(error, &path);
    let mut file = JournalFile::open(&path).map_err(failed)?;
    let is_unfinished = journal::is_unfinished(file.store()).unwrap_or(false);
    match (is_unfinished, &marker) {
        (true, None) => {}
        (true, Some(found)) => return Err(flight::marked(arguments, found)),
        (false, _) => {
            let contents = journal::read(file.store()).map_err(failed)?;
            let journal = path.clone();
            is_needless(&Unfinished { journal, contents }, arguments)?;
        }
    }
    file.remove().map_err(failed)?;
    let name = shell::path(&arguments.target);
    look::write(&format!(
        "{name}: nothing of the move is on it; its journal {} is gone, and nothing else was written\n\
         Next: ioalign check {name}\n",
        shell::path(&path)
    ))?;
    Ok(Exit::Done)
}

/// Refuses to give up a journal that alone has a part of the disk.
fn is_needless(job: &Unfinished, arguments: &FixArgs) -> Result<()> {
    job.is_of_target(arguments)?;
    let contents = &job.contents;
    let sector = contents.job.identity.logical_bytes;
    let mut disk = target::with_sector(arguments, false, Some(sector))?;
    let seen = standing::of(&mut *disk, contents, true, &arguments.target)?;
    if !seen.is_on_disk {
        return Ok(());
    }
    let name = shell::path(&arguments.target);
    Err(refuse::plainly(format!(
        "{name}: a part of the move is on it, which only the journal {} can put together: {}; if others wrote a table \
         there since, each with --trust-disk",
        shell::path(&job.journal),
        move_words::ways(&arguments.target, arguments.journal.as_deref())
    )))
}
